import type { IncomingHttpHeaders } from 'node:http';
import type { GraphQLSchema } from 'graphql';
import type { Logger } from 'pino';
import type { ErrorCode } from '../errors.ts';
import { startAdmin } from './admin.ts';
import type { AnswerBytes } from './answer-bytes.ts';
import { createAnswers } from './answers.ts';
import { createApollo } from './apollo.ts';
import { createApp } from './app.ts';
import { type ConnectionLimits, createConnections } from './connections.ts';
import type { Documents } from './documents.ts';
import { createDrain, type DrainOptions } from './drain.ts';
import { createEntry } from './entry.ts';
import { serveEventStreams } from './event-streams.ts';
import type { Executor } from './executor.ts';
import type { Guard } from './guard.ts';
import { startLoopDelay } from './loop-delay.ts';
import type { ServerObserver } from './observer.ts';
import { createOriginCheck, isLocalHost } from './origins.ts';
import { type PagesOptions, servePages } from './pages.ts';
import { serveQueries } from './queries.ts';
import type { RequestRate } from './request-rate.ts';
import { createSending } from './sending.ts';
import { createShedding } from './shedding.ts';
import { serveWebSockets } from './sockets.ts';
import { createUnreadEvents } from './unread.ts';
import { createWaitingSubscriptions } from './waiting-subscriptions.ts';
import { type ReceiveNotification, serveWebhooks } from './webhooks.ts';

export interface ServerOptions extends ConnectionLimits {
  readonly host: string;
  readonly port: number;
  readonly schema: GraphQLSchema;
  readonly executor: Executor;
  readonly documents: Documents;
  readonly guard: Guard;
  readonly managementHeader: string;
  /** How long a query may take, in milliseconds. */
  readonly requestTimeoutMs: number;
  /** Whose pages may use the graph, beside this server's own. */
  readonly origins: readonly string[];
  /** Whether callers need no token: then they are let in from this machine alone. */
  readonly isLocalOnly: boolean;
  /** How many subscriptions may run on one WebSocket. */
  readonly maxSubscriptions: number;
  /** How many requests are worked on at once. */
  readonly maxRequests: number;
  /** How many of them may be one caller's, in weights. */
  readonly maxRequestsPerCaller: number;
  /** How many services the upstreams are. */
  readonly areas: number;
  /** Null where callers may send as many requests a second as they like. */
  readonly requestRate: RequestRate | null;
  readonly maxLoopDelayMs: number;
  /** How long the answer to a query may be. */
  readonly maxAnswerBytes: number;
  readonly answerBytes: AnswerBytes;
  /** Called for every request that is refused by its caller's rate, or whose answer is too long. */
  readonly onRefused: (code: ErrorCode, requestId: string) => void;
  /** Where operators ask; null serves them nothing. */
  readonly admin: { readonly host: string; readonly port: number } | null;
  readonly drain: Omit<DrainOptions, 'log'>;
  /** Null where nobody reads metrics. */
  readonly observer: ServerObserver | null;
  /** Null serves no pages. */
  readonly pages: PagesOptions | null;
  /** Null takes no notifications. */
  readonly receiveNotification: ReceiveNotification | null;
  readonly log: Logger;
}

export interface Server {
  /** Where it listens, without a slash at the end. */
  readonly url: string;
  /** The same of what operators ask; null where that is off. */
  readonly adminUrl: string | null;
  /** Takes no new requests, lets those in flight finish, closes sockets and streams. */
  stop(): Promise<void>;
}

// Many who come at once are refused in a moment. Who finds no place in the queue for that tries again in seconds.
const backlog = 4_096;

/** Serves the graph over HTTP, WebSocket and server-sent events, and the pages. */
export async function startServer(options: ServerOptions): Promise<Server> {
  const { schema, executor, documents, guard, managementHeader, origins, log } = options;
  const loopDelay = startLoopDelay();
  const shedding = createShedding({ ...options, loopDelay });
  const { isDraining, watch, drain } = createDrain({ ...options.drain, log });
  const app = await createApp({ ...options, shedding, watch });
  const answers = createAnswers(executor, log);
  const apollo = createApollo({ schema, executor: answers, documents, log });
  await apollo.start();

  const connections = createConnections(options);
  const entry = createEntry({ ...options, shedding, maxUnidentified: options.maxRequests });
  const { isAllowed } = createOriginCheck(origins);
  const isAllowedOrigin = (headers: IncomingHttpHeaders) =>
    isAllowed(headers) && (!options.isLocalOnly || isLocalHost(headers));
  const unread = createUnreadEvents();
  const shared = { executor, entry, guard, connections, unread, isAllowedOrigin, managementHeader, log };
  serveQueries(app, { apollo, entry, guard, answers, sending: createSending(options) }, options);
  const closeStreams = serveEventStreams(app, shared);
  if (options.receiveNotification) serveWebhooks(app, options.receiveNotification, shedding);
  if (options.pages) await servePages(app, options.pages);
  const { maxSubscriptions } = options;
  const closeSockets = serveWebSockets(app.server, {
    ...shared,
    schema,
    waiting: createWaitingSubscriptions(entry, shedding),
    maxSubscriptions,
  });
  options.observer?.follow(() => ({
    requestsInFlight: shedding.use().held,
    requestsWaiting: shedding.use().waiting,
    sockets: connections.count('sockets'),
    eventStreams: connections.count('eventStreams'),
    loopDelayMs: loopDelay.lastingMs(),
  }));
  const url = await app.listen({ host: options.host, port: options.port, backlog });
  const unreadyFor = () => (isDraining() ? ['draining'] : []);
  const admin =
    options.admin && (await startAdmin({ ...options.admin, unreadyFor, observer: options.observer }));

  return {
    url,
    adminUrl: admin?.url ?? null,
    async stop() {
      await drain(async () => {
        closeStreams();
        await closeSockets();
      });
      await apollo.stop();
      await app.close();
      loopDelay.stop();
      await admin?.stop();
    },
  };
}
