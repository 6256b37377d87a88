import { createServer, type RequestListener } from 'node:http';
import type { Socket } from 'node:net';
import fastifyCors from '@fastify/cors';
import {
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  fastify,
} from 'fastify';
import type { Logger } from 'pino';
import { followRequests, refuseAtOnce } from './admission.ts';
import { requestIdOf } from './caller.ts';
import type { Drain } from './drain.ts';
import { transportError } from './errors.ts';
import { streamPath } from './event-streams.ts';
import { keepDigitsOfBodies, keepDigitsOfUrl } from './exact-numbers.ts';
import { createOriginCheck, hasSeveralHosts, isLocalHost, otherOrigin, wrongHost } from './origins.ts';
import { graphqlPath } from './queries.ts';
import type { Shedding } from './shedding.ts';
import { webhookPath } from './webhooks.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** When its headers were there, on the clock of `performance.now()`. */
    arrivedAt: number;
  }
}

export interface AppOptions {
  readonly managementHeader: string;
  /** Whose pages may use the graph, beside this server's own. */
  readonly origins: readonly string[];
  /** Whether callers need no token: then they are let in from this machine alone. */
  readonly isLocalOnly: boolean;
  readonly shedding: Shedding;
  /** Keeps account of what is connected. */
  readonly watch: Drain['watch'];
  readonly log: Logger;
}

const maxBodyBytes = 256 * 1024;
// Without the interval Node looks for overdue requests only every 30 s, and a client could hold a half-sent one open
// for that long. And where the headers have more time than all of a request, it takes the one time for the other.
const timeouts = { requestTimeout: 15_000, headersTimeout: 15_000, connectionsCheckingInterval: 1_000 };
// Longer than balancers keep idle connections, so that they are the ones who close them.
const keepAliveMs = 72_000;
// How long a client may take nothing of an answer that is there for it.
const stalledMs = 30_000;

/** HTTP as every route has it: what is read of a request, who gets in, and the shape of what is refused. */
export async function createApp(options: AppOptions): Promise<FastifyInstance> {
  const { managementHeader, origins, isLocalOnly, shedding, watch, log } = options;
  const isRefused = refuseAtOnce(shedding, origins);
  const namesHost = createHostCheck();
  const { isSameSite } = createOriginCheck(origins);
  const serverOf = (handle: RequestListener) => {
    const server = createServer({ ...timeouts, keepAliveTimeout: keepAliveMs }, (request, response) => {
      if (!isRefused(request, response)) handle(request, response);
    });
    // Node leaves out headers after the two thousandth, among them what is to be refused. Their length is bounded.
    server.maxHeadersCount = 0;
    return watch(server);
  };
  // Without a logger of its own, for which it listens to each answer: what is to be told of requests is told here.
  const app = fastify({
    bodyLimit: maxBodyBytes,
    genReqId: requestIdOf,
    rewriteUrl: keepDigitsOfUrl,
    forceCloseConnections: 'idle',
    serverFactory: serverOf,
    clientErrorHandler: answerBrokenRequest,
  });

  app.decorateRequest('arrivedAt', 0);
  // Hooks of every request: as callbacks, since each promise would be waited for.
  app.addHook('onRequest', (request, reply, done) => {
    request.arrivedAt = performance.now();
    // By whatever name the graph is asked, nobody on the way keeps an answer; files of the explorer say otherwise.
    reply.headers({
      'x-request-id': request.id,
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
    });
    if (hasSeveralHosts(request.raw) || !namesHost(request.headers.host))
      reply.code(400).send(transportError(wrongHost, 'BAD_USER_INPUT', request.id));
    else if (!isSameSite(request.headers) && executes(request))
      reply.code(403).send(transportError(otherOrigin, 'FORBIDDEN', request.id));
    else done();
  });
  if (isLocalOnly) refuseOtherHosts(app);
  app.addHook('onSend', ({ raw }, _reply, _payload, done) => {
    raw.socket.setTimeout(stalledMs);
    done();
  });
  if (origins.length > 0) await allowOrigins(app, origins, managementHeader);
  followRequests(app);
  answerInGraphqlShape(app, log);
  keepDigitsOfBodies(app);
  return app;
}

// Most requests of a process name the same host.
function createHostCheck(): (host: string | undefined) => boolean {
  let last: string | undefined;
  return (host = 'localhost') => {
    if (host === last) return true;
    if (!URL.canParse(`http://${host}`)) return false;
    last = host;
    return true;
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
// Apollo's clients send them from browsers, where a page has a name or asks by GET.
const apolloHeaders = [
  'apollo-require-preflight',
  'apollographql-client-name',
  'apollographql-client-version',
];

// Never with credentials: callers are known by the tokens they send, and nothing is read from cookies.
async function allowOrigins(app: FastifyInstance, origins: readonly string[], managementHeader: string) {
  await app.register(fastifyCors, {
    origin: [...origins],
    methods: ['GET', 'POST'],
    allowedHeaders: [
      ...new Set(['authorization', managementHeader, 'content-type', ...ownHeaders, ...apolloHeaders]),
    ],
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
function answerInGraphqlShape(app: FastifyInstance, log: Logger) {
  app.setErrorHandler((error: FastifyError, request, reply) => {
    const status = error.statusCode ?? 500;
    if (status >= 500) log.error({ requestId: request.id, err: error });
    const message = status >= 500 ? 'The layer failed to answer.' : refusal(error);
    return reply
      .code(status)
      .send(transportError(message, status >= 500 ? 'INTERNAL_SERVER_ERROR' : 'BAD_USER_INPUT', request.id));
  });
  const answerNotFound = (request: FastifyRequest, reply: FastifyReply) => {
    if (isGraphql(request)) {
      reply.code(405).header('allow', 'GET, POST');
      return reply.send(transportError('Send queries and mutations by POST.', 'BAD_USER_INPUT', request.id));
    }
    const message = `Nothing is served here. The graph is at ${graphqlPath}.`;
    return reply.code(404).send(transportError(message, 'BAD_USER_INPUT', request.id));
  };
  app.setNotFoundHandler(answerNotFound);
  // Without a look at the body: whatever it is, it is not for this address.
  app.addHook('onRequest', (request, reply, done) => {
    if (!request.is404) return done();
    answerNotFound(request, reply);
  });
}

// By the route: an address can be written in several ways.
const executes = ({ routeOptions }: FastifyRequest) =>
  routeOptions.url === graphqlPath || routeOptions.url === streamPath;

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
