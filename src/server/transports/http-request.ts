import { isUtf8 } from 'node:buffer';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import Negotiator from 'negotiator';
import { waitForTurn } from '../../runtime/cooperative-queue.ts';
import { type Deadline, startDeadline } from '../../runtime/deadline.ts';
import { quoteLongNumbers } from '../../runtime/json.ts';
import type { GraphqlPayload, GraphqlRequest } from '../guard/guard.ts';
import { onResponseClosed, releaseSlot } from '../load/request-slots.ts';
import { graphqlPath } from '../paths.ts';
import type { Rejection } from '../rejection.ts';

/** The longest body of an HTTP request and the longest WebSocket message. */
export const maxRequestBytes = 256 * 1024;

/** Returns the GraphQL parameters of a request; null if it is not a GraphQL-over-HTTP request. */
export function readPayload({ method, body, query }: FastifyRequest): GraphqlPayload | null {
  const payload = (method === 'GET' ? query : body) as Record<string, unknown> | null | undefined;
  if (typeof payload !== 'object' || payload === null || Array.isArray(payload)) return null;
  if (method !== 'GET') return payload;
  const { variables, extensions, ...rest } = payload;
  return {
    ...rest,
    ...(variables !== undefined && { variables: parseParameter(variables) }),
    ...(extensions !== undefined && { extensions: parseParameter(extensions) }),
  };
}

/**
 * Parses JSON and keeps numbers that a double cannot represent, as in bodies. Returns invalid JSON unchanged: the guard
 * rejects everything but objects.
 */
function parseParameter(parameter: unknown): unknown {
  const text = String(parameter);
  try {
    return JSON.parse(quoteLongNumbers(text));
  } catch {
    return text;
  }
}

/**
 * Replaces the request's body or URL by the request that the guard accepted. Apollo supports documents by text only and
 * parses URLs differently, so that it could execute another request.
 */
export function replacePayload(
  request: FastifyRequest,
  { query, extensions, ...payload }: GraphqlPayload,
  text: string,
): void {
  const { operationName, variables } = payload;
  if (request.method !== 'GET') {
    if (query === text && extensions === undefined && operationName !== '') return;
    request.body = {
      query: text,
      ...(operationName ? { operationName } : {}),
      ...(variables ? { variables } : {}),
    };
    return;
  }
  const parameters = new URLSearchParams({ query: text });
  if (operationName) parameters.set('operationName', String(operationName));
  if (variables) parameters.set('variables', JSON.stringify(variables));
  request.raw.url = `${request.url.split('?')[0]}?${parameters}`;
}

const jsonMediaType = 'application/json; charset=utf-8';
const mediaTypes = [jsonMediaType, 'application/graphql-response+json; charset=utf-8'];
// Some clients name the charset, although the type has no parameter.
const eventStreamTypes = ['text/event-stream', 'text/event-stream; charset=utf-8'];

/** Returns the media type of a JSON response to a request; null if the client accepts none of ours. */
export function negotiateMediaType({ accept }: IncomingHttpHeaders): string | null {
  if (!accept || accept === '*/*') return jsonMediaType;
  return new Negotiator({ headers: { accept } }).mediaType([...mediaTypes]) ?? null;
}

/**
 * Returns which operations to answer with an event stream: `all` if the client prefers it to JSON, `subscriptions` if
 * it accepts both. Wildcards do not count, since a client that reads event streams names their type.
 */
export function negotiateEvents({ accept }: IncomingHttpHeaders): 'all' | 'subscriptions' | 'none' {
  if (!accept?.toLowerCase().includes('text/event-stream')) return 'none';
  const accepted = new Negotiator({ headers: { accept } }).mediaTypes([...mediaTypes, ...eventStreamTypes]);
  const isEventStream = (type: string | undefined) => type !== undefined && eventStreamTypes.includes(type);
  if (isEventStream(accepted[0])) return 'all';
  return accepted.some(isEventStream) ? 'subscriptions' : 'none';
}

/** Whether a browser opens the endpoint as a page: a GET without parameters by a client that prefers HTML to JSON. */
export const isPageVisit = ({ method, url, headers: { accept = '' } }: IncomingMessage): boolean =>
  method === 'GET' &&
  url === graphqlPath &&
  accept.includes('text/html') &&
  new Negotiator({ headers: { accept } }).mediaType([...mediaTypes, 'text/html']) === 'text/html';

const timeoutHeader = 'x-request-timeout';

export const invalidTimeout = `\`${timeoutHeader}\` must be a positive whole number of milliseconds.`;

