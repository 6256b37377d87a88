import { type ApiRequest, type ApiResponse, jsonResponse } from '../http.ts';
import { derivedGuid } from '../seeded.ts';
import {
  type InstanceAddress,
  instanceId,
  notFoundError,
  type VirtualInstanceAddress,
  type VirtualInstanceScope,
  virtualInstanceId,
} from './instance-address.ts';
import { type Instance, machineName } from './instances.ts';
import { endStep, type InstanceOperation, passedSteps } from './operation.ts';
import type { Operations } from './operations.ts';
import { respondWithPage } from './parameters.ts';
import {
  findComponents,
  findVirtualInstance,
  listVirtualInstances,
  type VirtualInstance,
} from './virtual-instances.ts';

/** Responds with an instance (B). The resource is that of the real service, see docs/upstream.md. */
export function respondWithInstance(address: InstanceAddress, { virtualInstances }: Operations): ApiResponse {
  const { instance, stored } = findComponents(virtualInstances, address);
  if (!instance) throw notFoundError('Resource', address.name);
  return jsonResponse(200, toResource(instance, { ...stored, name: instance.name }, Date.now()));
}

/** Responds with a page of the instances of a virtual instance. */
export function respondWithInstances(
  request: ApiRequest,
  address: InstanceAddress,
  { virtualInstances, pageSize }: Operations,
): ApiResponse {
  const { instances, stored } = findComponents(virtualInstances, address);
  const now = Date.now();
  return respondWithPage(request, [...instances.values()], pageSize, (one) =>
    toResource(one, { ...stored, name: one.name }, now),
  );
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
  const end = part?.to ?? behaviour.settlesAtStep ?? endStep(operation);
  return passedSteps(operation, now) >= end;
}

function statusAfter(operation: InstanceOperation): string {
  const { action, behaviour, before } = operation;
  if (behaviour.failsAtStep !== undefined) return (action === 'stop' && behaviour.settlesAs) || before;
  return statusOfEnd[action];
}

const statusOfEnd = { stop: 'Offline', start: 'Running' } as const;

const systemData = {
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

function healthForStatus(status: string): string {
  if (status === 'Running') return 'Healthy';
  return status === 'Offline' ? 'Unknown' : 'Degraded';
}

/** Responds with a virtual instance (B). The resource is that of the real service, see docs/upstream.md. */
export function respondWithVirtualInstance(
  address: VirtualInstanceAddress,
  { virtualInstances }: Operations,
): ApiResponse {
  const found = findVirtualInstance(virtualInstances, address, 'Resource');
  const stored = { ...address, group: found.group, virtualInstance: found.name };
  return jsonResponse(200, toVirtualInstanceResource(found, stored, Date.now()));
}

/** Responds with a page of the virtual instances of a subscription or resource group. */
export function respondWithVirtualInstances(
  request: ApiRequest,
  scope: VirtualInstanceScope,
  { virtualInstances, pageSize }: Operations,
): ApiResponse {
  const now = Date.now();
  return respondWithPage(request, listVirtualInstances(virtualInstances, scope), pageSize, (one) =>
    toVirtualInstanceResource(one, { ...scope, group: one.group, virtualInstance: one.name }, now),
  );
}

function toVirtualInstanceResource(
  one: VirtualInstance,
  address: VirtualInstanceAddress,
  now: number,
): object {
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

/** The properties of an instance that depend on its kind, as on the real service. */
export function createProperties(
  instance: Instance,
  address: InstanceAddress,
  status: string,
  health: string,
): Record<string, unknown> {
  const { subscription, group, component } = address;
  const at = `/subscriptions/${subscription}/resourceGroups/${group}/providers`;
  const system = address.virtualInstance.toLowerCase();
  const name = machineName(instance);
  const subnet = `${at}/Vendor.Network/virtualNetworks/${system}-net/subnets/${component}`;
  const loadBalancerDetails = { id: `${at}/Vendor.Compute/loadBalancers/${system}-lb` };
  const machine = {
    virtualMachineId: `${at}/Vendor.Compute/virtualMachines/${name}`,
    storageDetails: [{ id: `${at}/Vendor.Compute/disks/${name}-0` }],
  };
  const kernel = { kernelVersion: '777', kernelPatch: '300' };
  const place = { hostname: `${system}-${name}`, ipAddress: '10.0.0.7' };
  switch (component) {
    case 'applicationInstances':
      return {
        instanceNo: '00',
        subnet: null,
        ...place,
        ...kernel,
        gatewayPort: 3300,
        icmHttpPort: 8000,
        icmHttpsPort: 44300,
        loadBalancerDetails,
        vmDetails: [{ type: 'Active', ...machine }],
        health,
      };
    case 'centralInstances':
      return {
        instanceNo: '01',
        subnet,
        ...kernel,
        loadBalancerDetails,
        messageServerProperties: {
          msPort: 3601,
          internalMsPort: 3901,
          httpPort: 8101,
          httpsPort: 44401,
          ...place,
          health,
        },
        enqueueServerProperties: { port: 3201, ...place, health },
        gatewayServerProperties: { port: 3301, health },
        enqueueReplicationServerProperties: {
          ersVersion: 'EnqueueReplicator2',
          instanceNo: '02',
          ...place,
          ...kernel,
          health,
        },
        vmDetails: [{ type: 'ASCS', ...machine }],
        health,
      };
    case 'databaseInstances':
      return {
        databaseSid: 'HDB',
        databaseType: 'hdb',
        ipAddress: '10.0.0.9',
        subnet,
        loadBalancerDetails,
        vmDetails: [{ ...machine, status }],
      };
  }
}
