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
import { getOrCompute } from '../runtime/memo.ts';
import { readRequestId } from './caller.ts';
import { keyOfPeer } from './caller-tokens.ts';
import { type Connections, endAfterResponse } from './load/connections.ts';
import { trackRequestSlots } from './load/request-slots.ts';
import { type LoadShedder, overloadMessages } from './load/shedding.ts';
import { createByteAccounts } from './load/unread-bytes.ts';
import { consolePath, explorerPath, filesRoute, graphqlPath, streamPath, webhookPath } from './paths.ts';
import { commonHeaders, endWithRejection, transportError } from './rejection.ts';
import { isUploading } from './transports/files.ts';
import { isPageVisit, maxRequestBytes, preserveDigitsInBodies } from './transports/http-request.ts';
import {
  createOriginCheck,
  hasOneHost,
  invalidHost,
  isLocalHost,
  originNotAllowed,
} from './transports/origins.ts';
import { UpgradableRequest } from './transports/websockets.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** When the request's headers arrived, as `performance.now()`. */
    arrivedAt: number;
  }
}

export interface RequestRulesOptions {
  /** Origins allowed by CORS, in addition to the server's own pages. */
  readonly origins: readonly string[];
  /** The origin of the server's own pages if a proxy changes `host`; null otherwise. */
  readonly publicOrigin: string | null;
  /** Whether to accept requests from this machine only, because callers need no token. */
  readonly isLocalOnly: boolean;
  readonly shedding: LoadShedder;
  readonly log: Logger;
}

// Limits bodies of more than 16 KB that are being received, in total and per address. Smaller ones are not counted, so that
// large bodies cannot block small queries.
const maxArrivingBytes = 64 * 1024 * 1024;
const arrivingBytesLimits = { maxBytes: maxArrivingBytes, maxBytesPerCaller: maxArrivingBytes / 2 };
const uncountedBodyBytes = 16 * 1024;
// Node.js checks for overdue requests every `connectionsCheckingInterval` (default 30 s). If `headersTimeout` exceeded
// `requestTimeout`, Node.js would use it for both.
const timeouts = { requestTimeout: 15_000, headersTimeout: 15_000, connectionsCheckingInterval: 1_000 };
// Longer than the idle timeout of common load balancers, so that the load balancer closes the connection, not the server.
const keepAliveTimeoutMs = 72_000;
// How long a client may read nothing while a response is being sent.
const clientStallTimeoutMs = 30_000;

/** Creates the Fastify instance of a standalone server, with its HTTP server and router. */
export function createApp({
  trackServer,
  oneAtATime,
}: Pick<Connections, 'trackServer' | 'oneAtATime'>): FastifyInstance {
  const createHttpServer = (handle: RequestListener) => {
    const server = createServer(
      {
        ...timeouts,
        keepAliveTimeout: keepAliveTimeoutMs,
        // A request without `host` is rejected below, in the format of other errors.
        requireHostHeader: false,
        IncomingMessage: UpgradableRequest,
      },
      oneAtATime(handle),
    );
    // By default Node.js drops headers after the 2000th, which may be one that would be rejected. The total size is
    // limited anyway.
    server.maxHeadersCount = 0;
    return trackServer(server);
  };
  // No Fastify logger, since it adds listeners to every response. Operations are logged elsewhere.
  const app: FastifyInstance = fastify({
    genReqId: readRequestId,
    rewriteUrl: (request) =>
      isPageVisit(request) && app.hasRoute({ method: 'GET', url: explorerPath })
        ? explorerPath
        : (request.url ?? '/'),
    forceCloseConnections: 'idle',
    serverFactory: createHttpServer,
    clientErrorHandler: rejectMalformedRequest,
    frameworkErrors: rejectInvalidPath,
  });
  app.addHook('onSend', ({ raw }, _reply, _payload, done) => {
    raw.socket.setTimeout(clientStallTimeoutMs);
    done();
  });
  return app;
}

