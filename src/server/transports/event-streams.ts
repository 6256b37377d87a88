import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { ExecutionResult } from 'graphql';
import type { Logger } from 'pino';
import { singleEvent } from '../../runtime/async-iterators.ts';
import type { CallerReader } from '../caller.ts';
import type { Executor } from '../execution/executor.ts';
import type { Responder } from '../execution/responder.ts';
import type { CarriedOperations, Guard } from '../guard/guard.ts';
import type { Admission } from '../load/admission.ts';
import { type ConnectionLimiter, connectionKeyOf } from '../load/connection-limits.ts';
import { startStream } from '../load/one-at-a-time.ts';
import { holdSlot, onResponseClosed } from '../load/request-slots.ts';
import type { UnreadEventLimiter } from '../load/unread-events.ts';
import { streamPath } from '../paths.ts';
import type { GraphqlRequest } from '../request.ts';
import { readPayload } from './payload.ts';
import { readTimeout, startQueryDeadline } from './query-deadline.ts';
import { sendRejection } from './send-rejection.ts';
import { sendEvents, streamHeaders } from './server-sent-events.ts';
import {
  badTimeout,
  checkStreamRequest,
  mutationByGet,
  noPayload,
  sendFailure,
  tooManyConnections,
} from './stream-rejections.ts';
import { untilTokenExpires } from './token-expiry.ts';

export interface EventStreamOptions {
  readonly executor: Pick<Executor, 'subscribe'>;
  readonly responder: Pick<Responder, 'execute'>;
  readonly admission: Admission;
  readonly guard: Guard;
  readonly connections: ConnectionLimiter;
  readonly unread: UnreadEventLimiter;
  readonly isAllowedOrigin: (headers: IncomingMessage['headers']) => boolean;
  readonly callers: CallerReader;
  /** Maximum duration of a query. */
  readonly requestTimeoutMs: number;
  readonly log: Logger;
}

/** Responds with server-sent events, one operation per connection. */
export interface EventStreams {
  handle(request: FastifyRequest, reply: FastifyReply, carries: CarriedOperations): Promise<unknown>;
  /** Responds to a request that the guard has accepted, and whose slot is held. */
  respond(prepared: GraphqlRequest, request: FastifyRequest, reply: FastifyReply): Promise<unknown>;
  close(): void;
}

// How long a client may read nothing while events are being sent.
const streamStallTimeoutMs = 30_000;

/** Serves subscriptions over server-sent events. */
export function serveEventStreams(app: FastifyInstance, { handle }: Pick<EventStreams, 'handle'>): void {
  app.route({
    method: ['GET', 'POST'],
    exposeHeadRoute: false,
    url: streamPath,
    handler: (request, reply) => handle(request, reply, 'subscriptions'),
  });
}

export function createEventStreams(options: EventStreamOptions): EventStreams {
  const { admission, guard, callers } = options;
  const open = createOpenStreams();

  return {
    async handle(request, reply, carries) {
      const failure = checkStreamRequest(request, reply, options.isAllowedOrigin);
      if (failure) return sendFailure(failure, request, reply);
      const payload = readPayload(request);
      if (payload === null) return sendFailure(noPayload, request, reply);
      const caller = await admission.admit(callers.fromRequest(request));
      if ('errors' in caller) return sendRejection(reply, request, caller);
      holdSlot(reply.raw, caller.slot);
      const prepared = await guard.prepare(payload, caller, carries);
      if ('errors' in prepared) return sendRejection(reply, request, prepared);
      return respond(prepared, request, reply, open, options);
    },
    async respond(prepared, request, reply) {
      const failure = checkStreamRequest(request, reply, options.isAllowedOrigin);
      if (failure) return sendFailure(failure, request, reply);
      return respond(prepared, request, reply, open, options);
    },
    close: open.close,
  };
}

async function respond(
  prepared: GraphqlRequest,
  request: FastifyRequest,
  reply: FastifyReply,
  open: OpenStreams,
  options: EventStreamOptions,
): Promise<unknown> {
  const { operation } = prepared.operation;
  const timeoutMs = readTimeout(request, options.requestTimeoutMs);
  if (operation !== 'subscription' && timeoutMs === null) return sendFailure(badTimeout, request, reply);
  if (operation === 'mutation' && request.method === 'GET')
    return sendFailure(mutationByGet, request, reply.header('allow', 'POST'));
  if (operation === 'subscription' && !startStream(reply.raw)) return reply.hijack();
  const release = options.connections.acquireBoth('eventStreams', prepared.caller);
  if (!release) return sendFailure(tooManyConnections, request, reply.header('retry-after', '1'));
  if (operation === 'subscription') {
    if (open.add(reply.raw, release)) await streamSubscription(prepared, reply, open, options);
    return;
  }
  onResponseClosed(reply.raw, release);
  const deadline = startQueryDeadline(prepared, request, reply, timeoutMs as number);
  const result = await options.responder.execute(prepared, deadline);
  await send(singleEvent(result), prepared, reply, options);
}

async function streamSubscription(
  prepared: GraphqlRequest,
  reply: FastifyReply,
  open: OpenStreams,
  options: EventStreamOptions,
): Promise<void> {
  const response = reply.raw;
  const { caller } = prepared;
  const events = await options.executor.subscribe(prepared);
  // The subscription has started: it is no longer a request in progress.
  caller.slot?.release();
  const results = 'next' in events ? untilTokenExpires(events, caller) : singleEvent(events);
  const unsubscribe = () => void results.return?.();
  if (!open.canStart(response)) return unsubscribe();
  // Also unsubscribes while an event is awaited.
  response.once('close', unsubscribe);
  await send(results, prepared, reply, options);
}

async function send(
  results: AsyncIterable<ExecutionResult>,
  { caller }: GraphqlRequest,
  reply: FastifyReply,
  { unread, log }: EventStreamOptions,
): Promise<void> {
  const response = reply.raw;
  reply.hijack();
  if (response.destroyed) return;
  response.socket?.setTimeout(streamStallTimeoutMs);
  response.writeHead(200, { ...(reply.getHeaders() as OutgoingHttpHeaders), ...streamHeaders });
  const key = connectionKeyOf(caller);
  try {
    await sendEvents(response, results, () => unread.reserve(key, () => response.destroy()));
  } catch (err) {
    log.error({ requestId: caller.requestId, err });
    response.destroy();
  }
}

/** Event streams of the process, from before they start until their connections close. */
export interface OpenStreams {
  /** Calls `onClose` when the response closes. Returns false if it is closed already. */
  add(response: ServerResponse, onClose: () => void): boolean;
  /** Whether a stream may start. Disconnects the client if streams are being closed. */
  canStart(response: ServerResponse): boolean;
  close(): void;
}

function createOpenStreams(): OpenStreams {
  const responses = new Set<ServerResponse>();
  let isClosing = false;

  return {
    add(response, onClose) {
      if (response.destroyed) {
        onClose();
        return false;
      }
      responses.add(response);
      response.once('close', () => {
        responses.delete(response);
        onClose();
      });
      return true;
    },

    canStart(response) {
      if (isClosing) response.destroy();
      return !response.destroyed;
    },

    close() {
      isClosing = true;
      for (const response of responses) {
        // The stream has not started: `canStart` will close it.
        if (!response.headersSent) continue;
        // No `complete` event: it would tell the client not to reconnect.
        response.on('error', () => {});
        response.end();
      }
    },
  };
}
