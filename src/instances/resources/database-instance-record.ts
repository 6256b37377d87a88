import { isJsonObject, stringOrNull } from '../../runtime/json.ts';
import type { DatabaseInstanceAddress } from '../instance-address.ts';
import {
  parseLoadBalancerId,
  parseMachines,
  parseResourceFields,
  parseStatus,
  toObject,
} from './resource-fields.ts';

export type DatabaseInstanceRecord = NonNullable<ReturnType<typeof parseDatabaseInstance>>;

/** Parses a database instance; null for a body that is none. */
export function parseDatabaseInstance(address: DatabaseInstanceAddress, body: unknown) {
  if (!isJsonObject(body)) return null;
  const properties = toObject(body.properties);
  return {
    ...address,
    ...parseResourceFields(body),
    databaseSid: stringOrNull(properties.databaseSid),
    databaseType: stringOrNull(properties.databaseType),
    subnet: stringOrNull(properties.subnet),
    ipAddress: stringOrNull(properties.ipAddress),
    loadBalancerId: parseLoadBalancerId(properties),
    virtualMachines: parseMachines(properties, parseStatus),
  };
}