/** Adds the hooks for every route of the graph: limits, host and origin checks, and the format of errors. */
export function applyRequestRules(app: FastifyInstance, options: RequestRulesOptions): void {
  const { isLocalOnly, shedding, log } = options;
  const { isSameSite } = createOriginCheck(options);
  app.setGenReqId(readRequestId);
  app.decorateRequest('arrivedAt', 0);
  // Callback hooks: an async hook costs every request a promise.
  app.addHook('onRequest', (request, reply, done) => {
    request.arrivedAt = performance.now();
    reply.headers(commonHeaders(request.id));
    if (!hasOneHost(request.raw) || !URL.canParse(`http://${request.headers.host ?? ''}`))
      reply.code(400).send(transportError(invalidHost, 'BAD_USER_INPUT', request.id));
    else if (!isSameSite(request.headers) && isGraphqlRoute(request))
      reply.code(403).send(transportError(originNotAllowed, 'FORBIDDEN', request.id));
    else done();
  });
  app.addHook('onRoute', (route) => {
    route.bodyLimit ??= maxRequestBytes;
  });
  if (isLocalOnly) rejectNonLocalHosts(app);
  limitArrivingBodies(app, shedding);
  trackRequestSlots(app);
  formatErrorsAsGraphql(app, log);
  preserveDigitsInBodies(app);
}

// Uploads are not counted, since they are streamed.
function limitArrivingBodies(app: FastifyInstance, shedding: LoadShedder) {
  const bodies = createByteAccounts(arrivingBytesLimits);
  app.addHook('onRequest', ({ headers, id, raw, routeOptions }, reply, done) => {
    const isChunked = headers['transfer-encoding'] !== undefined;
    const bytes = isChunked ? maxRequestBytes : Number(headers['content-length'] ?? 0);
    if (bytes <= uncountedBodyBytes || bytes > maxRequestBytes || routeOptions.url === filesRoute)
      return done();
    const body = bodies.openAccount({ key: keyOfPeer(raw.socket.remoteAddress ?? '') });
    if (body.reserve(bytes)) {
      raw.once('close', () => body.release());
      return done();
    }
    shedding.countRejection('connections');
    reply
      .code(503)
      .header('retry-after', '1')
      .send(transportError(overloadMessages.connections, 'OVERLOADED', id));
  });
}

function rejectNonLocalHosts(app: FastifyInstance) {
  app.addHook('onRequest', async (request, reply) => {
    // Webhook notifications use the public host name and carry their own proof.
    if (isLocalHost(request.headers) || request.routeOptions.url === webhookPath) return;
    const message =
      'This server accepts requests from its own machine only, because it does not verify callers (JWT_ISSUER).';
    await reply.code(403).send(transportError(message, 'FORBIDDEN', request.id));
  });
}

// Node.js rejects malformed requests before Fastify gets them.
function rejectMalformedRequest(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && isUploading(socket)) return;
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const [status, message] =
    error.code === 'HPE_HEADER_OVERFLOW'
      ? ['431 Request Header Fields Too Large', 'The request headers are too long.']
      : error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
        ? ['408 Request Timeout', 'The request was not complete in time.']
        : ['400 Bad Request', 'The request is not valid HTTP.'];
  if (!endAfterResponse(socket)) endWithRejection(socket, status, message, 'BAD_USER_INPUT');
}

// Fastify's router rejects a path before it runs hooks.
function rejectInvalidPath({ statusCode }: FastifyError, { id }: FastifyRequest, reply: FastifyReply): void {
  const message =
    statusCode === 414
      ? 'The path has a segment that is too long.'
      : 'The path is not valid: its percent-encoding must be UTF-8 (RFC 3986).';
  reply
    .code(statusCode ?? 400)
    .headers(commonHeaders(id))
    .send(transportError(message, 'BAD_USER_INPUT', id));
}

// Fastify's own error format is not readable by GraphQL clients.
function formatErrorsAsGraphql(app: FastifyInstance, log: Logger) {
  app.setErrorHandler((error: FastifyError, { id }, reply) => {
    const status = error.statusCode ?? 500;
    if (status < 500)
      return reply.code(status).send(transportError(bodyErrorMessage(error), 'BAD_USER_INPUT', id));
    log.error({ requestId: id, err: error });
    const message = 'Internal error. The operators can find the cause by the requestId.';
    return reply.code(status).send(transportError(message, 'INTERNAL_SERVER_ERROR', id));
  });
}

