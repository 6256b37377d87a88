import { createServer, type IncomingMessage, STATUS_CODES } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ServerObserver } from './observer.ts';

/** HTTP server for probes and metrics, on its own port. */
export interface AdminServer {
  /** Base URL, without a trailing slash. */
  readonly url: string;
  stop(): Promise<void>;
}

export interface AdminServerOptions {
  readonly host: string;
  readonly port: number;
  /** Reasons for `/readyz` to report 503; empty when the server accepts requests. */
  readonly notReadyReasons: () => readonly string[];
  /** Serves `/metrics`; null disables it. */
  readonly observer: Pick<ServerObserver, 'renderMetrics' | 'metricsContentType'> | null;
}

interface AdminResponse {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
}

const requestTimeoutMs = 5_000;
const connectionsCheckingInterval = 1_000;

/**
 * Serves `/livez`, `/readyz` and `/metrics`. Upstream failures affect neither probe, since another replica would not help.
 */
export async function startAdminServer({
  host,
  port,
  notReadyReasons,
  observer,
}: AdminServerOptions): Promise<AdminServer> {
  const routes: AdminRoutes = {
    // A response proves that the event loop runs.
    '/livez': () => adminJson(200, { isAlive: true }),
    '/readyz': () => {
      const reasons = notReadyReasons();
      return adminJson(reasons.length === 0 ? 200 : 503, { isReady: reasons.length === 0, reasons });
    },
    ...(observer && {
      '/metrics': async () => ({
        status: 200,
        contentType: observer.metricsContentType,
        body: await observer.renderMetrics(),
      }),
    }),
  };
  const server = createServer({ requestTimeout: requestTimeoutMs, connectionsCheckingInterval });
  server.on('request', async (request, response) => {
    const { status, contentType, body } = await routeAdminRequest(request, routes);
    response.writeHead(status, { 'content-type': contentType, 'cache-control': 'no-store' });
    response.end(request.method === 'HEAD' ? undefined : body);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  const { port: bound } = server.address() as AddressInfo;

  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${bound}`,
    async stop() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

type AdminRoutes = Readonly<Record<string, () => AdminResponse | Promise<AdminResponse>>>;

function routeAdminRequest(
  { method, url = '' }: IncomingMessage,
  routes: AdminRoutes,
): AdminResponse | Promise<AdminResponse> {
  const path = url.split('?')[0] ?? '';
  const route = Object.hasOwn(routes, path) ? routes[path] : undefined;
  if (!route) return adminJson(404, { error: `${STATUS_CODES[404]}: ${Object.keys(routes).join(', ')}` });
  if (method !== 'GET' && method !== 'HEAD') return adminJson(405, { error: STATUS_CODES[405] });
  return route();
}

const adminJson = (status: number, body: object): AdminResponse => ({
  status,
  contentType: 'application/json; charset=utf-8',
  body: JSON.stringify(body),
});
