import type { Answer, Call } from '../http.ts';
import { json } from '../http.ts';
import { derivedGuid } from '../seeded.ts';
import type { Instance, InstanceAddress, Instances } from './instances.ts';
import { checkPlace, findInstance, idOfInstance, machineOf } from './instances.ts';
import type { Operation } from './operations.ts';
import { endStep, passedSteps } from './operations.ts';
import { pageOf } from './pages.ts';

/** Instances of one page of the list. */
const pageSize = 20;

/** Answers one instance (B; the resource is the real service's, see docs/upstream.md). */
export function readInstance(address: InstanceAddress, instances: Instances): Answer {
  return json(200, resourceOf(findInstance(instances, address), address, Date.now()));
}

/** Answers the instances of a virtual instance, page by page. */
export function listInstances(call: Call, address: InstanceAddress, instances: Instances): Answer {
  checkPlace(address);
  const now = Date.now();
  const { value, ...next } = pageOf(call, [...instances.values()], pageSize);
  const resources = value.map((one) => resourceOf(one, { ...address, name: one.name }, now));
  return json(200, { value: resources, ...next });
}

/** What the status of an instance is when nothing is under way, or was before what is. */
export function settledStatus(instance: Instance, now: number): string {
  const { operation, behaviour } = instance;
  if (!operation) return behaviour.status;
  return isSettled(operation, now) ? settlesAs(operation) : operation.before;
}

function statusOfInstance(instance: Instance, now: number): string {
  const { operation } = instance;
  if (!operation || isSettled(operation, now)) return settledStatus(instance, now);
  if (operation.action === 'start') return 'Starting';
  return operation.isSoft && passedSteps(operation, now) < 2 ? 'SoftShutdown' : 'Stopping';
}

function isSettled(operation: Operation, now: number): boolean {
  return passedSteps(operation, now) >= (operation.behaviour.settlesAtStep ?? endStep(operation));
}

function settlesAs({ action, behaviour, before }: Operation): string {
  if (behaviour.failsAtStep !== undefined) return (action === 'stop' && behaviour.settlesAs) || before;
  return action === 'stop' ? 'Offline' : 'Running';
}

/** An instance as the real service shows it. */
function resourceOf(instance: Instance, address: InstanceAddress, now: number): Record<string, unknown> {
  const { name, behaviour } = instance;
  const status = statusOfInstance(instance, now);
  const id = idOfInstance(address);
  if (behaviour.isSparse) return { id, name, properties: { status } };
  const { subscription, group, namespace, segment } = address;
  const provided = `/subscriptions/${subscription}/resourceGroups/${group}/providers/Vendor.Compute`;
  const machine = machineOf(instance);
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
      health: healthOf(status),
      provisioningState: 'Succeeded',
      errors: null,
      ...behaviour.properties,
    },
  };
}

function healthOf(status: string): string {
  if (status === 'Running') return 'Healthy';
  return status === 'Offline' ? 'Unknown' : 'Degraded';
}
