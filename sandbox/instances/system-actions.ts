import { ApiError } from '../api-error.ts';
import { type Caller, forbiddenError } from '../bearer.ts';
import { type ApiRequest, type ApiResponse, emptyResponse } from '../http.ts';
import { managementTokenErrors } from '../management-requests.ts';
import { readSoftStopSeconds } from './actions.ts';
import { defaultBehaviour } from './behaviour.ts';
import {
  type ComponentKind,
  type InstanceAddress,
  instanceId,
  type VirtualInstanceAddress,
} from './instance-address.ts';
import type { Instance } from './instances.ts';
import { isEnded, type OperationPart } from './operation.ts';
import type { Operations } from './operations.ts';
import { restingStatus } from './resource.ts';
import { followHeaders } from './status.ts';
import { findVirtualInstance, type VirtualInstance } from './virtual-instances.ts';

/**
 * From which step to which the components of each kind are stopped or started: application servers stop before the central
 * instances that coordinate them, and start after them. Databases are no part of it (gap: see docs/upstream.md).
 */
const order: Readonly<Record<'start' | 'stop', readonly SystemStage[]>> = {
  stop: [
    { kind: 'applicationInstances', from: 0, to: 3 },
    { kind: 'centralInstances', from: 3, to: 5 },
  ],
  start: [
    { kind: 'centralInstances', from: 0, to: 3 },
    { kind: 'applicationInstances', from: 3, to: 5 },
  ],
};

interface SystemStage {
  readonly kind: ComponentKind;
  readonly from: number;
  readonly to: number;
}

interface Concerned {
  readonly instance: Instance;
  readonly address: InstanceAddress;
  readonly part: OperationPart;
}

/** Starts or stops a virtual instance (B): one operation, with a nested one for each of its components. */
export function handleSystemAction(
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
  checkIsFree(concerned.map(({ instance }) => instance));
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
): readonly Concerned[] =>
  order[action].flatMap(({ kind, from, to }) =>
    [...components[kind].values()].map((instance) => {
      const address = { ...place, component: kind, name: instance.name };
      return { instance, address, part: { id: instanceId(address), name: instance.name, from, to } };
    }),
  );

/** Throws an `ApiError` (409) while an instance of the system starts or stops. */
function checkIsFree(instances: readonly Instance[]): void {
  const now = Date.now();
  const busy = instances.find(({ operation }) => operation && !isEnded(operation, now));
  if (!busy) return;
  throw new ApiError(409, 'Conflict', `The instance '${busy.name}' is being changed.`, {
    target: busy.name,
    details: [{ code: 'OperationInProgress', message: 'Retry after it has finished.' }],
  });
}
