import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { type ExecutionResult, GraphQLError } from 'graphql';
import type { Logger } from 'pino';
import { onlyEvent } from '../operations/map-events.ts';
import { hold } from './admission.ts';
import { type Caller, callerOf } from './caller.ts';
import { type Connections, nameOf } from './connections.ts';
import type { Entry } from './entry.ts';
import { transportError } from './errors.ts';
import type { Executor, Request } from './executor.ts';
import type { Guard } from './guard.ts';
import { isMeantGet, otherOrigin } from './origins.ts';
import { graphqlPath, payloadOf, refuse } from './queries.ts';
import { sendEvents } from './server-sent-events.ts';
import type { UnreadEvents } from './unread.ts';

export interface EventStreamOptions {
  readonly executor: Executor;
  readonly entry: Entry;
  readonly guard: Guard;
  readonly connections: Connections;
  readonly unread: UnreadEvents;
  readonly isAllowedOrigin: (headers: IncomingMessage['headers']) => boolean;
  readonly managementHeader: string;
  readonly log: Logger;
}

/** Where subscriptions are served as server-sent events. */
export const streamPath = `${graphqlPath}/stream`;

// How long a client may take nothing of what is there for it.
const stalledMs = 30_000;
const longestTimerMs = 2 ** 31 - 1;

/** Subscriptions by server-sent events, one operation a connection. Returns how to close them. */
export function serveEventStreams(app: FastifyInstance, options: EventStreamOptions): () => void {
  const { executor, entry, guard, connections, unread, isAllowedOrigin, managementHeader, log } = options;
  const open = new Set<ServerResponse>();
  let isClosing = false;

  const stream = async (request: Request, reply: FastifyReply) => {
    const response = reply.raw;
    const { caller } = request;
    const events = await executor.subscribe(request);
    // It is no longer a request that waits for its answer.
    caller.place?.release();
    const results = 'next' in events ? lasting(events, caller) : onlyEvent(events);
    const leave = () => void results.return?.();
    if (isClosing) response.destroy();
    if (response.destroyed) return leave();
    // Also while an event is waited for.
    response.once('close', leave);
    reply.hijack();
    response.writeHead(200, { ...(reply.getHeaders() as OutgoingHttpHeaders), ...streamHeaders });
    const name = nameOf(caller);
    try {
      await sendEvents(response, results, () => unread.reserve(name, () => response.destroy()));
    } catch (err) {
      log.error({ requestId: caller.requestId, err });
      response.destroy();
    }
  };

  app.route({
    method: ['GET', 'POST'],
    exposeHeadRoute: false,
    url: streamPath,
    async handler(request, reply) {
      const say = (status: number, message: string, code: string) =>
        reply.code(status).send(transportError(message, code, request.id));
      if (!request.headers.accept?.includes('text/event-stream'))
        return say(406, 'Ask for the stream with the header `Accept: text/event-stream`.', 'BAD_USER_INPUT');
      if (!isAllowedOrigin(request.headers)) return say(403, otherOrigin, 'FORBIDDEN');
      if (request.method === 'GET' && !isMeantGet(request)) return say(400, unmeantGet, 'BAD_USER_INPUT');
      // Answers of requests sent ahead wait for one another: theirs would wait for ever, and nobody tell of their end.
      if (reply.raw.socket === null)
        return say(400, 'Ask for each stream on a connection of its own.', 'BAD_USER_INPUT');
      const payload = payloadOf(request);
      if (payload === null)
        return say(
          400,
          'Send the subscription as the text `query`, and `variables` as JSON.',
          'BAD_USER_INPUT',
        );
      const caller = await entry.enter(callerOf(request, managementHeader));
      if ('errors' in caller) return refuse(reply, request, caller);
      hold(reply.raw, caller.place);
      const prepared = await guard.prepare(payload, caller, 'subscriptions');
      if ('errors' in prepared) return refuse(reply, request, prepared);
      const places = [connections.open('eventStreams'), connections.openFor(prepared.caller)];
      const release = () => {
        for (const place of places) place?.();
      };
      if (places.includes(null)) {
        release();
        reply.header('retry-after', '1');
        return say(503, 'Too many connections are open. Close some, or try again later.', 'OVERLOADED');
      }
      request.raw.socket.setTimeout(stalledMs);
      open.add(reply.raw);
      const forget = () => {
        open.delete(reply.raw);
        release();
      };
      if (reply.raw.destroyed) return forget();
      reply.raw.once('close', forget);
      await stream(prepared, reply);
    },
  });
  return () => {
    isClosing = true;
    for (const response of open) {
      // Not yet a stream: it is cut off when it becomes one.
      if (!response.headersSent) continue;
      // Without the event `complete`, by which a client would know that there is nothing to come back for.
      response.on('error', () => {});
      response.end();
    }
  };
}

// What is told now is for nobody else, and is told now: nothing on the way may keep, change or collect it.
const streamHeaders = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store, no-transform',
};

const unmeantGet =
  'Another site can make a browser send this GET. Add the header `apollo-require-preflight: 1`, or subscribe by POST.';

/** The events until the caller's token ends, where it is known when. */
function lasting(
  events: AsyncIterableIterator<ExecutionResult>,
  { verified, requestId }: Caller,
): AsyncIterableIterator<ExecutionResult> {
  return verified ? endingAt(events, verified.expiresAt, tokenEnded(requestId)) : events;
}

const tokenEnded = (requestId: string): ExecutionResult => ({
  errors: [
    new GraphQLError('The token has ended: sign in again and subscribe with the new one.', {
      extensions: { code: 'UNAUTHENTICATED', requestId },
    }),
  ],
});

/** Events until an instant, in milliseconds since 1970; then a last one. */
function endingAt<Event>(
  events: AsyncIterableIterator<Event>,
  endsAt: number,
  last: Event,
): AsyncIterableIterator<Event> {
  let isEnded = false;
  let isTold = false;
  const leftMs = Math.min(Math.max(endsAt - Date.now(), 0), longestTimerMs);
  const timer = setTimeout(() => {
    isEnded = true;
    // Whoever waits for the next event is told at once that there is none.
    void events.return?.();
  }, leftMs);
  return {
    async next() {
      const result = await events.next();
      if (!result.done && !isEnded) return result;
      clearTimeout(timer);
      if (!isEnded || isTold) return { done: true, value: undefined };
      isTold = true;
      return { done: false, value: last };
    },
    async return() {
      clearTimeout(timer);
      isTold = true;
      await events.return?.();
      return { done: true, value: undefined };
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}
