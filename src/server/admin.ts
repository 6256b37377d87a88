import { createServer, type IncomingMessage, STATUS_CODES } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ServerObserver } from './observer.ts';

/** What operators and their probes ask, on a port of its own. */
export interface Admin {
  /** Where it listens, without a slash at the end. */
  readonly url: string;
  stop(): Promise<void>;
}

export interface AdminOptions {
  readonly host: string;
  readonly port: number;
  /** Why no requests should come here now; empty where they may. */
  readonly unreadyFor: () => readonly string[];
  /** What is served as `/metrics`; null serves none. */
  readonly observer: Pick<ServerObserver, 'metrics' | 'metricsType'> | null;
}

interface Answer {
  readonly status: number;
  readonly type: string;
  readonly text: string;
}

const requestTimeoutMs = 5_000;
const connectionsCheckingInterval = 1_000;

/**
 * Serves `/livez`, `/readyz` and `/metrics`. What upstreams do is in neither of the first two: their failures are no
 * reason to move callers.
 */
export async function startAdmin({ host, port, unreadyFor, observer }: AdminOptions): Promise<Admin> {
  const pages: Pages = {
    // That it answers at all says that the event loop goes round.
    '/livez': () => json(200, { isAlive: true }),
    '/readyz': () => {
      const reasons = unreadyFor();
      return json(reasons.length === 0 ? 200 : 503, { isReady: reasons.length === 0, reasons });
    },
    ...(observer && {
      '/metrics': async () => ({ status: 200, type: observer.metricsType, text: await observer.metrics() }),
    }),
  };
  const server = createServer({ requestTimeout: requestTimeoutMs, connectionsCheckingInterval });
  server.on('request', async (request, response) => {
    const { status, type, text } = await answerTo(request, pages);
    response.writeHead(status, { 'content-type': type, 'cache-control': 'no-store' });
    response.end(request.method === 'HEAD' ? undefined : text);
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

type Pages = Readonly<Record<string, () => Answer | Promise<Answer>>>;

function answerTo({ method, url = '' }: IncomingMessage, pages: Pages): Answer | Promise<Answer> {
  const path = url.split('?')[0] ?? '';
  const page = Object.hasOwn(pages, path) ? pages[path] : undefined;
  if (!page) return json(404, { error: `${STATUS_CODES[404]}: ${Object.keys(pages).join(', ')}` });
  if (method !== 'GET' && method !== 'HEAD') return json(405, { error: STATUS_CODES[405] });
  return page();
}

const json = (status: number, body: object): Answer => ({
  status,
  type: 'application/json; charset=utf-8',
  text: JSON.stringify(body),
});
