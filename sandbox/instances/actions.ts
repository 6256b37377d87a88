import { ApiError } from '../api-error.ts';
import { type Caller, forbiddenError } from '../bearer.ts';
import type { ApiRequest, ApiResponse } from '../http.ts';
import { emptyResponse, hasJsonContentType, jsonResponse } from '../http.ts';
import { managementTokenErrors } from '../management-requests.ts';
import type { RejectedAction } from './behaviour.ts';
import type { InstanceAddress } from './instance-address.ts';
import { type Instance, type Instances, machineName } from './instances.ts';
import { isEnded } from './operation.ts';
import type { Operations } from './operations.ts';
import { invalidParameterError } from './parameters.ts';
import { restingStatus } from './resource.ts';
import { finalStatus, followHeaders, operationStatus, retryAfterHeader } from './status.ts';
import { findComponents, findInstance } from './virtual-instances.ts';

/** Starts or stops an instance (B). Its name decides the outcome: see `GET /sandbox`. */
export function handleAction(
  request: ApiRequest,
  caller: Caller,
  action: 'start' | 'stop',
  address: InstanceAddress,
  operations: Operations,
): ApiResponse {
  const instance = findInstance(operations.virtualInstances, address);
  if (caller.isReader) throw forbiddenError(managementTokenErrors);
  const isSoft = readSoftStopSeconds(request, action) > 0;
  const { behaviour } = instance;
  const { answer, refusal } = behaviour;
  if (refusal && !refusal.carriedOut) return rejectionResponse(refusal, {});
  checkIsNoPart(instance);
  checkMachineIsFree(instance, findComponents(operations.virtualInstances, address));

  const isAtOnce = answer === 'done' || answer === 'empty';
  const operation = operations.begin({
    action,
    instance: address,
    behaviour,
    before: restingStatus(instance, Date.now()),
    principal: caller.token,
    stepMs: isAtOnce ? 0 : operations.stepMs,
    isSoft,
  });
  instance.operation = operation;

  const now = operation.startedAt;
  const waiting = behaviour.retryAfter === undefined ? {} : retryAfterHeader(operation, now);
  const followed = { ...followHeaders(request, operation), ...waiting };
  if (refusal) return rejectionResponse(refusal, refusal.carriedOut === 'followed' ? followed : {});
  switch (answer) {
    case 'done':
      return jsonResponse(200, finalStatus(operation));
    case 'empty':
      return emptyResponse(200);
    case 'unfollowed':
      return emptyResponse(202);
    case 'accepted':
      return emptyResponse(202, followed);
    case 'tracked':
      return jsonResponse(200, { ...operationStatus(operation, now), status: 'InProgress' }, followed);
  }
}

function rejectionResponse(
  { status, error, text, headers = {} }: RejectedAction,
  followed: Record<string, string>,
): ApiResponse {
  const all = { ...headers, ...followed };
  if (text === undefined) return jsonResponse(status, { error }, all);
  return { status, headers: { 'content-type': 'text/html', ...all }, body: text };
}

/** Throws an `ApiError` (409) while the whole system of the instance starts or stops. */
function checkIsNoPart({ name, operation }: Instance): void {
  if (!operation?.part || isEnded(operation, Date.now())) return;
  throw new ApiError(409, 'Conflict', `The instance '${name}' is being changed.`, {
    target: operation.instance.virtualInstance,
    details: [
      { code: 'OperationInProgress', message: 'Retry after the operation of its system has finished.' },
    ],
  });
}

/** Throws an `ApiError` (409) while another instance on the same machine starts or stops. */
function checkMachineIsFree(instance: Instance, instances: Instances): void {
  const machine = machineName(instance);
  const now = Date.now();
  for (const other of instances.values()) {
    if (other === instance && instance.behaviour.machine === undefined) continue;
    if (machineName(other) !== machine || !other.operation || isEnded(other.operation, now)) continue;
    throw new ApiError(409, 'Conflict', `Another instance on the machine '${machine}' is being changed.`, {
      target: other.name,
      details: [{ code: 'OperationInProgress', message: 'Retry after it has finished.' }],
    });
  }
}

/**
 * Reads the timeout of a soft stop in seconds. 0, the default, is a hard stop (Limits). The body of a start
 * has no fields.
 */
export function readSoftStopSeconds(request: ApiRequest, action: 'start' | 'stop'): number {
  if (request.body === '') return 0;
  if (!hasJsonContentType(request))
    throw new ApiError(415, 'UnsupportedMediaType', 'The content type must be application/json.');
  const body = parseActionBody(request.body);
  if (typeof body !== 'object' || body === null || Array.isArray(body)) throw invalidContentError();
  const { softStopTimeoutSeconds = 0, ...rest } = body as Record<string, unknown>;
  const unknown = action === 'start' ? Object.keys(body) : Object.keys(rest);
  if (unknown[0] !== undefined)
    throw invalidParameterError(unknown[0], `It is not a field of the body of a ${action}.`);
  // An int64, whose maximum is just below the double 2^63.
  const isSeconds = Number.isInteger(softStopTimeoutSeconds) && (softStopTimeoutSeconds as number) < 2 ** 63;
  if (!isSeconds || (softStopTimeoutSeconds as number) < 0) {
    throw invalidParameterError('softStopTimeoutSeconds', 'It must be an integer of at least 0.');
  }
  return softStopTimeoutSeconds as number;
}

function parseActionBody(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    throw invalidContentError();
  }
}

function invalidContentError(): ApiError {
  return new ApiError(400, 'InvalidRequestContent', 'The request body must be a JSON object.');
}
