import type { ApiRequest, ApiResponse } from '../http.ts';
import { jsonResponse } from '../http.ts';
import {
  type VirtualInstanceAddress,
  type VirtualInstanceScope,
  virtualInstanceId,
} from './instance-address.ts';
import type { Operations } from './operations.ts';
import { cutPage } from './pages.ts';
import { currentStatus, healthForStatus, systemData } from './resource.ts';
import { findVirtualInstance, listVirtualInstances, type VirtualInstance } from './virtual-instances.ts';

/** Responds with a virtual instance (B). The resource is that of the real service, see docs/upstream.md. */
export function respondWithVirtualInstance(
  address: VirtualInstanceAddress,
  { virtualInstances }: Operations,
): ApiResponse {
  const found = findVirtualInstance(virtualInstances, address, 'Resource');
  const stored = { ...address, group: found.group, virtualInstance: found.name };
  return jsonResponse(200, toResource(found, stored, Date.now()));
}

/** Responds with a page of the virtual instances of a subscription or resource group. */
export function respondWithVirtualInstances(
  request: ApiRequest,
  scope: VirtualInstanceScope,
  { virtualInstances, pageSize }: Operations,
): ApiResponse {
  const now = Date.now();
  const { value, ...next } = cutPage(request, listVirtualInstances(virtualInstances, scope), pageSize);
  const resources = value.map((one) =>
    toResource(one, { ...scope, group: one.group, virtualInstance: one.name }, now),
  );
  return jsonResponse(200, { value: resources, ...next });
}

function toResource(one: VirtualInstance, address: VirtualInstanceAddress, now: number): object {
  const status = summarizeStatus(one, now);
  return {
    id: virtualInstanceId(address),
    name: one.name,
    type: `${address.namespace}/${address.segment}`,
    location: 'north',
    tags: { stage: 'test', owner: 'platform' },
    systemData,
    properties: {
      environment: one.environment,
      sapProduct: 'S4HANA',
      configuration: { configurationType: 'Discovery' },
      managedResourceGroupConfiguration: { name: `mrg-${one.name}` },
      status,
      health: healthForStatus(status),
      state: 'RegistrationComplete',
      provisioningState: 'Succeeded',
      ...one.properties,
    },
  };
}

/** The status that all components have; otherwise only some of the system runs. */
function summarizeStatus({ components }: VirtualInstance, now: number): string {
  const statuses = new Set(
    Object.values(components).flatMap((instances) =>
      [...instances.values()].map((instance) => currentStatus(instance, now)),
    ),
  );
  const [only = ''] = statuses;
  return statuses.size === 1 ? only : 'PartiallyRunning';
}
