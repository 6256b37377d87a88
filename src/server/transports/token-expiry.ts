import { type ExecutionResult, GraphQLError } from 'graphql';
import { endEventsAt } from '../../runtime/stream-lifecycle.ts';
import type { Caller } from '../caller.ts';

/** Ends the events when the caller's verified token expires. */
export function untilTokenExpires(
  events: AsyncIterableIterator<ExecutionResult>,
  { verified, requestId }: Caller,
): AsyncIterableIterator<ExecutionResult> {
  return verified ? endEventsAt(events, verified.expiresAt, tokenExpiredResult(requestId)) : events;
}

const tokenExpiredResult = (requestId: string): ExecutionResult => ({
  errors: [
    new GraphQLError('The token has expired. Sign in again and subscribe with the new one.', {
      extensions: { code: 'UNAUTHENTICATED', requestId },
    }),
  ],
});
