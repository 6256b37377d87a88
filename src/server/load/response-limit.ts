import type { FastifyReply } from 'fastify';
import type { ErrorCode } from '../../errors.ts';
import {
  type ByteBudget,
  reservationBytes,
  responseBacklogMessage,
  responseTooLongMessage,
} from '../../graph/response-meter.ts';
import { type Rejection, RejectionError, toRejection } from '../rejection.ts';
import type { GraphqlRequest } from '../request.ts';
import { onResponseClosed } from './request-slots.ts';
import type { ResponseBytes } from './response-bytes.ts';

/**
 * Checks whether a response may be sent; returns a rejection if not. A response counts until its client has
 * received it. Once it is compressed, `release(kept)` says how many bytes it still has.
 */
export type LimitResponse = (
  request: GraphqlRequest,
  reply: FastifyReply,
  body: string | Buffer,
) => Rejection | Pick<ByteBudget, 'release'>;

const uncounted: Pick<ByteBudget, 'release'> = { release() {} };

export interface ResponseLimitOptions {
  readonly responseBytes: ResponseBytes;
  /** Called for every response that is not sent. */
  readonly onRejected: (code: ErrorCode, requestId: string) => void;
}

export function createResponseLimit({ responseBytes, onRejected }: ResponseLimitOptions): LimitResponse {
  const count = (
    request: GraphqlRequest,
    reply: FastifyReply,
    bytes: number,
  ): RejectionError | Pick<ByteBudget, 'release'> => {
    const { maxBytes } = request.responseLimits;
    if (bytes > maxBytes) return new RejectionError('QUERY_TOO_COMPLEX', responseTooLongMessage(maxBytes));
    const account = responseBytes.openAccount(request.caller);
    if (!account.reserve(bytes)) return new RejectionError('OVERLOADED', responseBacklogMessage);
    onResponseClosed(reply.raw, () => account.release());
    return account;
  };

  return (request, reply, body) => {
    // Small responses are not counted: the number of slots limits them.
    if (body.length <= reservationBytes) return uncounted;
    const counted = count(request, reply, Buffer.byteLength(body));
    if (!(counted instanceof RejectionError)) return counted;
    // A mutation has taken effect, so its response must be sent.
    if (request.operation.operation === 'mutation') return uncounted;
    onRejected(counted.code, request.caller.requestId);
    return toRejection(counted, request.caller.requestId);
  };
}
