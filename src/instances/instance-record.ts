import { type Choice, readChoice } from '../graph/choice.ts';
import { readTime } from '../graph/date-time.ts';
import { readErrorDetail } from '../upstream/error-answers.ts';
import { int32OrNull, isObject, type JsonObject, textOrNull, untyped } from '../upstream/json.ts';
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
} as const satisfies Choice;

const instanceHealth = {
  names: { Unknown: 'UNKNOWN', Healthy: 'HEALTHY', Unhealthy: 'UNHEALTHY', Degraded: 'DEGRADED' },
} as const satisfies Choice;

const machineType = {
  names: { Active: 'ACTIVE', Standby: 'STANDBY', Unknown: 'UNKNOWN' },
} as const satisfies Choice;

export type InstanceRecord = NonNullable<ReturnType<typeof readInstance>>;

/**
 * An application server instance as the real service writes it (docs/upstream.md: the document shows its
 * operations alone); null when a body is none. Words are open, ports may be missing, and nothing is required.
 */
export function readInstance(address: InstanceAddress, body: unknown) {
  if (!isObject(body)) return null;
  const properties = objectOf(body.properties);
  const system = objectOf(body.systemData);
  return {
    ...address,
    resourceId: textOrNull(body.id),
    name: textOrNull(body.name),
    type: textOrNull(body.type),
    location: textOrNull(body.location),
    tags: body.tags == null ? null : untyped(body.tags),
    ...wordOf('status', instanceStatus, properties.status),
    ...wordOf('health', instanceHealth, properties.health),
    provisioningState: textOrNull(properties.provisioningState),
    instanceNo: textOrNull(properties.instanceNo),
    subnet: textOrNull(properties.subnet),
    hostname: textOrNull(properties.hostname),
    kernelVersion: textOrNull(properties.kernelVersion),
    kernelPatch: textOrNull(properties.kernelPatch),
    ipAddress: textOrNull(properties.ipAddress),
    gatewayPort: int32OrNull(properties.gatewayPort),
    icmHttpPort: int32OrNull(properties.icmHttpPort),
    icmHttpsPort: int32OrNull(properties.icmHttpsPort),
    loadBalancerId: textOrNull(objectOf(properties.loadBalancerDetails).id),
    virtualMachines: arrayOf(properties.vmDetails).map(readMachine),
    error: readErrorDetail({ error: objectOf(properties.errors).properties }),
    createdAt: readTime(system.createdAt),
    lastModifiedAt: readTime(system.lastModifiedAt),
  };
}

function readMachine(machine: JsonObject) {
  return {
    ...wordOf('type', machineType, machine.type),
    virtualMachineId: textOrNull(machine.virtualMachineId),
    storageIds: arrayOf(machine.storageDetails).flatMap(({ id }) => textOrNull(id) ?? []),
  };
}

function wordOf<Field extends string, Name extends string>(
  field: Field,
  choice: Choice<Name>,
  value: unknown,
) {
  return { [field]: readChoice(choice, value), [`${field}Raw`]: textOrNull(value) } as {
    readonly [F in Field]: Name | 'UNRECOGNIZED' | null;
  } & { readonly [F in `${Field}Raw`]: string | null };
}

const objectOf = (value: unknown): JsonObject => (isObject(value) ? value : {});
const arrayOf = (value: unknown): readonly JsonObject[] =>
  Array.isArray(value) ? value.filter(isObject) : [];
