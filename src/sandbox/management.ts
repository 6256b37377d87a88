import { isEventPath, readEvent } from './health/health.ts';
import type { Answer, Call } from './http.ts';
import { decodeSegment, json } from './http.ts';
import type { Operations } from './instances/operations.ts';
import { readOperation, stopInstance } from './instances/stop.ts';
import { Refusal } from './refusal.ts';

/** True for the paths that belong to areas B and C. */
export function isManagementPath(path: string): boolean {
  return /^\/(subscriptions|providers)(\/|$)/i.test(path);
}

/** Answers a request of area B or C; refusals are nested in B and flat in C (Errors). */
export function answerManagement(call: Call, operations: Operations): Answer {
  const segments = call.path
    .split('/')
    .slice(1)
    .map((segment) => decodeSegment(segment) ?? segment);
  const isFlat = isEventPath(segments);
  try {
    if (call.isBodyTooLarge)
      throw new Refusal(413, 'RequestEntityTooLarge', 'The request body is too large.');
    if (isFlat) return withRequestId(readEvent(call, segments), call);
    return withRequestId(
      readOperation(call, segments, operations) ?? stopInstance(call, segments, operations),
      call,
    );
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const body = isFlat ? flatError(error) : { error: nestedError(error) };
    return withRequestId(json(error.status, body, error.extras.headers), call);
  }
}

/** B: `{ error: ErrorDetail }`. An operation that is not known is told without a code, as real services do. */
function nestedError({ code, message, extras }: Refusal): Record<string, unknown> {
  return {
    ...(code === '' ? {} : { code }),
    message,
    ...(extras.target === undefined ? {} : { target: extras.target }),
    details: extras.details ?? [],
  };
}

/** C: `details` is a string. */
function flatError({ code, message, extras }: Refusal): Record<string, unknown> {
  return { code, message, details: extras.target ?? '' };
}

function withRequestId(answer: Answer, call: Call): Answer {
  return { ...answer, headers: { ...answer.headers, 'request-id': call.requestId } };
}
