import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type ExecutionResult, GraphQLError } from 'graphql';
import type { Logger } from 'pino';
import { singleEvent } from '../../runtime/async-iterators.ts';
import { endEventsAt } from '../../runtime/stream-lifecycle.ts';
import type { Caller, CallerReader } from '../caller.ts';
import { transportError } from '../errors.ts';
import type { Executor } from '../execution/executor.ts';
import type { Guard } from '../guard/guard.ts';
import type { Admission } from '../load/admission.ts';
import { type ConnectionLimiter, connectionKeyOf } from '../load/connection-limits.ts';
import { holdSlot } from '../load/request-slots.ts';
import type { UnreadEventLimiter } from '../load/unread-events.ts';
import { streamPath } from '../paths.ts';
import type { GraphqlRequest } from '../request.ts';
import { createOpenStreams, type OpenStreams } from './open-streams.ts';
import { isPreflightedGet, originNotAllowed } from './origins.ts';
import { readPayload } from './payload.ts';
import { sendRejection } from './send-rejection.ts';
import { sendEvents } from './server-sent-events.ts';

export interface EventStreamOptions {
  readonly executor: Executor;
  readonly admission: Admission;
  readonly guard: Guard;
  readonly connections: ConnectionLimiter;
  readonly unread: UnreadEventLimiter;
  readonly isAllowedOrigin: (headers: IncomingMessage['headers']) => boolean;
  readonly callers: CallerReader;
  readonly log: Logger;
}

// How long a client may read nothing while events are being sent.
const streamStallTimeoutMs = 30_000;

/** Serves subscriptions over server-sent events, one operation per connection. Returns a function that closes them. */
export function serveEventStreams(app: FastifyInstance, options: EventStreamOptions): () => void {
  const { admission, guard, connections, callers } = options;
  const streams = createOpenStreams();

  app.route({
    method: ['GET', 'POST'],
    exposeHeadRoute: false,
    url: streamPath,
    async handler(request, reply) {
      const fail = ([status, message, code]: Failure) =>
        reply.code(status).send(transportError(message, code, request.id));
      const failure = checkRequest(request, reply, options);
      if (failure) return fail(failure);
      const payload = readPayload(request);
      if (payload === null) return fail(noPayload);
      const caller = await admission.admit(callers.fromRequest(request));
      if ('errors' in caller) return sendRejection(reply, request, caller);
      holdSlot(reply.raw, caller.slot);
      const prepared = await guard.prepare(payload, caller, 'subscriptions');
      if ('errors' in prepared) return sendRejection(reply, request, prepared);
      const release = connections.acquireBoth('eventStreams', prepared.caller);
      if (!release) {
        reply.header('retry-after', '1');
        return fail(tooManyConnections);
      }
      request.raw.socket.setTimeout(streamStallTimeoutMs);
      if (streams.add(reply.raw, release)) await stream(prepared, reply, streams, options);
    },
  });
  return streams.close;
}

async function stream(
  request: GraphqlRequest,
  reply: FastifyReply,
  streams: OpenStreams,
  { executor, unread, log }: EventStreamOptions,
): Promise<void> {
  const response = reply.raw;
  const { caller } = request;
  const events = await executor.subscribe(request);
  // The subscription has started: it is no longer a request in progress.
  caller.slot?.release();
  const results = 'next' in events ? untilTokenExpires(events, caller) : singleEvent(events);
  const unsubscribe = () => void results.return?.();
  if (!streams.canStart(response)) return unsubscribe();
  // Also unsubscribes while an event is awaited.
  response.once('close', unsubscribe);
  reply.hijack();
  response.writeHead(200, { ...(reply.getHeaders() as OutgoingHttpHeaders), ...streamHeaders });
  const key = connectionKeyOf(caller);
  try {
    await sendEvents(response, results, () => unread.reserve(key, () => response.destroy()));
  } catch (err) {
    log.error({ requestId: caller.requestId, err });
    response.destroy();
  }
}

// Events must not be cached, compressed or buffered by intermediaries.
const streamHeaders = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store, no-transform',
};

type Failure = readonly [status: number, message: string, code: string];

const noPayload: Failure = [
  400,
  'The request has no GraphQL parameters. Send the subscription as the text `query`, and `variables` as JSON.',
  'BAD_USER_INPUT',
];

const tooManyConnections: Failure = [
  503,
  'Too many connections are open. Close some, or try again later.',
  'OVERLOADED',
];

function checkRequest(
  request: FastifyRequest,
  { raw: response }: FastifyReply,
  { isAllowedOrigin }: EventStreamOptions,
): Failure | null {
  if (!request.headers.accept?.includes('text/event-stream'))
    return [406, 'Event streams require the header `Accept: text/event-stream`.', 'BAD_USER_INPUT'];
  if (!isAllowedOrigin(request.headers)) return [403, originNotAllowed, 'FORBIDDEN'];
  if (request.method === 'GET' && !isPreflightedGet(request)) return [400, crossSiteGet, 'BAD_USER_INPUT'];
  // A pipelined request: its response would wait for the one before, which may never end.
  if (response.socket === null)
    return [400, 'Event streams cannot be pipelined. Use a connection for each.', 'BAD_USER_INPUT'];
  return null;
}

const crossSiteGet =
  'Another site can make a browser send this GET. Add the header `apollo-require-preflight: 1`, or subscribe by POST.';

/** Ends the events when the caller's verified token expires. */
function untilTokenExpires(
  events: AsyncIterableIterator<ExecutionResult>,
  { verified, requestId }: Caller,
): AsyncIterableIterator<ExecutionResult> {
  return verified ? endEventsAt(events, verified.expiresAt, tokenExpiredResult(requestId)) : events;
}

const tokenExpiredResult = (requestId: string): ExecutionResult => ({
  errors: [
    new GraphQLError('The token has expired. Sign in again and subscribe with the new one.', {
      extensions: { code: 'UNAUTHENTICATED', requestId },
    }),
  ],
});
