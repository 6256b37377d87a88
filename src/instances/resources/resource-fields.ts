import { parseDateTime } from '../../graph/date-time.ts';
import { type EnumMapping, parseEnumValue } from '../../graph/enum-mapping.ts';
import { readErrorDetail } from '../../http/errors.ts';
import { isJsonObject, type JsonObject, stringOrNull, toPlainJson } from '../../runtime/json.ts';

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

/**
 * Parses what every resource of area B has, as the real service returns it: the source document shows operations alone
 * (docs/upstream.md). Enumerations are open, and no field is required.
 */
export function parseResourceFields(body: JsonObject) {
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

export const parseStatus = ({ status }: JsonObject) => parseEnumField('status', instanceStatus, status);
export const parseHealth = ({ health }: JsonObject) => parseEnumField('health', instanceHealth, health);

/** The machines of an instance; `parseOwn` adds what only machines of its kind have. */
export const parseMachines = <Own>(properties: JsonObject, parseOwn: (machine: JsonObject) => Own) =>
  toObjects(properties.vmDetails).map((machine) => ({
    ...parseOwn(machine),
    virtualMachineId: stringOrNull(machine.virtualMachineId),
    storageIds: toObjects(machine.storageDetails).flatMap(({ id }) => stringOrNull(id) ?? []),
  }));

export const parseLoadBalancerId = (properties: JsonObject): string | null =>
  stringOrNull(toObject(properties.loadBalancerDetails).id);

/** The value of the enum and, as `…Raw`, the upstream's own word. */
export function parseEnumField<Field extends string, Name extends string>(
  field: Field,
  choice: EnumMapping<Name>,
  value: unknown,
) {
  return { [field]: parseEnumValue(choice, value), [`${field}Raw`]: stringOrNull(value) } as {
    readonly [F in Field]: Name | 'UNRECOGNIZED' | null;
  } & { readonly [F in `${Field}Raw`]: string | null };
}

export const toObject = (value: unknown): JsonObject => (isJsonObject(value) ? value : {});
const toObjects = (value: unknown): readonly JsonObject[] =>
  Array.isArray(value) ? value.filter(isJsonObject) : [];
