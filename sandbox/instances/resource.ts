import type { ApiRequest, ApiResponse } from '../http.ts';
import { jsonResponse } from '../http.ts';
import { derivedGuid } from '../seeded.ts';
import type { InstanceAddress } from './instance-address.ts';
import { checkLocation, instanceId } from './instance-address.ts';
import type { Instance, Instances } from './instances.ts';
import { findInstance, machineName } from './instances.ts';
import type { InstanceOperation } from './operation.ts';
import { endStep, passedSteps } from './operation.ts';
import { cutPage } from './pages.ts';

const instancesPerPage = 20;

/** Responds with an instance (B). The resource is that of the real service, see docs/upstream.md. */
export function respondWithInstance(address: InstanceAddress, instances: Instances): ApiResponse {
  return jsonResponse(200, toResource(findInstance(instances, address), address, Date.now()));
}

/** Responds with a page of the instances of a virtual instance. */
export function respondWithInstances(
  request: ApiRequest,
  address: InstanceAddress,
  instances: Instances,
): ApiResponse {
  checkLocation(address);
  const now = Date.now();
  const { value, ...next } = cutPage(request, [...instances.values()], instancesPerPage);
  const resources = value.map((one) => toResource(one, { ...address, name: one.name }, now));
  return jsonResponse(200, { value: resources, ...next });
}

/** The status of an instance without, or before, a running operation. */
export function restingStatus(instance: Instance, now: number): string {
  const { operation, behaviour } = instance;
  if (!operation) return behaviour.status;
  return isSettled(operation, now) ? statusAfter(operation) : operation.before;
}

function currentStatus(instance: Instance, now: number): string {
  const { operation } = instance;
  if (!operation || isSettled(operation, now)) return restingStatus(instance, now);
  if (operation.action === 'start') return 'Starting';
  return operation.isSoft && passedSteps(operation, now) < 2 ? 'SoftShutdown' : 'Stopping';
}

function isSettled(operation: InstanceOperation, now: number): boolean {
  return passedSteps(operation, now) >= (operation.behaviour.settlesAtStep ?? endStep(operation));
}

function statusAfter({ action, behaviour, before }: InstanceOperation): string {
  if (behaviour.failsAtStep !== undefined) return (action === 'stop' && behaviour.settlesAs) || before;
  return action === 'stop' ? 'Offline' : 'Running';
}

/** The resource of an instance, as on the real service. */
function toResource(instance: Instance, address: InstanceAddress, now: number): Record<string, unknown> {
  const { name, behaviour } = instance;
  const status = currentStatus(instance, now);
  const id = instanceId(address);
  if (behaviour.isSparse) return { id, name, properties: { status } };
  const { subscription, group, namespace, segment } = address;
  const provided = `/subscriptions/${subscription}/resourceGroups/${group}/providers/Vendor.Compute`;
  const machine = machineName(instance);
  return {
    id,
    name,
    type: `${namespace}/${segment}/applicationInstances`,
    location: 'north',
    tags: { stage: 'test', owner: 'sandbox' },
    systemData: {
      createdBy: 'clerk@example',
      createdByType: 'User',
      createdAt: '2025-02-03T15:10:46Z',
      lastModifiedBy: derivedGuid('workload-service'),
      lastModifiedByType: 'Application',
      lastModifiedAt: '2025-10-13T15:43:48.1203530Z',
    },
    properties: {
      instanceNo: '00',
      subnet: null,
      hostname: `n01-${machine}`,
      kernelVersion: '777',
      kernelPatch: '300',
      ipAddress: '10.0.0.7',
      gatewayPort: 3300,
      icmHttpPort: 8000,
      icmHttpsPort: 44300,
      loadBalancerDetails: { id: `${provided}/loadBalancers/n01-lb` },
      vmDetails: [
        {
          type: 'Active',
          virtualMachineId: `${provided}/virtualMachines/${machine}`,
          storageDetails: [{ id: `${provided}/disks/${machine}-0` }],
        },
      ],
      status,
      health: healthForStatus(status),
      provisioningState: 'Succeeded',
      errors: null,
      ...behaviour.properties,
    },
  };
}

function healthForStatus(status: string): string {
  if (status === 'Running') return 'Healthy';
  return status === 'Offline' ? 'Unknown' : 'Degraded';
}
