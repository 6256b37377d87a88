import type { IncomingHttpHeaders, IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type ExecutionResult, GraphQLError } from 'graphql';
import type { Logger } from 'pino';
import { endEventsAt, singleEvent } from '../../runtime/async-iterators.ts';
import type { Caller, CallerReader } from '../caller.ts';
import type { Executor } from '../execution/executor.ts';
import type { Responder } from '../execution/responder.ts';
import type { CarriedOperations, GraphqlRequest, Guard } from '../guard/guard.ts';
import type { Admission } from '../load/admission.ts';
import { type ConnectionLimiter, getConnectionKey } from '../load/connection-limits.ts';
import { startStream } from '../load/connections.ts';
import { holdSlot, onResponseClosed } from '../load/request-slots.ts';
import type { UnreadEvent, UnreadEventLimiter } from '../load/unread-bytes.ts';
import { streamPath } from '../paths.ts';
import { transportError } from '../rejection.ts';
import {
  invalidTimeout,
  negotiateEvents,
  readPayload,
  readTimeout,
  sendRejection,
  startQueryDeadline,
} from './http-request.ts';
import { isPreflightedGet, originNotAllowed } from './origins.ts';

export interface EventStreamOptions {
  readonly executor: Pick<Executor, 'subscribe'>;
  readonly responder: Pick<Responder, 'execute'>;
  readonly admission: Admission;
  readonly guard: Guard;
  readonly connections: ConnectionLimiter;
  readonly unread: UnreadEventLimiter;
  readonly isAllowedOrigin: (headers: IncomingMessage['headers']) => boolean;
  readonly callers: CallerReader;
  readonly requestTimeoutMs: number;
  readonly open: Set<ServerResponse>;
  readonly log: Logger;
}

/** Responds with server-sent events, one operation per connection. */
export interface EventStreams {
  handle(request: FastifyRequest, reply: FastifyReply, carries: CarriedOperations): Promise<unknown>;
  /** Responds to a request that the guard has accepted and that holds a slot. */
  respond(prepared: GraphqlRequest, request: FastifyRequest, reply: FastifyReply): Promise<unknown>;
  /** Ends the open streams without `complete`, which would tell the client not to reconnect. */
  endAll(): void;
}

// How long a client may read nothing while events are being sent.
const streamStallTimeoutMs = 30_000;

export function serveEventStreams(app: FastifyInstance, { handle }: Pick<EventStreams, 'handle'>): void {
  app.route({
    method: ['GET', 'POST'],
    exposeHeadRoute: false,
    url: streamPath,
    handler: (request, reply) => handle(request, reply, 'subscriptions'),
  });
}

export function createEventStreams(given: Omit<EventStreamOptions, 'open'>): EventStreams {
  const options: EventStreamOptions = { ...given, open: new Set() };
  const { admission, guard, callers } = options;

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
      return respond(prepared, request, reply, options);
    },
    async respond(prepared, request, reply) {
      const failure = checkStreamRequest(request, reply, options.isAllowedOrigin);
      if (failure) return sendFailure(failure, request, reply);
      return respond(prepared, request, reply, options);
    },
    endAll() {
      for (const response of options.open) response.end();
    },
  };
}

async function respond(
  prepared: GraphqlRequest,
  request: FastifyRequest,
  reply: FastifyReply,
  options: EventStreamOptions,
): Promise<unknown> {
  const { operation } = prepared.operation;
  const timeoutMs = readTimeout(request, options.requestTimeoutMs);
  if (operation !== 'subscription' && timeoutMs === null) return sendFailure(badTimeout, request, reply);
  if (operation === 'mutation' && request.method === 'GET')
    return sendFailure(mutationByGet, request, reply.header('allow', 'POST'));
  if (operation === 'subscription' && !startStream(reply.raw)) return reply.hijack();
  const release = options.connections.acquireEventStream(prepared.caller);
  if (!release) return sendFailure(tooManyConnections, request, reply.header('retry-after', '1'));
  onResponseClosed(reply.raw, release);
  if (operation === 'subscription') return streamSubscription(prepared, reply, options);
  const deadline = startQueryDeadline(prepared, request, reply, timeoutMs as number);
  const result = await options.responder.execute(prepared, deadline);
  await send(singleEvent(result), prepared, reply, options);
}

