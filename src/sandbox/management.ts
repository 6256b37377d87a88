import { answerEvents, isEventPath, isRefusedFlat } from './health/health.ts';
import type { Answer, Call } from './http.ts';
import { decodeSegment, json } from './http.ts';
import { answerInstances } from './instances/answers.ts';
import type { Operations } from './instances/operations.ts';
import { Refusal } from './refusal.ts';

/** True for the paths that belong to areas B and C. */
export function isManagementPath(path: string): boolean {
  return /^\/(subscriptions|providers)(\/|$)/i.test(path);
}

/** Answers a request of area B or C; refusals are nested in B and, but for one, flat in C (Errors). */
export function answerManagement(call: Call, operations: Operations): Answer {
  const segments = call.path
    .split('/')
    .slice(1)
    .map((segment) => decodeSegment(segment) ?? segment);
  try {
    if (call.isBodyTooLarge)
      throw new Refusal(413, 'RequestEntityTooLarge', 'The request body is too large.');
    const answer = isEventPath(segments)
      ? answerEvents(call, segments, operations.events)
      : answerInstances(call, segments, operations);
    return withRequestId(answer, call);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const body = isRefusedFlat(segments, error.status) ? flatError(error) : { error: nestedError(error) };
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
