import { parseDateTime } from '../../graph/date-time.ts';
import { type EnumMapping, parseEnumValue } from '../../graph/enum-mapping.ts';
import { readErrorDetail } from '../../http/errors.ts';
import { int32OrNull, isJsonObject, type JsonObject, stringOrNull, toPlainJson } from '../../runtime/json.ts';
import type { InstanceAddress, VirtualInstanceAddress } from '../instance-address.ts';

const environment = { names: { Prod: 'PROD', NonProd: 'NON_PROD' } } as const satisfies EnumMapping;
const product = { names: { ECC: 'ECC', S4HANA: 'S4HANA', Other: 'OTHER' } } as const satisfies EnumMapping;
const state = {
  names: {
    InfrastructureDeploymentPending: 'INFRASTRUCTURE_DEPLOYMENT_PENDING',
    InfrastructureDeploymentInProgress: 'INFRASTRUCTURE_DEPLOYMENT_IN_PROGRESS',
    InfrastructureDeploymentFailed: 'INFRASTRUCTURE_DEPLOYMENT_FAILED',
    SoftwareInstallationPending: 'SOFTWARE_INSTALLATION_PENDING',
    SoftwareInstallationInProgress: 'SOFTWARE_INSTALLATION_IN_PROGRESS',
    SoftwareInstallationFailed: 'SOFTWARE_INSTALLATION_FAILED',
    SoftwareDetectionInProgress: 'SOFTWARE_DETECTION_IN_PROGRESS',
    SoftwareDetectionFailed: 'SOFTWARE_DETECTION_FAILED',
    DiscoveryPending: 'DISCOVERY_PENDING',
    DiscoveryInProgress: 'DISCOVERY_IN_PROGRESS',
    DiscoveryFailed: 'DISCOVERY_FAILED',
    RegistrationComplete: 'REGISTRATION_COMPLETE',
    ACSSInstallationBlocked: 'ACSS_INSTALLATION_BLOCKED',
  },
} as const satisfies EnumMapping;

export type VirtualInstanceRecord = NonNullable<ReturnType<typeof parseVirtualInstance>>;

/** Parses a virtual instance; null for a body that is none. */
export const parseVirtualInstance = (address: VirtualInstanceAddress, body: unknown) =>
  parseResource(address, body, (properties) => ({
    ...parseHealth(properties),
    ...parseEnumField('environment', environment, properties.environment),
    ...parseEnumField('product', product, properties.sapProduct),
    ...parseEnumField('state', state, properties.state),
    managedResourceGroupName: stringOrNull(toObject(properties.managedResourceGroupConfiguration).name),
  }));

const applicationMachineType = {
  names: { Active: 'ACTIVE', Standby: 'STANDBY', Unknown: 'UNKNOWN' },
} as const satisfies EnumMapping;

export type InstanceRecord = NonNullable<ReturnType<typeof parseInstance>>;

/** Parses an application server instance; null for a body that is none. */
export const parseInstance = (address: InstanceAddress<'applicationInstanceName'>, body: unknown) =>
  parseResource(address, body, (properties) => ({
    ...parseServerFields(properties),
    hostname: stringOrNull(properties.hostname),
    ipAddress: stringOrNull(properties.ipAddress),
    gatewayPort: int32OrNull(properties.gatewayPort),
    icmHttpPort: int32OrNull(properties.icmHttpPort),
    icmHttpsPort: int32OrNull(properties.icmHttpsPort),
    virtualMachines: parseMachines(properties, ({ type }) =>
      parseEnumField('type', applicationMachineType, type),
    ),
  }));

const centralMachineType = {
  names: {
    Primary: 'PRIMARY',
    Secondary: 'SECONDARY',
    Unknown: 'UNKNOWN',
    ASCS: 'ASCS',
    ERSInactive: 'ERS_INACTIVE',
    ERS: 'ERS',
    Standby: 'STANDBY',
  },
} as const satisfies EnumMapping;

const replicationVersion = {
  names: { EnqueueReplicator1: 'ENQUEUE_REPLICATOR_1', EnqueueReplicator2: 'ENQUEUE_REPLICATOR_2' },
} as const satisfies EnumMapping;

export type CentralInstanceRecord = NonNullable<ReturnType<typeof parseCentralInstance>>;

/** Parses a central instance; null for a body that is none. */
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
      ...parseEnumField('version', replicationVersion, server.ersVersion),
      instanceNo: stringOrNull(server.instanceNo),
      kernelVersion: stringOrNull(server.kernelVersion),
      kernelPatch: stringOrNull(server.kernelPatch),
    })),
    virtualMachines: parseMachines(properties, ({ type }) =>
      parseEnumField('type', centralMachineType, type),
    ),
  }));

