import type { IncomingHttpHeaders } from 'node:http';
import type { GraphQLSchema } from 'graphql';
import type { Logger } from 'pino';
import { startAdminServer } from './admin-server.ts';
import { createApp } from './app.ts';
import { createCallerReader } from './caller.ts';
import type { Executor } from './execution/executor.ts';
import { createResponder } from './execution/responder.ts';
import type { Documents } from './guard/documents.ts';
import type { Guard } from './guard/guard.ts';
import { createAdmission, createSubscriptionQueue, type RequestRateLimiter } from './load/admission.ts';
import { type ConnectionLimits, createConnectionLimiter } from './load/connection-limits.ts';
import { createConnections, type DrainOptions } from './load/connections.ts';
import { createLoadShedder, type LoadLimits, monitorEventLoopDelay } from './load/shedding.ts';
import type { ByteAccounts } from './load/unread-bytes.ts';
import { createResponseLimit, createUnreadEventLimiter } from './load/unread-bytes.ts';
import type { ServerObserver } from './observer.ts';
import { type PagesOptions, servePages } from './pages/pages.ts';
import type { OnRejected } from './rejection.ts';
import { createApollo } from './transports/apollo.ts';
import { createEventStreams, serveEventStreams } from './transports/event-streams.ts';
import { type FilesOptions, serveFiles } from './transports/files.ts';
import { serveGraphqlOverHttp } from './transports/graphql-over-http.ts';
import { createOriginCheck, isLocalHost } from './transports/origins.ts';
import { type ReceiveNotification, serveWebhooks } from './transports/webhooks.ts';
import { type SocketLimits, serveWebSockets } from './transports/websockets.ts';

/** Limits of connections, requests and subscriptions. */
export interface ServerLimits extends ConnectionLimits, LoadLimits, SocketLimits {}

export interface ServerOptions {
  readonly limits: ServerLimits;
  readonly host: string;
  readonly port: number;
  readonly schema: GraphQLSchema;
  readonly executor: Executor;
  readonly documents: Documents;
  readonly guard: Guard;
  readonly managementHeader: string;
  /** Maximum duration of a query, in milliseconds. */
  readonly requestTimeoutMs: number;
  /** Origins allowed by CORS, in addition to the server's own pages. */
  readonly origins: readonly string[];
  /** The origin of the server's own pages where a proxy changes `host`; null if that is never changed. */
  readonly publicOrigin: string | null;
  /** Whether to accept requests from this machine only, because callers need no token. */
  readonly isLocalOnly: boolean;
  /** Number of upstream services that are configured. */
  readonly upstreamCount: number;
  /** Null if the rate is not limited. */
  readonly requestRate: RequestRateLimiter | null;
  /** Returns the number of writes to records made so far, through any replica as far as known. */
  readonly countWrites: () => number;
  readonly responseBytes: ByteAccounts;
  /** Called for every request rejected by its caller's rate, or whose response is too large. */
  readonly onRejected: OnRejected;
  /** Where to serve probes and metrics; null disables them. */
  readonly admin: { readonly host: string; readonly port: number } | null;
  readonly drain: Omit<DrainOptions, 'log'>;
  /** Null if metrics are off. */
  readonly observer: ServerObserver | null;
  readonly files: Pick<FilesOptions, 'maxUploadBytes' | 'open'>;
  /** Null serves no pages. */
  readonly pages: PagesOptions | null;
  /** Null accepts no webhook notifications. */
  readonly receiveNotification: ReceiveNotification | null;
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

// Long enough for a burst of new connections to be accepted and rejected; a client outside the backlog would
// retry only after seconds.
const backlog = 4_096;

// An open file takes up to a third of a megabyte. It is no request: its reader may be slow.
const fileLimits: ConnectionLimits = { maxSockets: 500, maxSocketsPerCaller: 100 };

/**
 * Starts the HTTP server: GraphQL over HTTP, WebSocket and server-sent events, webhooks, pages, and the admin
 * server.
 */
export async function startServer(options: ServerOptions): Promise<Server> {
  const { schema, executor, documents, guard, log } = options;
  const loopDelay = monitorEventLoopDelay();
  const shedding = createLoadShedder({ ...options, loopDelay });
  const openConnections = createConnections({ ...options.drain, log });
  const app = await createApp({ ...options, shedding, openConnections });
  const responder = createResponder(executor, log, options.countWrites);
  const apollo = createApollo({ schema, executor: responder, documents, log });
  await apollo.start();

  const connections = createConnectionLimiter(options.limits, shedding.countRejection);
  const admission = createAdmission({ ...options, shedding });
  const { isAllowed } = createOriginCheck(options);
  const isAllowedOrigin = (headers: IncomingHttpHeaders) =>
    isAllowed(headers) && (!options.isLocalOnly || isLocalHost(headers));
  const callers = createCallerReader(options.managementHeader);
  const unread = createUnreadEventLimiter();
  const shared = { executor, admission, guard, connections, unread, isAllowedOrigin, callers, log };
  const streams = createEventStreams({ ...shared, responder, requestTimeoutMs: options.requestTimeoutMs });
  serveGraphqlOverHttp(
    app,
    { apollo, admission, guard, responder, streams, limitResponse: createResponseLimit(options) },
    { ...options, callers, cacheKeyHeaders: [options.managementHeader] },
  );
  serveEventStreams(app, streams);
  serveFiles(app, {
    ...options.files,
    admission,
    callers,
    isAllowedOrigin,
    streams: createConnectionLimiter(fileLimits, shedding.countRejection),
  });
  if (options.receiveNotification) serveWebhooks(app, options.receiveNotification, shedding);
  if (options.pages) servePages(app, options.pages);
  const closeSockets = serveWebSockets(app.server, {
    ...shared,
    schema,
    subscriptionQueue: createSubscriptionQueue(admission, shedding),
    limits: options.limits,
  });
  options.observer?.observeState(() => ({
    requestsInFlight: shedding.usage().held,
    sockets: connections.countOpen('sockets'),
    eventStreams: connections.countOpen('eventStreams'),
    loopDelayMs: loopDelay.sustainedMs(),
  }));
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
      await apollo.stop();
      await app.close();
      loopDelay.stop();
      await admin?.stop();
    },
  };
}
