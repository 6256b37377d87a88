import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import type { GraphQLSchema } from 'graphql';
import { createHandler } from 'graphql-sse/lib/use/fastify';
import { useServer } from 'graphql-ws/use/ws';
import type { Logger } from 'pino';
import { WebSocketServer } from 'ws';
import { callerOf, callerOfSocket } from './caller.ts';
import { transportError } from './errors.ts';
import type { Executor, Request } from './executor.ts';
import type { Prepare } from './prepare.ts';

/** The address of the graph, for HTTP and for WebSocket. */
export const graphqlPath = '/graphql';

const maxFrameBytes = 64 * 1024;

// Both libraries hand what onSubscribe returns on to subscribe; the context value is ours to fill.
const argsOf = <Value>(schema: GraphQLSchema, { document, operation }: Request, contextValue: Value) => ({
  schema,
  document,
  operationName: operation.name?.value,
  contextValue,
});

/** Subscriptions by the graphql-transport-ws protocol, on the graph's own address. Returns how to close them. */
export function serveWebSockets(
  server: Server,
  schema: GraphQLSchema,
  prepare: Prepare,
  executor: Executor,
  managementHeader: string,
  log: Logger,
): () => Promise<void> {
  const sockets = new WebSocketServer({ noServer: true, maxPayload: maxFrameBytes });
  const protocol = useServer(
    {
      onSubscribe: ({ connectionParams, extra }, _id, payload) => {
        const caller = callerOfSocket(connectionParams, extra.request.headers, managementHeader);
        const request = prepare(payload, caller);
        return 'document' in request ? argsOf(schema, request, request) : request;
      },
      subscribe: ({ contextValue }) => executor.subscribe(contextValue as Request),
      isProd: true,
    },
    sockets,
  );
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    // Without this, a client that resets its connection at the right moment would end the process.
    socket.on('error', () => socket.destroy());
    if (request.url?.split('?')[0] !== graphqlPath) {
      socket.end('HTTP/1.1 404 Not Found\r\nConnection: close\r\n\r\n');
      return;
    }
    sockets.handleUpgrade(request, socket, head, (opened) => {
      sockets.emit('connection', opened, request);
      // The library would write a client's malformed frames to the console; ws closes the socket by itself.
      opened.removeAllListeners('error').on('error', (err) => log.info({ err }, 'socket failed'));
    });
  });
  // Closes every socket with 1001, "going away".
  return async () => protocol.dispose();
}

interface Stream extends Record<PropertyKey, unknown> {
  readonly request: Request;
  readonly response: ServerResponse;
}

/** Subscriptions by server-sent events, one operation a connection. Returns how to close them. */
export function serveEvents(
  fastify: FastifyInstance,
  schema: GraphQLSchema,
  prepare: Prepare,
  executor: Executor,
  managementHeader: string,
): () => void {
  const open = new Set<{ end(): void }>();
  const handle = createHandler<Stream>({
    // No reserved streams: each operation has its own connection.
    authenticate: () => null,
    onSubscribe: (req, payload) => {
      const request = prepare(payload, callerOf(req.raw, managementHeader));
      if (!('document' in request)) {
        const body = JSON.stringify({ errors: request });
        return [
          body,
          { status: 400, statusText: 'Bad Request', headers: { 'content-type': 'application/json' } },
        ];
      }
      return argsOf(schema, request, { request, response: req.context.reply.raw });
    },
    async subscribe({ contextValue }) {
      const { request, response } = contextValue;
      const events = await executor.subscribe(request);
      // The library notices that a client has left only when it has something to send.
      if ('return' in events) {
        const leave = () => void events.return?.();
        if (response.destroyed) leave();
        else response.once('close', leave);
      }
      return events;
    },
  });
  fastify.route({
    method: ['GET', 'POST'],
    url: `${graphqlPath}/stream`,
    async handler(request, reply) {
      const refuse = (status: number, message: string) =>
        reply.code(status).send(transportError(message, 'BAD_USER_INPUT', request.id));
      if (!request.headers.accept?.includes('text/event-stream')) {
        return refuse(406, 'Ask for the stream with the header `Accept: text/event-stream`.');
      }
      const payload = (request.method === 'GET' ? request.query : request.body) as { query?: unknown } | null;
      if (typeof payload?.query !== 'string')
        return refuse(400, 'Send the subscription as the text `query`.');
      // The library knows the header in this one form only.
      request.headers.accept = 'text/event-stream';
      open.add(reply.raw);
      reply.raw.once('close', () => open.delete(reply.raw));
      await handle(request, reply);
    },
  });
  return () => {
    for (const response of open) response.end();
  };
}