/** A server within the instance; `parseOwn` adds what only servers of its kind have. */
const parseServer = <Own>(server: unknown, parseOwn: (server: JsonObject) => Own) =>
  isJsonObject(server)
    ? {
        ...parseOwn(server),
        hostname: stringOrNull(server.hostname),
        ipAddress: stringOrNull(server.ipAddress),
        ...parseHealth(server),
      }
    : null;

const parsePort = ({ port }: JsonObject) => ({ port: int32OrNull(port) });

export type DatabaseInstanceRecord = NonNullable<ReturnType<typeof parseDatabaseInstance>>;

/** Parses a database instance; null for a body that is none. */
export const parseDatabaseInstance = (address: InstanceAddress<'databaseInstanceName'>, body: unknown) =>
  parseResource(address, body, (properties) => ({
    databaseSid: stringOrNull(properties.databaseSid),
    databaseType: stringOrNull(properties.databaseType),
    subnet: stringOrNull(properties.subnet),
    ipAddress: stringOrNull(properties.ipAddress),
    loadBalancerId: parseLoadBalancerId(properties),
    virtualMachines: parseMachines(properties, parseStatus),
  }));

const instanceStatus = {
  names: {
    Starting: 'STARTING',
    Running: 'RUNNING',
    Stopping: 'STOPPING',
    SoftShutdown: 'SOFT_SHUTDOWN',
    Offline: 'OFFLINE',
    PartiallyRunning: 'PARTIALLY_RUNNING',
    Unavailable: 'UNAVAILABLE',
  },
} as const satisfies EnumMapping;

const instanceHealth = {
  names: { Unknown: 'UNKNOWN', Healthy: 'HEALTHY', Unhealthy: 'UNHEALTHY', Degraded: 'DEGRADED' },
} as const satisfies EnumMapping;

/** Parses a resource; null for a body that is none. `parseOwn` reads what only resources of its kind have. */
const parseResource = <Address extends object, Own extends object>(
  address: Address,
  body: unknown,
  parseOwn: (properties: JsonObject) => Own,
) =>
  isJsonObject(body)
    ? { ...address, ...parseResourceFields(body), ...parseOwn(toObject(body.properties)) }
    : null;

/** What application server instances and central instances have. */
const parseServerFields = (properties: JsonObject) => ({
  ...parseHealth(properties),
  instanceNo: stringOrNull(properties.instanceNo),
  subnet: stringOrNull(properties.subnet),
  kernelVersion: stringOrNull(properties.kernelVersion),
  kernelPatch: stringOrNull(properties.kernelPatch),
  loadBalancerId: parseLoadBalancerId(properties),
});

/**
 * Parses what every resource of area B has, as the real service returns it: the source document shows operations alone
 * (docs/upstream.md). Enumerations are open, and no field is required.
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
    ...parseStatus(properties),
    provisioningState: stringOrNull(properties.provisioningState),
    error: readErrorDetail({ error: toObject(properties.errors).properties }),
    createdAt: parseDateTime(system.createdAt),
    lastModifiedAt: parseDateTime(system.lastModifiedAt),
  };
}

const parseStatus = ({ status }: JsonObject) => parseEnumField('status', instanceStatus, status);
const parseHealth = ({ health }: JsonObject) => parseEnumField('health', instanceHealth, health);

/** The machines of an instance; `parseOwn` adds what only machines of its kind have. */
const parseMachines = <Own>(properties: JsonObject, parseOwn: (machine: JsonObject) => Own) =>
  toObjects(properties.vmDetails).map((machine) => ({
    ...parseOwn(machine),
    virtualMachineId: stringOrNull(machine.virtualMachineId),
    storageIds: toObjects(machine.storageDetails).flatMap(({ id }) => stringOrNull(id) ?? []),
  }));

const parseLoadBalancerId = (properties: JsonObject): string | null =>
  stringOrNull(toObject(properties.loadBalancerDetails).id);

/** The value of the enum and, as `…Raw`, the upstream's own word. */
function parseEnumField<Field extends string, Name extends string>(
  field: Field,
  choice: EnumMapping<Name>,
  value: unknown,
) {
  return { [field]: parseEnumValue(choice, value), [`${field}Raw`]: stringOrNull(value) } as {
    readonly [F in Field]: Name | 'UNRECOGNIZED' | null;
  } & { readonly [F in `${Field}Raw`]: string | null };
}

const toObject = (value: unknown): JsonObject => (isJsonObject(value) ? value : {});
const toObjects = (value: unknown): readonly JsonObject[] =>
  Array.isArray(value) ? value.filter(isJsonObject) : [];
