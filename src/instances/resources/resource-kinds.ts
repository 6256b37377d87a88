import { type FilterFields, filterColumns } from '../../graph/rows/row-filter.ts';
import type { SortKeys } from '../../graph/rows/row-order.ts';
import { type JsonObject, stringOrNull } from '../../runtime/json.ts';
import type {
  CentralInstanceAddress,
  DatabaseInstanceAddress,
  InstanceAddress,
  InstanceSegment,
  VirtualInstanceAddress,
} from '../instance-address.ts';
import { type CentralInstanceRecord, parseCentralInstance } from './central-instance-record.ts';
import { type DatabaseInstanceRecord, parseDatabaseInstance } from './database-instance-record.ts';
import { type InstanceRecord, parseInstance } from './instance-record.ts';
import { parseVirtualInstance, type VirtualInstanceRecord } from './virtual-instance-record.ts';

/** A kind of resource of area B that can be read. */
export interface ResourceForm<Scope, Address, Row> {
  /** Its type in the graph. */
  readonly type: 'ApplicationInstance' | 'CentralInstance' | 'DatabaseInstance' | 'VirtualInstance';
  /** What one is called in messages, with its article; several without. */
  readonly title: string;
  readonly plural: string;
  /** The segment of its lists; null for that of virtual instances, which is a setting. */
  readonly segment: InstanceSegment | null;
  /** The address of a row of a list; null where the row does not name itself. */
  findAddress(scope: Scope, row: JsonObject): Address | null;
  parse(address: Address, body: unknown): Row | null;
  /** Tells the rows of a list apart. */
  nameOf(row: Address): string;
}

/** The same, with what its lists are filtered and sorted by. */
export interface ResourceKind<Scope, Address, Row> extends ResourceForm<Scope, Address, Row> {
  readonly filterFields: FilterFields<Row>;
  readonly sortKeys: SortKeys<Row>;
}

/** Where virtual instances are listed: a subscription, or one of its resource groups. */
interface VirtualInstanceScope {
  readonly subscriptionId: string;
  readonly resourceGroupName: string | null;
}

/** The name of a row, or null: nothing requires a row to have one. */
const findName = ({ name, id }: JsonObject): string | null =>
  stringOrNull(name) ?? (stringOrNull(id)?.split('/').at(-1) || null);

const findResourceGroup = ({ id }: JsonObject): string | null =>
  /\/resourceGroups\/([^/]+)\//i.exec(stringOrNull(id) ?? '')?.[1] ?? null;

/** The address of a row in a list of a virtual instance, whose record has more than names. */
const findInstanceAddress = <Address>(
  { subscriptionId, resourceGroupName, virtualInstanceName }: VirtualInstanceAddress,
  row: JsonObject,
  toAddress: (owner: VirtualInstanceAddress, name: string) => Address,
): Address | null => {
  const name = findName(row);
  return name === null ? null : toAddress({ subscriptionId, resourceGroupName, virtualInstanceName }, name);
};

const statusColumns = { status: 'choice', statusRaw: 'text', location: 'text' } as const;
const healthColumns = { health: 'choice', healthRaw: 'text' } as const;
const toLowerCase = (text: string | null): string | null => text?.toLowerCase() || null;

export const virtualInstances: ResourceKind<
  VirtualInstanceScope,
  VirtualInstanceAddress,
  VirtualInstanceRecord
> = {
  type: 'VirtualInstance',
  title: 'a virtual instance',
  plural: 'virtual instances',
  segment: null,
  findAddress({ subscriptionId, resourceGroupName: given }, row) {
    const virtualInstanceName = findName(row);
    const resourceGroupName = findResourceGroup(row) ?? given;
    return virtualInstanceName !== null && resourceGroupName !== null
      ? { subscriptionId, resourceGroupName, virtualInstanceName }
      : null;
  },
  parse: parseVirtualInstance,
  nameOf: ({ resourceGroupName, virtualInstanceName }) => `${resourceGroupName}/${virtualInstanceName}`,
  filterFields: {
    name: { kind: 'text', valuesOf: ({ virtualInstanceName }) => [virtualInstanceName] },
    ...filterColumns({
      resourceGroupName: 'text',
      environment: 'choice',
      environmentRaw: 'text',
      product: 'choice',
      productRaw: 'text',
      state: 'choice',
      stateRaw: 'text',
      ...statusColumns,
      ...healthColumns,
    }),
  },
  sortKeys: {
    NAME: ({ virtualInstanceName }) => toLowerCase(virtualInstanceName),
    RESOURCE_GROUP_NAME: ({ resourceGroupName }) => toLowerCase(resourceGroupName),
    ENVIRONMENT: ({ environment }) => environment,
    STATUS: ({ status }) => status,
    HEALTH: ({ health }) => health,
  },
};

