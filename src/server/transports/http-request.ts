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

/** Of the body of an HTTP request, and of a WebSocket message. */
export const maxRequestBytes = 256 * 1024;

/** Returns the GraphQL parameters of a request; null if it is not a GraphQL-over-HTTP request. */
export function readPayload({ method, body, query }: FastifyRequest): GraphqlPayload | null {
  const given = (method === 'GET' ? query : body) as Record<string, unknown> | null | undefined;
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return null;
  if (method !== 'GET') return given;
  const { variables, extensions, ...rest } = given;
  return {
    ...rest,
    ...(variables !== undefined && { variables: parseParameter(variables) }),
    ...(extensions !== undefined && { extensions: parseParameter(extensions) }),
  };
}

/**
 * Keeps numbers that a double cannot represent, as bodies do. Returns text that is not JSON as it is: the guard rejects
 * whatever is not an object.
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
 * Replaces the request's body or URL by what the guard accepted. Apollo supports documents only by text, and
 * parses URLs differently, so it could otherwise execute another request.
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
// A client may name the charset, although the type has no parameter: it is always UTF-8.
const eventStreamTypes = ['text/event-stream', 'text/event-stream; charset=utf-8'];

/** Returns the media type of a JSON response to a request; null if the client accepts none of ours. */
export function negotiateMediaType({ accept }: IncomingHttpHeaders): string | null {
  if (!accept || accept === '*/*') return jsonMediaType;
  return new Negotiator({ headers: { accept } }).mediaType([...mediaTypes]) ?? null;
}

/**
 * Returns which results a client takes as an event stream: `all` where it prefers the stream to JSON, and
 * `subscriptions` where it accepts both. Wildcards do not count: a client that reads streams names their type.
 */
export function negotiateEvents({ accept }: IncomingHttpHeaders): 'all' | 'subscriptions' | 'none' {
  if (!accept?.toLowerCase().includes('text/event-stream')) return 'none';
  const accepted = new Negotiator({ headers: { accept } }).mediaTypes([...mediaTypes, ...eventStreamTypes]);
  const isEventStream = (type: string | undefined) => type !== undefined && eventStreamTypes.includes(type);
  if (isEventStream(accepted[0])) return 'all';
  return accepted.some(isEventStream) ? 'subscriptions' : 'none';
}

/**
 * Whether a browser opens the endpoint as a page: a GET without parameters, by a client that prefers HTML to the media types of
 * responses.
 */
export const isPageVisit = ({ method, url, headers: { accept = '' } }: IncomingMessage): boolean =>
  method === 'GET' &&
  url === graphqlPath &&
  accept.includes('text/html') &&
  new Negotiator({ headers: { accept } }).mediaType([...mediaTypes, 'text/html']) === 'text/html';

const timeoutHeader = 'x-request-timeout';

/** Message for a header that `readTimeout` rejects. */
export const invalidTimeout = `\`${timeoutHeader}\` must be a positive whole number of milliseconds.`;

/** Returns the milliseconds allowed for a request, or null if the header is invalid. */
export function readTimeout({ headers }: FastifyRequest, longestMs: number): number | null {
  const given = headers[timeoutHeader];
  if (given === undefined) return longestMs;
  return typeof given === 'string' && /^[1-9]\d{0,8}$/.test(given)
    ? Math.min(Number(given), longestMs)
    : null;
}

/**
 * Cancels a query at its deadline or when its client disconnects. Mutations have no deadline: cancelling
 * would leave them half done.
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

// Limits a client that retries at once to ten requests a second per connection.
const rejectionDelayMs = 100;
const maxDelayedRejections = 1_000;
let delayedRejections = 0;

/**
 * Sends a rejection. Overload and rate-limit rejections (503, 429) are delayed: thousands of immediate ones
 * per second would slow down accepted requests.
 */
export function sendRejection(
  reply: FastifyReply,
  request: Pick<FastifyRequest, 'headers'> & { body?: unknown },
  { status, errors, scopes, retryAfterSeconds = status === 503 ? 1 : undefined }: Rejection,
): FastifyReply {
  const { headers } = request;
  if (status === 401 || scopes) {
    reply.header('www-authenticate', `Bearer ${reasonOf(headers, scopes)}`.trim());
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

/** Parameters of RFC 6750 §3: without a bearer token no error is named. Scopes have no quotation marks (RFC 6749 §3.3). */
function reasonOf({ authorization = '' }: IncomingHttpHeaders, scopes: Rejection['scopes']): string {
  if (scopes) return `error="insufficient_scope", scope="${scopes.join(' ')}"`;
  return /^bearer /i.test(authorization) ? 'error="invalid_token"' : '';
}

// Parsing 100 KB takes about 5 ms.
const longJsonBytes = 8 * 1024;

/**
 * Parses JSON bodies like Fastify, but keeps numbers that a double cannot represent as strings of their
 * digits, which the `Decimal` scalar accepts. Long bodies go through the cooperative queue.
 */
export function preserveDigitsInBodies(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('error', 'error');
  // A host may have one of its own.
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
