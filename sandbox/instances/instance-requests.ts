import { ApiError } from '../api-error.ts';
import { type Caller, forbiddenError, readCaller } from '../bearer.ts';
import type { ApiRequest, ApiResponse } from '../http.ts';
import { emptyResponse, hasJsonContentType, jsonResponse } from '../http.ts';
import { readJsonObject } from '../json-checks.ts';
import { managementTokenErrors } from '../management-requests.ts';
import { defaultBehaviour, type RejectedAction } from './behaviour.ts';
import {
  type ComponentKind,
  type InstanceAddress,
  instanceId,
  notFoundError,
  type VirtualInstanceAddress,
} from './instance-address.ts';
import { type Instance, type Instances, machineName } from './instances.ts';
import { isEnded } from './operation.ts';
import type { Operations } from './operations.ts';
import { invalidParameterError, parseInstanceTarget } from './parameters.ts';
import {
  respondWithInstance,
  respondWithInstances,
  respondWithVirtualInstance,
  respondWithVirtualInstances,
  restingStatus,
} from './resource.ts';
import {
  finalStatus,
  followHeaders,
  handleStatusRequest,
  operationStatus,
  retryAfterHeader,
} from './status.ts';
import { findComponents, findVirtualInstance, type VirtualInstance } from './virtual-instances.ts';

/** Handles a request of area B. */
export function handleInstanceRequest(
  request: ApiRequest,
  segments: readonly string[],
  operations: Operations,
): ApiResponse {
  const status = handleStatusRequest(request, segments, operations);
  if (status) return status;
  const caller = readCaller(request, managementTokenErrors);
  const target = parseInstanceTarget(request, segments);
  switch (target.kind) {
    case 'virtualInstances':
      return respondWithVirtualInstances(request, target.scope, operations);
    case 'virtualInstance':
      return respondWithVirtualInstance(target.address, operations);
    case 'startSystem':
      return handleSystemAction(request, caller, 'start', target.address, operations);
    case 'stopSystem':
      return handleSystemAction(request, caller, 'stop', target.address, operations);
    case 'list':
      return respondWithInstances(request, target.address, operations);
    case 'instance':
      return respondWithInstance(target.address, operations);
    default:
      return handleAction(request, caller, target.kind, target.address, operations);
  }
}

/** Starts or stops an instance (B). Its name decides the outcome: see `GET /sandbox`. */
function handleAction(
  request: ApiRequest,
  caller: Caller,
  action: 'start' | 'stop',
  address: InstanceAddress,
  operations: Operations,
): ApiResponse {
  const { instance, instances } = findComponents(operations.virtualInstances, address);
  if (!instance) throw notFoundError('Resource', address.name);
  if (caller.isReader) throw forbiddenError(managementTokenErrors);
  const isSoft = readSoftStopSeconds(request, action) > 0;
  const { behaviour } = instance;
  const { answer, refusal } = behaviour;
  if (refusal && !refusal.carriedOut) return rejectionResponse(refusal, {});
  checkIsFree(instance, instances);

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

const isBusy = ({ operation }: Instance): boolean =>
  operation !== undefined && !isEnded(operation, Date.now());

/** Throws an `ApiError` (409) while the whole system of the instance, or another one on its machine, starts or stops. */
function checkIsFree(instance: Instance, instances: Instances): void {
  const { name, behaviour, operation } = instance;
  if (operation?.part && isBusy(instance))
    throw busyError(`The instance '${name}'`, operation.instance.virtualInstance);
  const machine = machineName(instance);
  const busy = [...instances.values()].find(
    (other) =>
      isBusy(other) &&
      machineName(other) === machine &&
      (other !== instance || behaviour.machine !== undefined),
  );
  if (busy) throw busyError(`Another instance on the machine '${machine}'`, busy.name);
}

function busyError(subject: string, target: string): ApiError {
  const details = [{ code: 'OperationInProgress', message: 'Retry after it has finished.' }];
  return new ApiError(409, 'Conflict', `${subject} is being changed.`, { target, details });
}

/**
 * Reads the timeout of a soft stop in seconds. 0, the default, is a hard stop (Limits). The body of a start
 * has no fields.
 */
function readSoftStopSeconds(request: ApiRequest, action: 'start' | 'stop'): number {
  if (request.body === '') return 0;
  if (!hasJsonContentType(request))
    throw new ApiError(415, 'UnsupportedMediaType', 'The content type must be application/json.');
  const body = readActionBody(request.body);
  const { softStopTimeoutSeconds = 0, ...rest } = body;
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

function readActionBody(body: string): Record<string, unknown> {
  try {
    return readJsonObject(body);
  } catch {
    throw new ApiError(400, 'InvalidRequestContent', 'The request body must be a JSON object.');
  }
}

/**
 * From which step to which the components of each kind are stopped or started: application servers stop before the central
 * instances that coordinate them, and start after them. Databases are no part of it (gap: see docs/upstream.md).
 */
const order: Readonly<Record<'start' | 'stop', readonly SystemStage[]>> = {
  stop: [
    ['applicationInstances', 0, 3],
    ['centralInstances', 3, 5],
  ],
  start: [
    ['centralInstances', 0, 3],
    ['applicationInstances', 3, 5],
  ],
};

type SystemStage = readonly [kind: ComponentKind, from: number, to: number];

/** Starts or stops a virtual instance (B): one operation, with a nested one for each of its components. */
function handleSystemAction(
  request: ApiRequest,
  caller: Caller,
  action: 'start' | 'stop',
  address: VirtualInstanceAddress,
  operations: Operations,
): ApiResponse {
  const system = findVirtualInstance(operations.virtualInstances, address, 'Resource');
  if (caller.isReader) throw forbiddenError(managementTokenErrors);
  const isSoft = readSoftStopSeconds(request, action) > 0;
  const { subscription, group, namespace, segment } = address;
  const place = { subscription, group, namespace, segment, virtualInstance: system.name };
  const concerned = listConcerned(system, action, place);
  const busy = concerned.find(({ instance }) => isBusy(instance));
  if (busy) throw busyError(`The instance '${busy.instance.name}'`, busy.instance.name);
  const whole = operations.begin({
    action,
    principal: caller.token,
    stepMs: operations.stepMs,
    isSoft,
    instance: { ...place, component: 'applicationInstances', name: system.name },
    behaviour: defaultBehaviour,
    before: 'Running',
    parts: concerned.map(({ part }) => part),
  });
  for (const { instance, address: own, part } of concerned) {
    const before = restingStatus(instance, Date.now());
    instance.operation = { ...whole, instance: own, part, before };
  }
  return emptyResponse(202, followHeaders(request, whole));
}

/** The components of a system in their order. */
const listConcerned = (
  { components }: VirtualInstance,
  action: 'start' | 'stop',
  place: VirtualInstanceAddress,
) =>
  order[action].flatMap(([component, from, to]) =>
    [...components[component].values()].map((instance) => {
      const address = { ...place, component, name: instance.name };
      return { instance, address, part: { id: instanceId(address), name: instance.name, from, to } };
    }),
  );
