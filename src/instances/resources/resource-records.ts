import { parseDateTime } from '../../graph/date-time.ts';
import { readErrorDetail } from '../../http/errors.ts';
import { int32OrNull, isJsonObject, type JsonObject, stringOrNull, toPlainJson } from '../../runtime/json.ts';
import type { InstanceAddress, VirtualInstanceAddress } from '../instance-address.ts';

export type VirtualInstanceRecord = NonNullable<ReturnType<typeof parseVirtualInstance>>;

/** Parses a virtual instance; null if the body is invalid. */
export const parseVirtualInstance = (address: VirtualInstanceAddress, body: unknown) =>
  parseResource(address, body, (properties) => ({
    health: stringOrNull(properties.health),
    environment: stringOrNull(properties.environment),
    product: stringOrNull(properties.sapProduct),
    state: stringOrNull(properties.state),
    managedResourceGroupName: stringOrNull(toObject(properties.managedResourceGroupConfiguration).name),
  }));

export type InstanceRecord = NonNullable<ReturnType<typeof parseInstance>>;

/** Parses an application server instance; null if the body is invalid. */
export const parseInstance = (address: InstanceAddress<'applicationInstanceName'>, body: unknown) =>
  parseResource(address, body, (properties) => ({
    ...parseServerFields(properties),
    hostname: stringOrNull(properties.hostname),
    ipAddress: stringOrNull(properties.ipAddress),
    gatewayPort: int32OrNull(properties.gatewayPort),
    icmHttpPort: int32OrNull(properties.icmHttpPort),
    icmHttpsPort: int32OrNull(properties.icmHttpsPort),
    virtualMachines: parseMachines(properties, parseType),
  }));

export type CentralInstanceRecord = NonNullable<ReturnType<typeof parseCentralInstance>>;

/** Parses a central instance; null if the body is invalid. */
export const parseCentralInstance = (address: InstanceAddress<'centralInstanceName'>, body: unknown) =>
  parseResource(address, body, (properties) => ({
    ...parseServerFields(properties),
    messageServer: parseServer(properties.messageServerProperties, (server) => ({
      port: int32OrNull(server.msPort),
      internalPort: int32OrNull(server.internalMsPort),
      httpPort: int32OrNull(server.httpPort),
      httpsPort: int32OrNull(server.httpsPort),
    })),
    enqueueServer: parseServer(properties.enqueueServerProperties, parsePort),
    gatewayServer: parseServer(properties.gatewayServerProperties, parsePort),
    enqueueReplicationServer: parseServer(properties.enqueueReplicationServerProperties, (server) => ({
      version: stringOrNull(server.ersVersion),
      instanceNo: stringOrNull(server.instanceNo),
      kernelVersion: stringOrNull(server.kernelVersion),
      kernelPatch: stringOrNull(server.kernelPatch),
    })),
    virtualMachines: parseMachines(properties, parseType),
  }));

/** Parses a server within the instance; `parseOwn` adds the fields of its kind. */
const parseServer = <Own>(server: unknown, parseOwn: (server: JsonObject) => Own) =>
  isJsonObject(server)
    ? {
        ...parseOwn(server),
        hostname: stringOrNull(server.hostname),
        ipAddress: stringOrNull(server.ipAddress),
        health: stringOrNull(server.health),
      }
    : null;

const parsePort = ({ port }: JsonObject) => ({ port: int32OrNull(port) });

export type DatabaseInstanceRecord = NonNullable<ReturnType<typeof parseDatabaseInstance>>;

/** Parses a database instance; null if the body is invalid. */
export const parseDatabaseInstance = (address: InstanceAddress<'databaseInstanceName'>, body: unknown) =>
  parseResource(address, body, (properties) => ({
    databaseSid: stringOrNull(properties.databaseSid),
    databaseType: stringOrNull(properties.databaseType),
    subnet: stringOrNull(properties.subnet),
    ipAddress: stringOrNull(properties.ipAddress),
    loadBalancerId: parseLoadBalancerId(properties),
    virtualMachines: parseMachines(properties, ({ status }) => ({ status: stringOrNull(status) })),
  }));

/** Parses a resource; null if the body is invalid. `parseOwn` adds the fields of its kind. */
const parseResource = <Address extends object, Own extends object>(
  address: Address,
  body: unknown,
  parseOwn: (properties: JsonObject) => Own,
) =>
  isJsonObject(body)
    ? { ...address, ...parseResourceFields(body), ...parseOwn(toObject(body.properties)) }
    : null;

/** Parses the fields that application server instances and central instances share. */
const parseServerFields = (properties: JsonObject) => ({
  health: stringOrNull(properties.health),
  instanceNo: stringOrNull(properties.instanceNo),
  subnet: stringOrNull(properties.subnet),
  kernelVersion: stringOrNull(properties.kernelVersion),
  kernelPatch: stringOrNull(properties.kernelPatch),
  loadBalancerId: parseLoadBalancerId(properties),
});

/**
 * Parses the fields that all resources of area B share, as the real service returns them: the source document describes
 * operations only (docs/upstream.md). Enumerations stay text, and no field is required.
 */
function parseResourceFields(body: JsonObject) {
  const properties = toObject(body.properties);
  const system = toObject(body.systemData);
  return {
    resourceId: stringOrNull(body.id),
    name: stringOrNull(body.name),
    type: stringOrNull(body.type),
    location: stringOrNull(body.location),
    tags: body.tags == null ? null : toPlainJson(body.tags),
    status: stringOrNull(properties.status),
    provisioningState: stringOrNull(properties.provisioningState),
    error: readErrorDetail({ error: toObject(properties.errors).properties }),
    createdAt: parseDateTime(system.createdAt),
    lastModifiedAt: parseDateTime(system.lastModifiedAt),
  };
}

const parseType = ({ type }: JsonObject) => ({ type: stringOrNull(type) });

/** Parses the machines of an instance; `parseOwn` adds the fields of their kind. */
const parseMachines = <Own>(properties: JsonObject, parseOwn: (machine: JsonObject) => Own) =>
  toObjects(properties.vmDetails).map((machine) => ({
    ...parseOwn(machine),
    virtualMachineId: stringOrNull(machine.virtualMachineId),
    storageIds: toObjects(machine.storageDetails).flatMap(({ id }) => stringOrNull(id) ?? []),
  }));

const parseLoadBalancerId = (properties: JsonObject): string | null =>
  stringOrNull(toObject(properties.loadBalancerDetails).id);

const toObject = (value: unknown): JsonObject => (isJsonObject(value) ? value : {});
const toObjects = (value: unknown): readonly JsonObject[] =>
  Array.isArray(value) ? value.filter(isJsonObject) : [];
