import { ApiError } from '../api-error.ts';
import { type Caller, principalOf, readCaller } from '../bearer.ts';
import { type ApiRequest, type ApiResponse, emptyResponse, jsonResponse } from '../http.ts';
import { checkApiVersion, checkMethod, managementTokenErrors } from '../management-requests.ts';
import type { InstanceOperation, OperationAddress } from './operation.ts';
import { isEnded, passedSteps, statusPath } from './operation.ts';
import {
  finalStatus,
  locationHeader,
  operationStatus,
  retryAfterHeader,
  statusHeader,
} from './operation-status.ts';
import type { Operations } from './operations.ts';
import { equalsIgnoringCase, instanceApiVersion } from './parameters.ts';

const pollErrorCodes: Readonly<Record<number, string>> = {
  401: managementTokenErrors.expired,
  403: managementTokenErrors.denied,
  404: '',
  429: 'SubscriptionRequestsThrottled',
};

/**
 * Responds with the status of an operation. Returns undefined when the path is not a status address. Only the
 * caller who started the operation may read it, and only with the exact address.
 */
export function handleStatusRequest(
  request: ApiRequest,
  segments: readonly string[],
  operations: Operations,
): ApiResponse | undefined {
  const [, , , , locations, , statuses, name, ...beyond] = segments;
  const isResult = equalsIgnoringCase(statuses, 'operationResults');
  const isOperation =
    equalsIgnoringCase(locations, 'locations') &&
    (isResult || equalsIgnoringCase(statuses, 'operationStatuses'));
  if (!isOperation || name === undefined || beyond.length > 0) return undefined;

  const caller = readCaller(request, managementTokenErrors);
  checkMethod(request, 'GET');
  const found = operations.find(name);
  checkApiVersion(request, found?.operation.behaviour.apiVersion ?? instanceApiVersion);
  // Without a code, as on real services.
  if (!found) throw new ApiError(404, '', `Operation ${name} not found.`);
  const { operation, address } = found;
  checkStatusReader(request, caller, operation, address);
  operation.polls += 1;
  const disturbed = pollFaultResponse(operation, caller);
  if (disturbed) return disturbed;

  const now = Date.now();
  if (isResult) return locationResponse(request, operation, now);
  const { movesAtStep } = operation.behaviour;
  const moved =
    movesAtStep !== undefined && passedSteps(operation, now) >= movesAtStep
      ? statusHeader(request, operation, operations.moveAddress(operation))
      : {};
  const headers = { ...retryAfterHeader(operation, now), ...moved };
  return jsonResponse(200, operationStatus(operation, now, address), headers);
}

/** The response of `Location`: 202 while running, then the result. */
function locationResponse(request: ApiRequest, operation: InstanceOperation, now: number): ApiResponse {
  const { behaviour } = operation;
  if (!isEnded(operation, now) || behaviour.result === 202)
    return emptyResponse(202, { ...locationHeader(request, operation), ...retryAfterHeader(operation, now) });
  if (behaviour.failsAtStep !== undefined) return jsonResponse(409, { error: behaviour.error });
  return behaviour.result === 200 ? jsonResponse(200, finalStatus(operation)) : emptyResponse(204);
}

function checkStatusReader(
  request: ApiRequest,
  caller: Caller,
  operation: InstanceOperation,
  address: OperationAddress,
): void {
  const isTheirs = principalOf(operation.principal) === principalOf(caller.token);
  const isPathAsGiven = !operation.behaviour.isSealed || request.path === statusPath(operation, address);
  const isAsGiven = request.query === address.query && isPathAsGiven;
  if (isTheirs && isAsGiven) return;
  throw new ApiError(
    403,
    managementTokenErrors.denied,
    'Only the caller who started the operation may retrieve its status, with the address that was given.',
  );
}

/** The response of a fault for this poll, if any. A 401 applies only to the token that started the operation. */
function pollFaultResponse(
  { polls, behaviour, principal }: InstanceOperation,
  caller: Caller,
): ApiResponse | undefined {
  const found = behaviour.polls?.find(({ from, to = polls }) => from <= polls && polls <= to);
  if (!found || (found.status === 401 && caller.token !== principal)) return undefined;
  const { status, retryAfter: wait } = found;
  const headers = wait === undefined ? {} : { 'retry-after': wait };
  if (status === 200) return emptyResponse(200);
  throw new ApiError(status, pollErrorCodes[status] ?? 'InternalServerError', 'The status cannot be read.', {
    headers,
  });
}
