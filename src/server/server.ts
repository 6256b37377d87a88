import type { FastifyPluginAsync } from 'fastify';
import type { Logger } from 'pino';
import { startAdminServer } from './admin-server.ts';
import { createApp, enableCors, rejectUnmatchedRequests } from './app.ts';
import { createConnections, type DrainOptions } from './load/connections.ts';
import type { ServerObserver } from './observer.ts';
import type { Service } from './service.ts';

export interface ServerOptions {
  readonly host: string;
  readonly port: number;
  readonly managementHeader: string;
  /** Origins allowed by CORS, in addition to the server's own pages. */
  readonly origins: readonly string[];
  /** Where to serve probes and metrics; null disables them. */
  readonly admin: { readonly host: string; readonly port: number } | null;
  readonly drain: Omit<DrainOptions, 'log'>;
  /** Null if metrics are off. */
  readonly observer: ServerObserver | null;
  readonly log: Logger;
}

export interface Server {
  /** Base URL, without a trailing slash. */
  readonly url: string;
  /** Base URL of the admin server; null if it is off. */
  readonly adminUrl: string | null;
  /** Accepts no new requests, lets those in flight finish, closes WebSockets and event streams. */
  stop(): Promise<void>;
}

// Large enough to accept, and if necessary reject, a burst of connections: a client outside the backlog retries only after
// seconds.
const backlog = 4_096;

/** Starts the HTTP server of a service, and the admin server. */
export async function startServer(service: Service, options: ServerOptions): Promise<Server> {
  const openConnections = createConnections({ ...options.drain, log: options.log });
  const app = createApp(openConnections);
  const closeSockets = await service.serve(app, async () => {
    if (options.origins.length > 0) await enableCors(app, options.origins, [options.managementHeader]);
    rejectUnmatchedRequests(app);
  });
  const url = await app.listen({ host: options.host, port: options.port, backlog });
  const notReadyReasons = () => (openConnections.isDraining() ? ['draining'] : []);
  const admin =
    options.admin &&
    (await startAdminServer({ ...options.admin, notReadyReasons, observer: options.observer }));

  return {
    url,
    adminUrl: admin?.url ?? null,
    async stop() {
      await openConnections.stopServers(closeSockets);
      await app.close();
      await admin?.stop();
    },
  };
}

/** Creates the plugin for a host's Fastify server, which is responsible for connections, timeouts and drain. */
export const createPlugin =
  (service: Service): FastifyPluginAsync =>
  async (app) => {
    if (app.prefix !== '')
      throw new Error('The paths of Tributary are fixed. Register its plugin without a prefix.');
    const closeSockets = await service.serve(app);
    app.addHook('preClose', async () => {
      service.endStreams();
      await closeSockets();
    });
  };
