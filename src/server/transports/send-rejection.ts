import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { releaseSlot } from '../load/request-slots.ts';
import type { Rejection } from '../rejection.ts';
import { negotiateMediaType } from './http-request.ts';

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
