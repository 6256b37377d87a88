import { parseDateTime } from '../graph/date-time.ts';
import { type EnumMapping, parseEnumValue } from '../graph/enum-mapping.ts';
import { readErrorDetail } from '../http/errors.ts';
import { int32OrNull, isJsonObject, type JsonObject, stringOrNull, toPlainJson } from '../runtime/json.ts';
import type { InstanceAddress } from './instance-address.ts';

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

const machineType = {
  names: { Active: 'ACTIVE', Standby: 'STANDBY', Unknown: 'UNKNOWN' },
} as const satisfies EnumMapping;

export type InstanceRecord = NonNullable<ReturnType<typeof parseInstance>>;

/**
 * Parses an application server instance as the real service returns it; null for a body that is none. The source
 * document shows the instance's operations alone (docs/upstream.md): enumerations are open, and no field is required.
 */
export function parseInstance(address: InstanceAddress, body: unknown) {
  if (!isJsonObject(body)) return null;
  const properties = toObject(body.properties);
  const system = toObject(body.systemData);
  return {
    ...address,
    resourceId: stringOrNull(body.id),
    name: stringOrNull(body.name),
    type: stringOrNull(body.type),
    location: stringOrNull(body.location),
    tags: body.tags == null ? null : toPlainJson(body.tags),
    ...parseEnumField('status', instanceStatus, properties.status),
    ...parseEnumField('health', instanceHealth, properties.health),
    provisioningState: stringOrNull(properties.provisioningState),
    instanceNo: stringOrNull(properties.instanceNo),
    subnet: stringOrNull(properties.subnet),
    hostname: stringOrNull(properties.hostname),
    kernelVersion: stringOrNull(properties.kernelVersion),
    kernelPatch: stringOrNull(properties.kernelPatch),
    ipAddress: stringOrNull(properties.ipAddress),
    gatewayPort: int32OrNull(properties.gatewayPort),
    icmHttpPort: int32OrNull(properties.icmHttpPort),
    icmHttpsPort: int32OrNull(properties.icmHttpsPort),
    loadBalancerId: stringOrNull(toObject(properties.loadBalancerDetails).id),
    virtualMachines: toObjects(properties.vmDetails).map(parseMachine),
    error: readErrorDetail({ error: toObject(properties.errors).properties }),
    createdAt: parseDateTime(system.createdAt),
    lastModifiedAt: parseDateTime(system.lastModifiedAt),
  };
}

function parseMachine(machine: JsonObject) {
  return {
    ...parseEnumField('type', machineType, machine.type),
    virtualMachineId: stringOrNull(machine.virtualMachineId),
    storageIds: toObjects(machine.storageDetails).flatMap(({ id }) => stringOrNull(id) ?? []),
  };
}

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