// Compares the matched route, since a path can be written in several ways (percent-encoding).
const isGraphqlRoute = ({ routeOptions }: FastifyRequest) =>
  routeOptions.url === graphqlPath || routeOptions.url === streamPath;

function bodyErrorMessage({ code, message }: FastifyError): string {
  switch (code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return `The request body has more than ${maxRequestBytes} bytes.`;
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return 'The media type is not supported. Send the request as application/json.';
    case 'FST_ERR_CTP_INVALID_JSON_BODY':
    case 'FST_ERR_CTP_EMPTY_JSON_BODY':
      return 'The request body is not valid JSON.';
    default:
      return message;
  }
}

/** Messages for pages that a setting turns off, by path. */
const disabledPages: Readonly<Record<string, string>> = {
  [consolePath]: 'The console is off (setting PAGES)',
  [explorerPath]: 'The explorer is off (setting PAGES)',
};

/** Rejects requests that no route serves, before their bodies are read. Call before routes are registered. */
export function rejectUnmatchedRequests(app: FastifyInstance): void {
  const methods = new Map<string, Set<string>>();
  app.addHook('onRoute', ({ url, method }) => {
    const allowed = getOrCompute(methods, url, () => new Set<string>());
    for (const each of [method].flat()) allowed.add(each);
  });
  const findMethods = (path: string): ReadonlySet<string> | undefined =>
    methods.get(path) ??
    [...methods].find(([url]) => url.endsWith('*') && path.startsWith(url.slice(0, -1)))?.[1];

  const reject = (request: FastifyRequest, reply: FastifyReply) => {
    const path = request.url.split('?')[0] ?? '';
    const send = (status: number, message: string) =>
      reply.code(status).send(transportError(message, 'BAD_USER_INPUT', request.id));
    const allowed = findMethods(path);
    if (allowed) {
      const allow = [...allowed].join(', ');
      reply.header('allow', allow);
      return send(405, `The method is not supported. This path takes ${allow}.`);
    }
    const shorter = path.replace(/\/$/, '');
    if (methods.has(shorter))
      return send(404, `Not found. The path is ${shorter}, without a slash at its end.`);
    const reason = Object.hasOwn(disabledPages, path) ? `${disabledPages[path]}. ` : '';
    return send(404, `Not found. ${reason}The GraphQL endpoint is ${graphqlPath}.`);
  };
  app.setNotFoundHandler(reject);
  app.addHook('onRequest', (request, reply, done) => {
    if (!request.is404) return done();
    reject(request, reply);
  });
}

const tributaryHeaders = ['x-request-id', 'x-request-timeout', 'tributary-explain', 'tributary-read'];
// Browsers' tracers send these (W3C Trace Context and Baggage, Sentry).
const traceHeaders = ['traceparent', 'tracestate', 'baggage', 'sentry-trace'];
// Requests for files use these.
const fileHeaders = ['range', 'if-range', 'if-none-match', 'if-modified-since', 'if-match'];
// Apollo Client sends these from browsers, to name the client or to allow GET.
const apolloHeaders = [
  'apollo-require-preflight',
  'apollographql-client-name',
  'apollographql-client-version',
];

/**
 * Allows pages of these origins to use the server and send `headers`, besides those that every server accepts. Without
 * `credentials`, since tokens identify callers, not cookies.
 */
export async function enableCors(
  app: FastifyInstance,
  origins: readonly string[],
  headers: readonly string[],
): Promise<void> {
  await app.register(fastifyCors, {
    origin: [...origins],
    methods: ['GET', 'POST', 'PUT'],
    allowedHeaders: [
      ...new Set([
        'authorization',
        ...headers,
        'content-type',
        ...tributaryHeaders,
        ...traceHeaders,
        ...fileHeaders,
        ...apolloHeaders,
      ]),
    ],
    exposedHeaders: [
      'x-request-id',
      'retry-after',
      'content-disposition',
      'content-range',
      'etag',
      'www-authenticate',
    ],
    maxAge: 600,
    strictPreflight: false,
  });
}