/** Returns the milliseconds allowed for a request, or null if the header is invalid. */
export function readTimeout({ headers }: FastifyRequest, longestMs: number): number | null {
  const value = headers[timeoutHeader];
  if (value === undefined) return longestMs;
  return typeof value === 'string' && /^[1-9]\d{0,8}$/.test(value)
    ? Math.min(Number(value), longestMs)
    : null;
}

/**
 * Starts the deadline of a query, which ends early if the client disconnects. Returns null for a mutation, which a deadline
 * would leave half done.
 */
export function startQueryDeadline(
  { operation }: GraphqlRequest,
  { arrivedAt }: FastifyRequest,
  { raw }: FastifyReply,
  timeoutMs: number,
): Deadline | null {
  if (operation.operation !== 'query') return null;
  const deadline = startDeadline(Math.max(1, arrivedAt + timeoutMs - performance.now()));
  onResponseClosed(raw, () => deadline.end());
  return deadline;
}

// A client that retries immediately sends at most ten requests a second per connection.
const rejectionDelayMs = 100;
const maxDelayedRejections = 1_000;
let delayedRejections = 0;

/**
 * Sends a rejection. Overload and rate-limit rejections (503, 429) are delayed, since thousands per second would slow down
 * accepted requests.
 */
export function sendRejection(
  reply: FastifyReply,
  request: Pick<FastifyRequest, 'headers'> & { body?: unknown },
  { status, errors, scopes, retryAfterSeconds = status === 503 ? 1 : undefined }: Rejection,
): FastifyReply {
  const { headers } = request;
  if (status === 401 || scopes) {
    reply.header('www-authenticate', `Bearer ${formatReason(headers, scopes)}`.trim());
  }
  if (retryAfterSeconds !== undefined) reply.header('retry-after', String(retryAfterSeconds));
  reply.code(status).type(negotiateMediaType(headers) ?? 'application/json; charset=utf-8');
  const body = JSON.stringify({ errors });
  if (retryAfterSeconds === undefined || delayedRejections >= maxDelayedRejections) return reply.send(body);
  delayedRejections += 1;
  request.body = null;
  releaseSlot(reply.raw);
  setTimeout(() => {
    delayedRejections -= 1;
    reply.send(body);
  }, rejectionDelayMs);
  return reply;
}

/**
 * Formats the parameters of `WWW-Authenticate` (RFC 6750 §3), without an error if the request had no bearer token. Scopes
 * contain no quotation marks (RFC 6749 §3.3).
 */
function formatReason({ authorization = '' }: IncomingHttpHeaders, scopes: Rejection['scopes']): string {
  if (scopes) return `error="insufficient_scope", scope="${scopes.join(' ')}"`;
  return /^bearer /i.test(authorization) ? 'error="invalid_token"' : '';
}

// Parsing 100 KB takes about 5 ms.
const longJsonBytes = 8 * 1024;

/**
 * Parses JSON bodies like Fastify, but keeps numbers that a double cannot represent as strings of their digits, which the
 * `Decimal` scalar accepts. Long bodies wait in the cooperative queue.
 */
export function preserveDigitsInBodies(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('error', 'error');
  // A host server may have its own parser.
  app.removeContentTypeParser('application/json');
  app.addContentTypeParser<Buffer>('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    const charset = /;\s*charset\s*=\s*"?([^";\s]*)/i.exec(request.headers['content-type'] ?? '')?.[1];
    if (charset !== undefined && !/^utf-?8$/i.test(charset))
      return done(
        bodyError(415, 'The charset is not supported. Send the request as application/json in UTF-8.'),
      );
    if (
      request.headers['content-encoding'] !== undefined &&
      request.headers['content-encoding'] !== 'identity'
    )
      return done(bodyError(415, 'The content encoding is not supported. Send the request without one.'));
    if (!isUtf8(body)) return done(bodyError(400, 'The request body is not valid UTF-8.'));
    const text = body.toString('utf8');
    const parseBody = () => {
      void parse(request, quoteLongNumbers(text), (error, value) =>
        done(error && isJson(text) ? bodyError(400, forbiddenProperty) : error, value),
      );
    };
    if (body.length > longJsonBytes) void waitForTurn(request.raw.socket.remoteAddress ?? '').then(parseBody);
    else parseBody();
  });
}

const forbiddenProperty =
  'The request body has the property `__proto__`, or `constructor` with `prototype`. No value may have them.';

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

const bodyError = (statusCode: number, message: string) => Object.assign(new Error(message), { statusCode });
