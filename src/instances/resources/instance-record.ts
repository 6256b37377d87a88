import type { EnumMapping } from '../../graph/enum-mapping.ts';
import { int32OrNull, isJsonObject, stringOrNull } from '../../runtime/json.ts';
import type { InstanceAddress } from '../instance-address.ts';
import {
  parseEnumField,
  parseHealth,
  parseLoadBalancerId,
  parseMachines,
  parseResourceFields,
  toObject,
} from './resource-fields.ts';

const machineType = {
  names: { Active: 'ACTIVE', Standby: 'STANDBY', Unknown: 'UNKNOWN' },
} as const satisfies EnumMapping;

export type InstanceRecord = NonNullable<ReturnType<typeof parseInstance>>;

/** Parses an application server instance; null for a body that is none. */
export function parseInstance(address: InstanceAddress, body: unknown) {
  if (!isJsonObject(body)) return null;
  const properties = toObject(body.properties);
  return {
    ...address,
    ...parseResourceFields(body),
    ...parseHealth(properties),
    instanceNo: stringOrNull(properties.instanceNo),
    subnet: stringOrNull(properties.subnet),
    hostname: stringOrNull(properties.hostname),
    kernelVersion: stringOrNull(properties.kernelVersion),
    kernelPatch: stringOrNull(properties.kernelPatch),
    ipAddress: stringOrNull(properties.ipAddress),
    gatewayPort: int32OrNull(properties.gatewayPort),
    icmHttpPort: int32OrNull(properties.icmHttpPort),
    icmHttpsPort: int32OrNull(properties.icmHttpsPort),
    loadBalancerId: parseLoadBalancerId(properties),
    virtualMachines: parseMachines(properties, ({ type }) => parseEnumField('type', machineType, type)),
  };
}
