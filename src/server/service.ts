import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { FastifyInstance } from 'fastify';
import type { ExecutionResult, GraphQLSchema } from 'graphql';
import type { Logger } from 'pino';
import { startDeadline } from '../runtime/deadline.ts';
import { applyRequestRules, type RequestRulesOptions } from './app.ts';
import { createCallerReader, readRequestId } from './caller.ts';
import type { Executor } from './execution/executor.ts';
import { createResponder } from './execution/responder.ts';
import type { Documents } from './guard/documents.ts';
import type { GraphqlPayload, Guard } from './guard/guard.ts';
import { createAdmission, createSubscriptionQueue, type RequestRateLimiter } from './load/admission.ts';
import { type ConnectionLimits, createConnectionLimiter } from './load/connection-limits.ts';
import { createLoadShedder, type LoadLimits, monitorEventLoopDelay } from './load/shedding.ts';
import { type ByteAccounts, createResponseLimit, createUnreadEventLimiter } from './load/unread-bytes.ts';
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

export interface ServiceLimits extends ConnectionLimits, LoadLimits, SocketLimits {}

export interface ServiceOptions extends Omit<RequestRulesOptions, 'shedding'> {
  readonly limits: ServiceLimits;
  readonly schema: GraphQLSchema;
  readonly executor: Executor;
  readonly documents: Documents;
  readonly guard: Guard;
  readonly managementHeader: string;
  /** Maximum duration of a query, in milliseconds. */
  readonly requestTimeoutMs: number;
  /** Number of upstream services that are configured. */
  readonly upstreamCount: number;
  /** Null if the rate is not limited. */
  readonly requestRate: RequestRateLimiter | null;
  /** Returns the number of writes to records so far, including known writes of other replicas. */
  readonly countWrites: () => number;
  readonly responseBytes: ByteAccounts;
  /** Called for every request rejected by its caller's rate, or whose response is too large. */
  readonly onRejected: OnRejected;
  /** Null if metrics are off. */
  readonly observer: ServerObserver | null;
  readonly files: Pick<FilesOptions, 'maxUploadBytes' | 'open'>;
  /** Null serves no pages. */
  readonly pages: PagesOptions | null;
  /** Null accepts no webhook notifications. */
  readonly receiveNotification: ReceiveNotification | null;
  readonly log: Logger;
}

/** The graph for any Fastify server. */
export interface Service {
  /**
   * Adds the hooks and routes to a Fastify instance, and WebSockets to its server. `beforeRoutes` can add more hooks.
   * Returns the function that closes the open WebSockets.
   */
  serve(app: FastifyInstance, beforeRoutes?: () => Promise<void>): Promise<() => Promise<void>>;
  endStreams(): void;
  /** Executes a query or mutation of a caller in this process, with the same checks as over HTTP. */
  execute(payload: GraphqlPayload, headers: IncomingHttpHeaders): Promise<ExecutionResult>;
  stop(): Promise<void>;
}

// An open file takes up to a third of a megabyte. It holds no request slot, since its reader may be slow.
const fileLimits: ConnectionLimits = { maxSockets: 500, maxSocketsPerCaller: 100 };

/** Creates the graph over HTTP, WebSocket and server-sent events, with files, webhooks and pages. */
export async function createService(options: ServiceOptions): Promise<Service> {
  const { schema, executor, documents, guard, log } = options;
  const loopDelay = monitorEventLoopDelay();
  const shedding = createLoadShedder({ ...options, loopDelay });
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
  options.observer?.observeState(() => ({
    requestsInFlight: shedding.usage().held,
    sockets: connections.countOpen('sockets'),
    eventStreams: connections.countOpen('eventStreams'),
    loopDelayMs: loopDelay.sustainedMs(),
  }));

  return {
    async serve(app, beforeRoutes) {
      applyRequestRules(app, { ...options, shedding });
      await beforeRoutes?.();
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
      return serveWebSockets(app.server, {
        ...shared,
        schema,
        subscriptionQueue: createSubscriptionQueue(admission, shedding),
        limits: options.limits,
      });
    },
    endStreams: streams.endAll,
    async execute(payload, headers) {
      // All callers in this process count as one peer.
      const socket = { remoteAddress: '' } as IncomingMessage['socket'];
      const caller = await admission.admit(
        callers.fromRequest({ headers, id: readRequestId({ headers }), raw: { socket } }),
      );
      if ('errors' in caller) return { errors: caller.errors };
      const deadline = startDeadline(options.requestTimeoutMs);
      try {
        const prepared = await guard.prepare(payload, caller, 'queries');
        if ('errors' in prepared) return { errors: prepared.errors };
        const isQuery = prepared.operation.operation === 'query';
        return await responder.execute(prepared, isQuery ? deadline : null);
      } finally {
        deadline.end();
        caller.slot.release();
      }
    },
    async stop() {
      await apollo.stop();
      loopDelay.stop();
    },
  };
}
