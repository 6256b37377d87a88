import type { ApiRequest, ApiResponse } from '../http.ts';
import { jsonResponse } from '../http.ts';
import { derivedGuid } from '../seeded.ts';
import type { InstanceAddress } from './instance-address.ts';
import { instanceId } from './instance-address.ts';
import { createProperties } from './instance-properties.ts';
import type { Instance } from './instances.ts';
import type { InstanceOperation } from './operation.ts';
import { endStep, passedSteps } from './operation.ts';
import type { Operations } from './operations.ts';
import { cutPage } from './pages.ts';
import { findComponents, findInstance, toStoredAddress } from './virtual-instances.ts';

/** Responds with an instance (B). The resource is that of the real service, see docs/upstream.md. */
export function respondWithInstance(address: InstanceAddress, { virtualInstances }: Operations): ApiResponse {
  const found = findInstance(virtualInstances, address);
  const stored = { ...toStoredAddress(virtualInstances, address), name: found.name };
  return jsonResponse(200, toResource(found, stored, Date.now()));
}

/** Responds with a page of the instances of a virtual instance. */
export function respondWithInstances(
  request: ApiRequest,
  address: InstanceAddress,
  { virtualInstances, pageSize }: Operations,
): ApiResponse {
  const instances = findComponents(virtualInstances, address);
  const now = Date.now();
  const { value, ...next } = cutPage(request, [...instances.values()], pageSize);
  const stored = toStoredAddress(virtualInstances, address);
  const resources = value.map((one) => toResource(one, { ...stored, name: one.name }, now));
  return jsonResponse(200, { value: resources, ...next });
}

/** The status of an instance without, or before, a running operation. */
export function restingStatus(instance: Instance, now: number): string {
  const { operation, behaviour } = instance;
  if (!operation) return behaviour.status;
  return isSettled(operation, now) ? statusAfter(operation) : operation.before;
}

export function currentStatus(instance: Instance, now: number): string {
  const { operation } = instance;
  if (!operation || isSettled(operation, now)) return restingStatus(instance, now);
  if (operation.part && passedSteps(operation, now) < operation.part.from) return operation.before;
  if (operation.action === 'start') return 'Starting';
  return operation.isSoft && passedSteps(operation, now) < 2 ? 'SoftShutdown' : 'Stopping';
}

function isSettled(operation: InstanceOperation, now: number): boolean {
  const { part, behaviour } = operation;
  const end = endStep(operation);
  // A component that a failed operation never reached keeps its status from the failure on.
  return passedSteps(operation, now) >= (part ? Math.min(part.to, end) : (behaviour.settlesAtStep ?? end));
}

function statusAfter(operation: InstanceOperation): string {
  const { action, behaviour, before, part } = operation;
  if (part) {
    const isReached = part.error === undefined && part.from < endStep(operation);
    return isReached ? statusOfEnd[action] : before;
  }
  if (behaviour.failsAtStep !== undefined) return (action === 'stop' && behaviour.settlesAs) || before;
  return statusOfEnd[action];
}

const statusOfEnd = { stop: 'Offline', start: 'Running' } as const;

export const systemData = {
  createdBy: 'clerk@example',
  createdByType: 'User',
  createdAt: '2025-02-03T15:10:46Z',
  lastModifiedBy: derivedGuid('workload-service'),
  lastModifiedByType: 'Application',
  lastModifiedAt: '2025-10-13T15:43:48.1203530Z',
};

/** The resource of an instance, as on the real service. */
function toResource(instance: Instance, address: InstanceAddress, now: number): Record<string, unknown> {
  const { name, behaviour } = instance;
  const status = currentStatus(instance, now);
  const id = instanceId(address);
  if (behaviour.isSparse) return { id, name, properties: { status } };
  const { namespace, segment, component } = address;
  return {
    id,
    name,
    type: `${namespace}/${segment}/${component}`,
    location: 'north',
    tags: { stage: 'test', owner: 'platform' },
    systemData,
    properties: {
      ...createProperties(instance, address, status, healthForStatus(status)),
      status,
      provisioningState: 'Succeeded',
      errors: null,
      ...behaviour.properties,
    },
  };
}

export function healthForStatus(status: string): string {
  if (status === 'Running') return 'Healthy';
  return status === 'Offline' ? 'Unknown' : 'Degraded';
}
