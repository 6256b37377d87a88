import type { FastifyReply } from 'fastify';
import type { ErrorCode } from '../errors.ts';
import { noRoom, takenAtOnce, tooLong } from '../graph/answer-meter.ts';
import { whenGone } from './admission.ts';
import type { AnswerBytes } from './answer-bytes.ts';
import type { Request } from './executor.ts';
import { type Refusal, Refused, refusalOf } from './refusal.ts';

/** Lets an answer be sent, or says why it is not. What is sent counts until its client has taken all of it. */
export type Sending = (request: Request, reply: FastifyReply, body: string | Buffer) => Refusal | null;

export interface SendingOptions {
  readonly maxAnswerBytes: number;
  readonly answerBytes: AnswerBytes;
  /** Told of every answer that is not sent. */
  readonly onRefused: (code: ErrorCode, requestId: string) => void;
}

export function createSending({ maxAnswerBytes, answerBytes, onRefused }: SendingOptions): Sending {
  const faultOf = (request: Request, reply: FastifyReply, bytes: number): Refused | null => {
    if (bytes > maxAnswerBytes) return new Refused('QUERY_TOO_COMPLEX', tooLong(maxAnswerBytes));
    const account = answerBytes.account(request.caller);
    if (!account.take(bytes)) return new Refused('OVERLOADED', noRoom);
    whenGone(reply.raw, account.release);
    return null;
  };

  return (request, reply, body) => {
    // There are no more of them than there are places for requests.
    if (body.length <= takenAtOnce) return null;
    const fault = faultOf(request, reply, Buffer.byteLength(body));
    // A change has been made, and its answer has to say so.
    if (fault === null || request.operation.operation === 'mutation') return null;
    onRefused(fault.code, request.caller.requestId);
    return refusalOf(fault, request.caller.requestId);
  };
}
