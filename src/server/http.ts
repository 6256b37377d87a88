import { fastifyApolloHandler } from '@as-integrations/fastify';
import {
  type FastifyBaseLogger,
  type FastifyError,
  type FastifyInstance,
  type FastifyRequest,
  fastify,
  LogController,
} from 'fastify';
import type { GraphQLSchema } from 'graphql';
import type { Logger } from 'pino';
import { createApollo } from './apollo.ts';
import { callerOf, requestIdOf } from './caller.ts';
import { transportError } from './errors.ts';
import { keepDigitsOfBodies, keepDigitsOfUrl } from './exact-numbers.ts';
import type { Executor } from './executor.ts';
import { type ExplorerOptions, serveExplorer } from './explorer.ts';
import { createPrepare } from './prepare.ts';
import { graphqlPath, serveEvents, serveWebSockets } from './subscriptions.ts';
import { type ReceiveNotification, serveWebhooks } from './webhooks.ts';

export interface ServerOptions {
  readonly host: string;
  readonly port: number;
  readonly schema: GraphQLSchema;
  readonly executor: Executor;
  readonly managementHeader: string;
  /** Null serves no explorer. */
  readonly explorer: ExplorerOptions | null;
  /** Null takes no notifications. */
  readonly receiveNotification: ReceiveNotification | null;
  readonly log: Logger;
}

export interface Server {
  /** Where it listens, without a slash at the end. */
  readonly url: string;
  /** Takes no new requests, lets those in flight finish, closes sockets and streams. */
  stop(): Promise<void>;
}

const maxBodyBytes = 256 * 1024;
// Without the interval Node looks for overdue requests only every 30 s, and a client could hold a half-sent
// one open for that long.
const requestTimeoutMs = 15_000;
const connectionsCheckingInterval = 1_000;

/** Serves the graph over HTTP, WebSocket and server-sent events, and the explorer. */
export async function startServer(options: ServerOptions): Promise<Server> {
  const { host, port, schema, executor, managementHeader, explorer, receiveNotification, log } = options;
  const app = fastify({
    loggerInstance: log as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: maxBodyBytes,
    genReqId: requestIdOf,
    rewriteUrl: keepDigitsOfUrl,
    requestTimeout: requestTimeoutMs,
    forceCloseConnections: 'idle',
    http: { connectionsCheckingInterval },
  });
  const apollo = createApollo(schema, executor, app.server, log);
  await apollo.start();

  app.addHook('onRequest', async (request, reply) => {
    reply.headers({ 'x-request-id': request.id, 'x-content-type-options': 'nosniff' });
  });
  answerInGraphqlShape(app);
  keepDigitsOfBodies(app);
  app.route({
    method: ['GET', 'POST'],
    url: graphqlPath,
    handler: fastifyApolloHandler(apollo, {
      context: async (request, reply) => {
        reply.header('cache-control', 'no-store');
        return callerOf(request, managementHeader);
      },
    }),
  });
  const prepare = createPrepare(schema);
  const closeEvents = serveEvents(app, schema, prepare, executor, managementHeader);
  if (receiveNotification) serveWebhooks(app, receiveNotification);
  if (explorer) await serveExplorer(app, explorer);
  const closeSockets = serveWebSockets(app.server, schema, prepare, executor, managementHeader, log);
  const url = await app.listen({ host, port });

  return {
    url,
    async stop() {
      await closeSockets();
      closeEvents();
      // Apollo drains the HTTP server, so that what is in flight finishes; the rest of fastify closes after it.
      await apollo.stop();
      await app.close();
    },
  };
}

// Fastify's own error answers have a shape no GraphQL client reads.
function answerInGraphqlShape(app: FastifyInstance) {
  app.setErrorHandler((error: FastifyError, request, reply) => {
    const status = error.statusCode ?? 500;
    if (status >= 500) request.log.error({ err: error });
    const message = status >= 500 ? 'The layer failed to answer.' : refusal(error);
    return reply
      .code(status)
      .send(transportError(message, status >= 500 ? 'INTERNAL_SERVER_ERROR' : 'BAD_USER_INPUT', request.id));
  });
  app.setNotFoundHandler((request, reply) => {
    if (isGraphql(request)) {
      reply.code(405).header('allow', 'GET, POST');
      return reply.send(transportError('Send queries and mutations by POST.', 'BAD_USER_INPUT', request.id));
    }
    const message = `Nothing is served here. The graph is at ${graphqlPath}.`;
    return reply.code(404).send(transportError(message, 'BAD_USER_INPUT', request.id));
  });
}

const isGraphql = ({ url }: FastifyRequest) =>
  [graphqlPath, `${graphqlPath}/stream`].includes(url.split('?')[0] ?? '');

function refusal({ code, message }: FastifyError): string {
  switch (code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return `The request body may have ${maxBodyBytes} bytes at most.`;
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return 'Send the request as application/json.';
    case 'FST_ERR_CTP_INVALID_JSON_BODY':
    case 'FST_ERR_CTP_EMPTY_JSON_BODY':
      return 'The request body is not JSON.';
    default:
      return message;
  }
}
