import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Deadline, startDeadline } from '../../runtime/deadline.ts';
import { onResponseClosed } from '../load/request-slots.ts';
import type { GraphqlRequest } from '../request.ts';

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
