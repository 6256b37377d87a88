import { expectVersion } from '../api-version.ts';
import type { Caller } from '../bearer.ts';
import { readCaller } from '../bearer.ts';
import type { Answer, Call } from '../http.ts';
import { empty, json } from '../http.ts';
import { Refusal } from '../refusal.ts';
import { locationHeader, retryAfter, statusHeader } from './follow.ts';
import { endOf, statusOf } from './operation-status.ts';
import type { Operation, OperationAddress, Operations } from './operations.ts';
import { isEnded, passedSteps, statusPath } from './operations.ts';
import { apiVersion, codes, expectMethod, same } from './parameters.ts';

const pollCodes: Readonly<Record<number, string>> = {
  401: codes.expired,
  403: codes.denied,
  404: '',
  429: 'SubscriptionRequestsThrottled',
};

/**
 * Reads how an operation stands, or undefined when the path is no status address. Only the
 * caller who started it may, and with the address exactly as given.
 */
export function readOperation(
  call: Call,
  segments: readonly string[],
  operations: Operations,
): Answer | undefined {
  const [, , , , locations, , statuses, name, ...beyond] = segments;
  const isResult = same(statuses, 'operationResults');
  const isOperation = same(locations, 'locations') && (isResult || same(statuses, 'operationStatuses'));
  if (!isOperation || name === undefined || beyond.length > 0) return undefined;

  const caller = readCaller(call, codes);
  expectMethod(call, 'GET');
  const found = operations.find(name);
  expectVersion(call, found?.operation.behaviour.apiVersion ?? apiVersion);
  // Told without a code, as real services do.
  if (!found) throw new Refusal(404, '', `Operation ${name} not found.`);
  const { operation, address } = found;
  checkReader(call, caller, operation, address);
  operation.polls += 1;
  const disturbed = disturbedPoll(operation, caller);
  if (disturbed) return disturbed;

  const now = Date.now();
  if (isResult) return resultOf(call, operation, now);
  const { movesAtStep } = operation.behaviour;
  const moved =
    movesAtStep !== undefined && passedSteps(operation, now) >= movesAtStep
      ? statusHeader(call, operation, operations.move(operation))
      : {};
  const headers = { ...retryAfter(operation, now), ...moved };
  return json(200, statusOf(operation, now, address), headers);
}

/** What `Location` leads to: 202 while running, then what the action would have answered at once. */
function resultOf(call: Call, operation: Operation, now: number): Answer {
  const { behaviour } = operation;
  if (!isEnded(operation, now) || behaviour.result === 202)
    return empty(202, { ...locationHeader(call, operation), ...retryAfter(operation, now) });
  if (behaviour.failsAtStep !== undefined) return json(409, { error: behaviour.error });
  return behaviour.result === 200 ? json(200, endOf(operation)) : empty(204);
}

function checkReader(call: Call, caller: Caller, operation: Operation, address: OperationAddress): void {
  const isTheirs = principalOf(operation.principal) === principalOf(caller.token);
  const isPathAsGiven = !operation.behaviour.isSealed || call.path === statusPath(operation, address);
  const isAsGiven = call.query === address.query && isPathAsGiven;
  if (isTheirs && isAsGiven) return;
  throw new Refusal(
    403,
    codes.denied,
    'Only the caller who started the operation may retrieve its status, with the address that was given.',
  );
}

/** What follows a tilde tells the tokens of one caller apart: a renewed one is `clerk~2`. */
function principalOf(token: string): string {
  return token.split('~', 1)[0] ?? token;
}

/** What this poll is answered instead; a renewed token is not refused as expired. */
function disturbedPoll({ polls, behaviour, principal }: Operation, caller: Caller): Answer | undefined {
  const found = behaviour.polls?.find(({ from, to = polls }) => from <= polls && polls <= to);
  if (!found || (found.status === 401 && caller.token !== principal)) return undefined;
  const { status, retryAfter: wait } = found;
  const headers = wait === undefined ? {} : { 'retry-after': wait };
  if (status === 204) return empty(204);
  throw new Refusal(status, pollCodes[status] ?? 'InternalServerError', 'The status cannot be read.', {
    headers,
  });
}
