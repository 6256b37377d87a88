import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { transportError } from '../errors.ts';
import { negotiateEvents } from './media-types.ts';
import { isPreflightedGet, originNotAllowed } from './origins.ts';
import { invalidTimeout } from './query-deadline.ts';

/** A rejection by this transport, before or after the guard. */
type Failure = readonly [status: number, message: string, code: string];

export const noPayload: Failure = [
  400,
  'The request has no GraphQL parameters. Send the operation as the text `query`, and `variables` as JSON.',
  'BAD_USER_INPUT',
];

export const tooManyConnections: Failure = [
  503,
  'Too many connections are open. Close some, or try again later.',
  'OVERLOADED',
];

export const badTimeout: Failure = [400, invalidTimeout, 'BAD_USER_INPUT'];

export const mutationByGet: Failure = [
  405,
  'A GET cannot change anything. Send mutations by POST.',
  'BAD_USER_INPUT',
];

export const sendFailure = ([status, message, code]: Failure, { id }: FastifyRequest, reply: FastifyReply) =>
  reply.code(status).send(transportError(message, code, id));

/** Returns why a client may not have an event stream; null if it may. */
export function checkStreamRequest(
  request: FastifyRequest,
  { raw: response }: FastifyReply,
  isAllowedOrigin: (headers: IncomingHttpHeaders) => boolean,
): Failure | null {
  if (negotiateEvents(request.headers) === 'none')
    return [406, 'Event streams require the header `Accept: text/event-stream`.', 'BAD_USER_INPUT'];
  if (!isAllowedOrigin(request.headers)) return [403, originNotAllowed, 'FORBIDDEN'];
  if (request.method === 'GET' && !isPreflightedGet(request)) return [400, crossSiteGet, 'BAD_USER_INPUT'];
  // A pipelined request: its response would wait for the one before, which may never end.
  if (response.socket === null)
    return [400, 'Event streams cannot be pipelined. Use a connection for each.', 'BAD_USER_INPUT'];
  return null;
}

const crossSiteGet =
  'Another site can make a browser send this GET. Add the header `apollo-require-preflight: 1`, or use POST.';