async function streamSubscription(
  prepared: GraphqlRequest,
  reply: FastifyReply,
  options: EventStreamOptions,
): Promise<void> {
  const response = reply.raw;
  if (response.destroyed) return;
  options.open.add(response);
  onResponseClosed(response, () => options.open.delete(response));
  const { caller } = prepared;
  const events = await options.executor.subscribe(prepared);
  // A running subscription holds no slot.
  caller.slot?.release();
  const results = 'next' in events ? untilTokenExpires(events, caller) : singleEvent(events);
  const unsubscribe = () => void results.return?.();
  if (response.destroyed) return unsubscribe();
  // Unsubscribes even while an event is awaited.
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
  const key = getConnectionKey(caller);
  try {
    await sendEvents(response, results, () => unread.reserve(key, () => response.destroy()));
  } catch (err) {
    log.error({ requestId: caller.requestId, err });
    response.destroy();
  }
}

/** Intermediaries must not cache, compress or buffer events. nginx buffers unless `x-accel-buffering` is `no`. */
const streamHeaders = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store, no-transform',
  'x-accel-buffering': 'no',
};

// Most proxies close connections that are silent for a minute.
const pingMs = 12_000;

/**
 * Sends results in the distinct-connections mode of the GraphQL over SSE protocol, then `complete`. The next result is
 * requested when the last one has been sent, so results do not accumulate.
 */
async function sendEvents(
  response: ServerResponse,
  results: AsyncIterable<ExecutionResult>,
  reserve: () => UnreadEvent | Promise<UnreadEvent>,
): Promise<void> {
  response.write(pingComment);
  const pings = setInterval(() => {
    if (!isResponseClosed(response) && response.writableLength === 0) response.write(pingComment);
  }, pingMs);
  try {
    for await (const result of results) {
      const event = await reserve();
      try {
        if (isResponseClosed(response)) return;
        const text = `event: next\ndata: ${JSON.stringify(result)}\n\n`;
        event.setSize(Buffer.byteLength(text));
        await writeUntilSent(response, text);
      } finally {
        event.release();
      }
    }
    if (!isResponseClosed(response)) response.end('event: complete\ndata:\n\n');
  } finally {
    clearInterval(pings);
  }
}

const isResponseClosed = ({ writableEnded, destroyed }: ServerResponse) => writableEnded || destroyed;

// Some browsers report the stream as open only after the first byte.
const pingComment = ':\n\n';

/** Resolves when the operating system has accepted the text, or the connection has closed. */
function writeUntilSent(response: ServerResponse, text: string): Promise<void> {
  return new Promise((resolve) => {
    response.once('close', resolve);
    response.write(text, () => {
      response.off('close', resolve);
      resolve();
    });
  });
}

/** A rejection by this transport, before or after the guard. */
type Failure = readonly [status: number, message: string, code: string];

const noPayload: Failure = [
  400,
  'The request has no GraphQL parameters. Send the operation as the text `query`, and `variables` as JSON.',
  'BAD_USER_INPUT',
];

const tooManyConnections: Failure = [
  503,
  'Too many connections are open. Close some, or try again later.',
  'OVERLOADED',
];

const badTimeout: Failure = [400, invalidTimeout, 'BAD_USER_INPUT'];

const mutationByGet: Failure = [
  405,
  'A GET cannot change anything. Send mutations by POST.',
  'BAD_USER_INPUT',
];

const sendFailure = ([status, message, code]: Failure, { id }: FastifyRequest, reply: FastifyReply) =>
  reply.code(status).send(transportError(message, code, id));

/** Returns why a client may not have an event stream; null if it may. */
function checkStreamRequest(
  request: FastifyRequest,
  { raw: response }: FastifyReply,
  isAllowedOrigin: (headers: IncomingHttpHeaders) => boolean,
): Failure | null {
  if (negotiateEvents(request.headers) === 'none')
    return [406, 'Event streams require the header `Accept: text/event-stream`.', 'BAD_USER_INPUT'];
  if (!isAllowedOrigin(request.headers)) return [403, originNotAllowed, 'FORBIDDEN'];
  if (request.method === 'GET' && !isPreflightedGet(request)) return [400, crossSiteGet, 'BAD_USER_INPUT'];
  // A pipelined request would wait for the response before it, which may never end.
  if (response.socket === null)
    return [400, 'Event streams cannot be pipelined. Use a connection for each.', 'BAD_USER_INPUT'];
  return null;
}

const crossSiteGet =
  'Another site can make a browser send this GET. Add the header `apollo-require-preflight: 1`, or use POST.';

/** Ends the events when the caller's verified token expires. */
function untilTokenExpires(
  events: AsyncIterableIterator<ExecutionResult>,
  { verified, requestId }: Caller,
): AsyncIterableIterator<ExecutionResult> {
  if (!verified) return events;
  const message = 'The token has expired. Sign in again and subscribe with the new one.';
  const error = new GraphQLError(message, { extensions: { code: 'UNAUTHENTICATED', requestId } });
  return endEventsAt(events, verified.expiresAt, { errors: [error] });
}