const ownNames = ['subscriptionId', 'resourceGroupName', 'virtualInstanceName', 'nodeId', '__typename'];
const ownLists = ['applicationInstances', 'centralInstances', 'databaseInstances'];

/** Whether a virtual instance itself must be read, given what is selected of it: not for its lists alone, which would wait. */
export const needsVirtualInstance = (fields: ReadonlySet<string>): boolean =>
  !ownLists.some((name) => fields.has(name)) ||
  [...fields].some((name) => !ownNames.includes(name) && !ownLists.includes(name));

export const applicationInstances: ResourceKind<VirtualInstanceAddress, InstanceAddress, InstanceRecord> = {
  type: 'ApplicationInstance',
  title: 'an instance',
  plural: 'application server instances',
  segment: 'applicationInstances',
  findAddress: (scope, row) =>
    findInstanceAddress(scope, row, (owner, name) => ({ ...owner, applicationInstanceName: name })),
  parse: parseInstance,
  nameOf: ({ applicationInstanceName }) => applicationInstanceName,
  filterFields: {
    name: { kind: 'text', valuesOf: ({ applicationInstanceName }) => [applicationInstanceName] },
    ...filterColumns({ instanceNo: 'text', hostname: 'text', ...statusColumns, ...healthColumns }),
  },
  sortKeys: {
    NAME: ({ applicationInstanceName }) => toLowerCase(applicationInstanceName),
    STATUS: ({ status }) => status,
    HEALTH: ({ health }) => health,
    INSTANCE_NO: ({ instanceNo }) => instanceNo,
  },
};

export const centralInstances: ResourceKind<
  VirtualInstanceAddress,
  CentralInstanceAddress,
  CentralInstanceRecord
> = {
  type: 'CentralInstance',
  title: 'a central instance',
  plural: 'central instances',
  segment: 'centralInstances',
  findAddress: (scope, row) =>
    findInstanceAddress(scope, row, (owner, name) => ({ ...owner, centralInstanceName: name })),
  parse: parseCentralInstance,
  nameOf: ({ centralInstanceName }) => centralInstanceName,
  filterFields: {
    name: { kind: 'text', valuesOf: ({ centralInstanceName }) => [centralInstanceName] },
    ...filterColumns({ instanceNo: 'text', ...statusColumns, ...healthColumns }),
  },
  sortKeys: {
    NAME: ({ centralInstanceName }) => toLowerCase(centralInstanceName),
    STATUS: ({ status }) => status,
    HEALTH: ({ health }) => health,
    INSTANCE_NO: ({ instanceNo }) => instanceNo,
  },
};

export const databaseInstances: ResourceKind<
  VirtualInstanceAddress,
  DatabaseInstanceAddress,
  DatabaseInstanceRecord
> = {
  type: 'DatabaseInstance',
  title: 'a database instance',
  plural: 'database instances',
  segment: 'databaseInstances',
  findAddress: (scope, row) =>
    findInstanceAddress(scope, row, (owner, name) => ({ ...owner, databaseInstanceName: name })),
  parse: parseDatabaseInstance,
  nameOf: ({ databaseInstanceName }) => databaseInstanceName,
  filterFields: {
    name: { kind: 'text', valuesOf: ({ databaseInstanceName }) => [databaseInstanceName] },
    ...filterColumns({ databaseSid: 'text', databaseType: 'text', ...statusColumns }),
  },
  sortKeys: {
    NAME: ({ databaseInstanceName }) => toLowerCase(databaseInstanceName),
    STATUS: ({ status }) => status,
    DATABASE_TYPE: ({ databaseType }) => toLowerCase(databaseType),
  },
};
