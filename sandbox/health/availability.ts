import { ApiError } from '../api-error.ts';
import { readCaller } from '../bearer.ts';
import { type ApiRequest, type ApiResponse, jsonResponse } from '../http.ts';
import {
  type InstanceAddress,
  instanceId,
  notFoundError,
  sandboxLocation,
  virtualInstanceId,
} from '../instances/instance-address.ts';
import { respondWithPage } from '../instances/parameters.ts';
import { createProperties, currentStatus } from '../instances/resource.ts';
import type { VirtualInstance } from '../instances/virtual-instances.ts';
import { checkApiVersion, checkMethod, managementTokenErrors } from '../management-requests.ts';

/** What was set by hand of resources, by their ids in lower case: it replaces what follows from their status. */
export type AvailabilityOverrides = Map<string, Readonly<Record<string, unknown>>>;

const statusesPerPage = 20;

/** True for the availability of a resource, and for the list of a subscription or resource group. */
export function isAvailabilityPath(segments: readonly string[]): boolean {
  return /\/providers\/[^/]+\/availabilityStatuses(?:\/current)?$/i.test(segments.join('/'));
}

/**
 * Handles a request for the availability of resources, as the real service has it. Machines, virtual instances,
 * application server and central instances are watched; database instances are not, and nothing is of any other kind.
 */
export function handleAvailabilityRequest(
  request: ApiRequest,
  segments: readonly string[],
  virtualInstances: readonly VirtualInstance[],
  overrides: AvailabilityOverrides,
): ApiResponse {
  readCaller(request, managementTokenErrors);
  checkMethod(request, 'GET');
  checkApiVersion(request, '2025-05-01');
  const isList = segments.at(-1)?.toLowerCase() !== 'current';
  const scope = segments.slice(0, isList ? -3 : -4);
  if (scope[1]?.toLowerCase() !== sandboxLocation.subscription)
    throw notFoundError('Subscription', scope[1] ?? '');
  const all = listStatuses(virtualInstances, overrides);
  const wanted = `/${scope.join('/')}`.toLowerCase();
  if (isList) {
    const below = all.filter(([id]) => id.toLowerCase().startsWith(`${wanted}/`));
    return respondWithPage(request, below, statusesPerPage, ([id, properties]) => toStatus(id, properties));
  }
  const found = all.find(([id]) => id.toLowerCase() === wanted);
  if (found) return jsonResponse(200, toStatus(...found));
  if (scope.some((segment) => segment.toLowerCase() === 'databaseinstances'))
    throw new ApiError(422, 'UnsupportedResource', 'The resource type is not supported.');
  throw notFoundError('Resource', scope.at(-1) ?? '');
}

type Status = readonly [resourceId: string, properties: Readonly<Record<string, unknown>>];

function listStatuses(
  virtualInstances: readonly VirtualInstance[],
  overrides: AvailabilityOverrides,
): readonly Status[] {
  const now = Date.now();
  const found = new Map<string, Readonly<Record<string, unknown>>>();
  for (const { group, name: virtualInstance, components } of virtualInstances) {
    const place = {
      subscription: sandboxLocation.subscription,
      group,
      namespace: 'Vendor.Workloads',
      segment: 'virtualInstances',
      virtualInstance,
    };
    found.set(virtualInstanceId(place), propertiesFor('Running'));
    for (const component of ['applicationInstances', 'centralInstances', 'databaseInstances'] as const)
      for (const instance of components[component].values()) {
        const address: InstanceAddress = { ...place, component, name: instance.name };
        const properties = propertiesFor(currentStatus(instance, now));
        for (const { virtualMachineId } of machinesOf(createProperties(instance, address, '', '')))
          found.set(virtualMachineId, properties);
        if (component !== 'databaseInstances') found.set(instanceId(address), properties);
      }
  }
  return [...found].map(([id, properties]) => [id, overrides.get(id.toLowerCase()) ?? properties]);
}

const machinesOf = ({ vmDetails }: Record<string, unknown>) =>
  vmDetails as readonly { readonly virtualMachineId: string }[];

const toStatus = (id: string, properties: Readonly<Record<string, unknown>>) => ({
  id: `${id}/providers/Vendor.Health/availabilityStatuses/current`,
  name: 'current',
  type: 'Vendor.Health/AvailabilityStatuses',
  location: 'north',
  properties,
});

/** What the service finds of a resource whose status is this. */
function propertiesFor(status: string): Readonly<Record<string, unknown>> {
  const times = { occuredTime: '2025-10-13T15:43:48.1203530Z', reportedTime: '2025-11-01T08:00:00Z' };
  if (status === 'Running')
    return {
      ...times,
      availabilityState: 'Available',
      title: 'Available',
      summary: 'There aren&#39;t any <b>known</b> problems.',
      reasonType: '',
      detailedStatus: null,
    };
  return {
    ...times,
    availabilityState: status === 'Offline' ? 'Unavailable' : 'Degraded',
    title: status === 'Offline' ? 'Stopped' : 'Impaired',
    summary: `<p>It is ${status}.</p>`,
    detailedStatus: '<p>Somebody stopped it &amp; it waits.</p>',
    reasonType: 'Customer Initiated',
    healthEventCause: 'UserInitiated',
    resolutionETA: '2025-11-02T08:00:00Z',
  };
}
