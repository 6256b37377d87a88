import type { EnumMapping } from '../../graph/enum-mapping.ts';
import { int32OrNull, isJsonObject, type JsonObject, stringOrNull } from '../../runtime/json.ts';
import type { CentralInstanceAddress } from '../instance-address.ts';
import {
  parseEnumField,
  parseHealth,
  parseLoadBalancerId,
  parseMachines,
  parseResourceFields,
  toObject,
} from './resource-fields.ts';

const machineType = {
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
export function parseCentralInstance(address: CentralInstanceAddress, body: unknown) {
  if (!isJsonObject(body)) return null;
  const properties = toObject(body.properties);
  return {
    ...address,
    ...parseResourceFields(body),
    ...parseHealth(properties),
    instanceNo: stringOrNull(properties.instanceNo),
    subnet: stringOrNull(properties.subnet),
    kernelVersion: stringOrNull(properties.kernelVersion),
    kernelPatch: stringOrNull(properties.kernelPatch),
    loadBalancerId: parseLoadBalancerId(properties),
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
    virtualMachines: parseMachines(properties, ({ type }) => parseEnumField('type', machineType, type)),
  };
}

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
