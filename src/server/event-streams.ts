import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { type ExecutionResult, GraphQLError, type GraphQLSchema } from 'graphql';
import { createHandler } from 'graphql-sse/lib/use/fastify';
import { mapEvents } from '../operations/map-events.ts';
import { hold } from './admission.ts';
import { callerOf } from './caller.ts';
import type { Connections } from './connections.ts';
import type { Entry } from './entry.ts';
import { transportError } from './errors.ts';
import type { Executor, Request } from './executor.ts';
import type { Guard } from './guard.ts';
import { isMeantGet, otherOrigin } from './origins.ts';
import { graphqlPath, nameText, payloadOf, refuse } from './queries.ts';

export interface EventStreamOptions {
  readonly schema: GraphQLSchema;
  readonly executor: Executor;
  readonly entry: Entry;
  readonly guard: Guard;
  readonly connections: Connections;
  readonly isAllowedOrigin: (headers: IncomingMessage['headers']) => boolean;
  readonly managementHeader: string;
}

interface Stream extends Record<PropertyKey, unknown> {
  readonly request: Request;
  readonly response: ServerResponse;
}

/** Where subscriptions are served as server-sent events. */
export const streamPath = `${graphqlPath}/stream`;

// A client that does not read what it is sent makes this process keep it: more than this, and it is cut off.
const maxUnreadBytes = 1024 * 1024;
// Nor does the library stop where nothing is read. It sends something every 12 s.
const stalledMs = 30_000;
const longestTimerMs = 2 ** 31 - 1;

/** Subscriptions by server-sent events, one operation a connection. Returns how to close them. */
export function serveEventStreams(app: FastifyInstance, options: EventStreamOptions): () => void {
  const { schema, executor, entry, guard, connections, isAllowedOrigin, managementHeader } = options;
  const open = new Set<ServerResponse>();
  let isClosing = false;
  const letThrough = new WeakMap<IncomingMessage, Request>();

  const handle = createHandler<Stream>({
    // No reserved streams: each operation has its own connection.
    authenticate: () => null,
    // The guard has done it.
    validate: () => [],
    onSubscribe(req) {
      const request = letThrough.get(req.raw.raw) as Request;
      const { document, operation } = request;
      const contextValue = { request, response: req.context.reply.raw };
      return { schema, document, operationName: operation.name?.value, contextValue };
    },
    async subscribe({ contextValue: { request, response } }) {
      const events = await executor.subscribe(request);
      // It is no longer a request that waits for its answer.
      request.caller.place?.release();
      if (!('next' in events)) return events;
      // The library notices that a client has left only when it has something to send.
      const leave = () => void events.return?.();
      if (isClosing) response.destroy();
      if (response.destroyed) leave();
      else response.once('close', leave);
      const told = mapEvents(events, (event) => {
        if (response.writableLength > maxUnreadBytes) response.destroy();
        return event;
      });
      const endsAt = request.caller.verified?.expiresAt;
      return endsAt === undefined ? told : endingAt(told, endsAt, tokenEnded(request.caller.requestId));
    },
  });

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
      letThrough.set(request.raw, prepared);
      request.raw.socket.setTimeout(stalledMs);
      nameText(request, payload, prepared.text);
      // The library knows the header in this one form only.
      request.headers.accept = 'text/event-stream';
      open.add(reply.raw);
      const forget = () => {
        open.delete(reply.raw);
        release();
      };
      if (reply.raw.destroyed) return forget();
      reply.raw.once('close', forget);
      await handle(request, reply);
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

const unmeantGet =
  'Another site can make a browser send this GET. Add the header `apollo-require-preflight: 1`, or subscribe by POST.';

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
