import { createServer, type IncomingHttpHeaders, type RequestListener } from 'node:http';
import type { Socket } from 'node:net';
import fastifyCors from '@fastify/cors';
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
import { startAdmin } from './admin.ts';
import { admitRequests, refuseAtOnce } from './admission.ts';
import { createApollo } from './apollo.ts';
import { requestIdOf } from './caller.ts';
import { type ConnectionLimits, createConnections } from './connections.ts';
import type { Documents } from './documents.ts';
import { createDrain, type DrainOptions } from './drain.ts';
import { transportError } from './errors.ts';
import { serveEventStreams, streamPath } from './event-streams.ts';
import { keepDigitsOfBodies, keepDigitsOfUrl } from './exact-numbers.ts';
import type { Executor } from './executor.ts';
import type { Guard } from './guard.ts';
import { startLoopDelay } from './loop-delay.ts';
import { createOriginCheck, isLocalHost } from './origins.ts';
import { type PagesOptions, servePages } from './pages.ts';
import { graphqlPath, serveQueries } from './queries.ts';
import { createShedding } from './shedding.ts';
import { serveWebSockets } from './sockets.ts';
import { type ReceiveNotification, serveWebhooks, webhookPath } from './webhooks.ts';

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
  readonly maxLoopDelayMs: number;
  /** Where operators ask; null serves them nothing. */
  readonly admin: { readonly host: string; readonly port: number } | null;
  readonly drain: Omit<DrainOptions, 'log'>;
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

const maxBodyBytes = 256 * 1024;
// Without the interval Node looks for overdue requests only every 30 s, and a client could hold a half-sent one open
// for that long. And where the headers have more time than all of a request, it takes the one time for the other.
const timeouts = { requestTimeout: 15_000, headersTimeout: 15_000, connectionsCheckingInterval: 1_000 };
// Longer than balancers keep idle connections, so that they are the ones who close them.
const keepAliveMs = 72_000;
// Many who come at once are refused in a moment. Who finds no place in the queue for that tries again in seconds.
const backlog = 4_096;
// How long a client may take nothing of an answer that is there for it.
const stalledMs = 30_000;

/** Serves the graph over HTTP, WebSocket and server-sent events, and the pages. */
export async function startServer(options: ServerOptions): Promise<Server> {
  const { schema, executor, documents, guard, managementHeader, origins, log } = options;
  const loopDelay = startLoopDelay();
  const shedding = createShedding({ ...options, loopDelay });
  const { isDraining, watch, drain } = createDrain({ ...options.drain, log });
  const isRefused = refuseAtOnce(shedding, origins);
  const serverOf = (handle: RequestListener) =>
    watch(
      createServer({ ...timeouts, keepAliveTimeout: keepAliveMs }, (request, response) => {
        if (!isRefused(request, response)) handle(request, response);
      }),
    );
  const app = fastify({
    loggerInstance: log as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: maxBodyBytes,
    genReqId: requestIdOf,
    rewriteUrl: keepDigitsOfUrl,
    forceCloseConnections: 'idle',
    serverFactory: serverOf,
    clientErrorHandler: answerBrokenRequest,
  });
  const apollo = createApollo({ schema, executor, documents, log });
  await apollo.start();

  app.addHook('onRequest', async (request, reply) => {
    // By whatever name the graph is asked, nobody on the way keeps an answer; files of the explorer say otherwise.
    reply.headers({
      'x-request-id': request.id,
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
    });
  });
  app.addHook('onRequest', async (request, reply) => {
    if (URL.canParse(`http://${request.headers.host ?? 'localhost'}`)) return;
    await reply.code(400).send(transportError('The header `host` names none.', 'BAD_USER_INPUT', request.id));
  });
  if (options.isLocalOnly) refuseOtherHosts(app);
  app.addHook('onSend', async ({ raw }) => void raw.socket.setTimeout(stalledMs));
  if (origins.length > 0) await allowOrigins(app, origins, managementHeader);
  const giveBack = admitRequests(app, shedding);
  answerInGraphqlShape(app);
  keepDigitsOfBodies(app);

  const connections = createConnections(options);
  const isNamed = createOriginCheck(origins);
  const isAllowedOrigin = (headers: IncomingHttpHeaders) =>
    isNamed(headers) && (!options.isLocalOnly || isLocalHost(headers));
  const shared = { schema, executor, guard, connections, isAllowedOrigin, managementHeader };
  serveQueries(app, apollo, guard, options);
  const closeStreams = serveEventStreams(app, { ...shared, giveBack });
  if (options.receiveNotification) serveWebhooks(app, options.receiveNotification);
  if (options.pages) await servePages(app, options.pages);
  const { maxSubscriptions } = options;
  const closeSockets = serveWebSockets(app.server, { ...shared, shedding, maxSubscriptions, log });
  const url = await app.listen({ host: options.host, port: options.port, backlog });
  const unreadyFor = () => [
    ...(isDraining() ? ['draining'] : []),
    ...(shedding.isShedding() ? ['shedding'] : []),
  ];
  const admin = options.admin && (await startAdmin({ ...options.admin, unreadyFor }));

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

function refuseOtherHosts(app: FastifyInstance) {
  app.addHook('onRequest', async (request, reply) => {
    // Notifications come by the name the upstream was given, and prove themselves.
    if (isLocalHost(request.headers) || request.routeOptions.url === webhookPath) return;
    const message = 'Callers are not verified here (JWT_ISSUER): the graph is for this machine alone.';
    await reply.code(403).send(transportError(message, 'FORBIDDEN', request.id));
  });
}

const ownHeaders = ['x-request-id', 'x-request-timeout', 'tributary-explain'];

// Never with credentials: callers are known by the tokens they send, and nothing is read from cookies.
async function allowOrigins(app: FastifyInstance, origins: readonly string[], managementHeader: string) {
  await app.register(fastifyCors, {
    origin: [...origins],
    methods: ['GET', 'POST'],
    allowedHeaders: [...new Set(['authorization', managementHeader, 'content-type', ...ownHeaders])],
    exposedHeaders: ['x-request-id', 'retry-after'],
    maxAge: 600,
    strictPreflight: false,
  });
}

// What is not HTTP, or too long for it, never becomes a request.
function answerBrokenRequest(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const [status, message] =
    error.code === 'HPE_HEADER_OVERFLOW'
      ? ['431 Request Header Fields Too Large', 'The headers of the request are too long.']
      : error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
        ? ['408 Request Timeout', 'The request did not come in time.']
        : ['400 Bad Request', 'The request is not HTTP.'];
  const body = JSON.stringify(transportError(message, 'BAD_USER_INPUT', requestIdOf({ headers: {} })));
  socket.end(
    `HTTP/1.1 ${status}\r\ncontent-type: application/json; charset=utf-8\r\ncontent-length: ${body.length}\r\ncache-control: no-store\r\nconnection: close\r\n\r\n${body}`,
  );
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

const isGraphql = ({ url }: FastifyRequest) => [graphqlPath, streamPath].includes(url.split('?')[0] ?? '');

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
