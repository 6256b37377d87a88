import { ApiError } from '../api-error.ts';
import { type Caller, principalOf, readCaller } from '../bearer.ts';
import { type ApiRequest, type ApiResponse, emptyResponse, jsonResponse } from '../http.ts';
import { checkApiVersion, checkMethod, managementTokenErrors } from '../management-requests.ts';
import { instanceId } from './instance-address.ts';
import {
  endStep,
  type InstanceOperation,
  isEnded,
  type OperationAddress,
  type OperationPart,
  operationSteps,
  passedSteps,
  statusPath,
} from './operation.ts';
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

/** The OperationStatusResult (B) of an operation at a time, for one of its addresses. */
export function operationStatus(
  operation: InstanceOperation,
  now: number,
  address: OperationAddress = operation.address,
): Record<string, unknown> {
  const { behaviour, instance, newAddress } = operation;
  const end = endStep(operation);
  const hasMoved = newAddress !== undefined && address !== newAddress;
  const last = hasMoved ? Math.min(end, behaviour.movesAtStep ?? end) : Math.min(end, operationSteps);
  const passed = Math.min(passedSteps(operation, now), last);
  const isEnded = passed === end;
  // An endless operation remains at the start of the last step.
  const step = isEnded ? passed : Math.min(passed, operationSteps - 1);
  const id = statusPath(operation, address);
  const body = {
    id: behaviour.isSelfNamed ? instanceId(instance) : id,
    name: behaviour.isSelfNamed ? instance.name : address.name,
    status: isEnded ? finalStatusWord(operation) : valueAtStep(behaviour.words, step),
    startTime: timeAt(operation, 0),
    ...(isEnded ? { endTime: timeAt(operation, end) } : {}),
    percentComplete: behaviour.percents
      ? valueAtStep(behaviour.percents, step)
      : (step * 100) / operationSteps,
    operations: (operation.parts ?? phasesFor(operation, id)).map((part) =>
      partStatus(operation, part, step),
    ),
    ...(isEnded && behaviour.error ? { error: behaviour.error } : {}),
    ...behaviour.body,
    ...(isEnded ? behaviour.endBody : {}),
  };
  return Object.fromEntries(Object.entries(body).filter(([field]) => !behaviour.omit?.includes(field)));
}

/** The final status of an operation, with the id and name of the instance. */
export function finalStatus(operation: InstanceOperation): Record<string, unknown> {
  const { instance, behaviour } = operation;
  return {
    id: instanceId(instance),
    name: instance.name,
    status: finalStatusWord(operation),
    startTime: timeAt(operation, 0),
    endTime: timeAt(operation, Math.min(endStep(operation), operationSteps)),
    error: behaviour.error ?? null,
  };
}

function finalStatusWord({ behaviour }: InstanceOperation): string {
  return behaviour.endWord ?? (behaviour.failsAtStep === undefined ? 'Succeeded' : 'Failed');
}

/** The start time of a step, in the form of the instance. */
function timeAt(operation: InstanceOperation, step: number): string {
  const time = new Date(operation.startedAt + step * operation.stepMs).toISOString();
  switch (operation.behaviour.times) {
    case 'iso':
      return time;
    case 'seven':
      return time.replace('Z', '3530+00:00');
    case 'blank':
      return time.replace('T', ' ').replace('Z', ' +0000');
  }
}

/** The nested operations. The timeout of a soft shutdown does not change its duration. */
function phasesFor({ action, isSoft }: InstanceOperation, id: string): OperationPart[] {
  const phase = (name: string, from: number, to: number) => ({
    id: `${id}/operations/${name}`,
    name,
    from,
    to,
  });
  return [
    ...(isSoft ? [phase('soft-shutdown', 0, 2)] : []),
    phase(`${action}-process`, isSoft ? 2 : 0, 4),
    phase('verify', 4, 5),
  ];
}

/** The nested operation of a phase or, of a virtual instance, of a component (gap: see docs/upstream.md). */
function partStatus(
  operation: InstanceOperation,
  { id, name, from, to }: OperationPart,
  step: number,
): Record<string, unknown> {
  const base = { id, name };
  const { failsAtStep, error, depth } = operation.behaviour;
  const failsHere =
    failsAtStep !== undefined && step >= failsAtStep && from <= failsAtStep && failsAtStep < to;
  const percentComplete = Math.round(Math.max(0, Math.min(100, ((step - from) * 100) / (to - from))));
  if (step < from) return nestOperations({ ...base, status: 'NotStarted', percentComplete: 0 }, depth);
  const startTime = timeAt(operation, from);
  if (step < to && !failsHere)
    return nestOperations({ ...base, status: 'InProgress', startTime, percentComplete }, depth);
  const ended = {
    ...base,
    status: failsHere ? finalStatusWord(operation) : 'Succeeded',
    startTime,
    endTime: timeAt(operation, failsHere ? step : to),
    percentComplete,
    ...(failsHere && error ? { error } : {}),
  };
  return nestOperations(ended, depth);
}

/** Nests copies of a status below it. */
function nestOperations(status: Record<string, unknown>, depth: number): Record<string, unknown> {
  if (depth === 0) return status;
  const below = { ...status, id: `${status.id}/operations/part`, name: `${status.name}-part` };
  return { ...status, operations: [nestOperations(below, depth - 1)] };
}

function valueAtStep(list: readonly unknown[], step: number): unknown {
  return list[Math.min(step, list.length - 1)];
}

/** The headers with the addresses of an operation's status. */
export function followHeaders(request: ApiRequest, operation: InstanceOperation): Record<string, string> {
  const { follow } = operation.behaviour;
  return {
    ...(follow === 'location' ? {} : statusHeader(request, operation, operation.address)),
    ...(follow === 'status' ? {} : locationHeader(request, operation)),
  };
}

const locationHeader = (request: ApiRequest, operation: InstanceOperation): Record<string, string> => ({
  location: formatAddress(
    request,
    operation,
    operation.address,
    operation.behaviour.result === 'status' ? 'operationStatuses' : 'operationResults',
  ),
});

const statusHeader = (request: ApiRequest, operation: InstanceOperation, address: OperationAddress) => ({
  [operation.behaviour.header]: formatAddress(request, operation, address, 'operationStatuses'),
});

/** `Retry-After` as the instance defines it, or the duration of a step in whole seconds. */
export function retryAfterHeader(operation: InstanceOperation, now: number): Record<string, string> {
  const { behaviour, stepMs } = operation;
  if (isEnded(operation, now)) return {};
  if (behaviour.retryAfter === 'date') return { 'retry-after': new Date(now + 2_000).toUTCString() };
  if (behaviour.retryAfter === '') return {};
  if (behaviour.retryAfter !== undefined) return { 'retry-after': behaviour.retryAfter };
  return stepMs >= 1000 ? { 'retry-after': String(Math.floor(stepMs / 1000)) } : {};
}

/** Formats an address by the template of the instance. */
function formatAddress(
  { origin }: ApiRequest,
  operation: InstanceOperation,
  address: OperationAddress,
  segment: 'operationStatuses' | 'operationResults',
): string {
  const path = `${statusPath(operation, address, segment)}?${address.query}`;
  const host = origin.replace(/^https?:\/\//, '');
  const parts: Readonly<Record<string, string>> = { origin, host, path, relative: path.slice(1) };
  return operation.behaviour.address.replace(/\{(\w+)\}/g, (mark, name) => parts[name] ?? mark);
}
