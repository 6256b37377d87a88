import { type FilterFields, filterColumns } from '../../graph/rows/row-filter.ts';
import type { SortKeys } from '../../graph/rows/row-order.ts';
import { type JsonObject, stringOrNull } from '../../runtime/json.ts';
import {
  type InstanceAddress,
  type InstanceApiSettings,
  type InstanceField,
  type InstanceSegment,
  instanceSegments,
  type ResourceNames,
  type VirtualInstanceAddress,
  validateInstanceAddress,
} from '../instance-address.ts';
import {
  type CentralInstanceRecord,
  type InstanceRecord,
  parseCentralInstance,
  parseDatabaseInstance,
  parseInstance,
  parseVirtualInstance,
  type VirtualInstanceRecord,
} from './resource-records.ts';

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

const statusColumns = { status: 'text', location: 'text' } as const;
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
      environment: 'text',
      product: 'text',
      state: 'text',
      health: 'text',
      ...statusColumns,
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

/** A kind of instances of a virtual instance, which `field` names in their addresses. */
function createInstanceKind<
  Field extends InstanceField,
  Row extends VirtualInstanceAddress & Readonly<Record<Field, string>>,
>(
  field: Field,
  {
    columns,
    sortKeys,
    ...form
  }: Pick<ResourceForm<unknown, InstanceAddress<Field>, Row>, 'type' | 'title' | 'plural' | 'parse'> & {
    readonly columns: FilterFields<NoInfer<Row>>;
    readonly sortKeys: SortKeys<NoInfer<Row>>;
  },
): ResourceKind<VirtualInstanceAddress, InstanceAddress<Field>, Row> {
  const nameOf = (row: Readonly<Record<Field, string>>) => row[field];
  return {
    ...form,
    segment: instanceSegments[field],
    findAddress({ subscriptionId, resourceGroupName, virtualInstanceName }, row) {
      const name = findName(row);
      // The scope is a record, which has more than names.
      const owner = { subscriptionId, resourceGroupName, virtualInstanceName };
      return name === null ? null : ({ ...owner, [field]: name } as InstanceAddress<Field>);
    },
    nameOf,
    filterFields: { name: { kind: 'text', valuesOf: (row) => [nameOf(row)] }, ...columns },
    sortKeys: { NAME: (row) => toLowerCase(nameOf(row)), ...sortKeys },
  };
}

/** Of application server instances and central instances. */
const serverSortKeys: SortKeys<InstanceRecord | CentralInstanceRecord> = {
  STATUS: ({ status }) => status,
  HEALTH: ({ health }) => health,
  INSTANCE_NO: ({ instanceNo }) => instanceNo,
};

export const applicationInstances = createInstanceKind('applicationInstanceName', {
  type: 'ApplicationInstance',
  title: 'an instance',
  plural: 'application server instances',
  parse: parseInstance,
  columns: filterColumns({ instanceNo: 'text', hostname: 'text', health: 'text', ...statusColumns }),
  sortKeys: serverSortKeys,
});

export const centralInstances = createInstanceKind('centralInstanceName', {
  type: 'CentralInstance',
  title: 'a central instance',
  plural: 'central instances',
  parse: parseCentralInstance,
  columns: filterColumns({ instanceNo: 'text', health: 'text', ...statusColumns }),
  sortKeys: serverSortKeys,
});

export const databaseInstances = createInstanceKind('databaseInstanceName', {
  type: 'DatabaseInstance',
  title: 'a database instance',
  plural: 'database instances',
  parse: parseDatabaseInstance,
  columns: filterColumns({ databaseSid: 'text', databaseType: 'text', ...statusColumns }),
  sortKeys: {
    STATUS: ({ status }) => status,
    DATABASE_TYPE: ({ databaseType }) => toLowerCase(databaseType),
  },
});

/** A resource of area B that an id names, and the list that contains it. */
interface NamedResource {
  readonly kind: ResourceForm<ResourceNames, ResourceNames, ResourceNames>;
  readonly scope: ResourceNames;
  readonly address: ResourceNames;
}

const instanceKinds = [
  { kind: applicationInstances, field: 'applicationInstanceName' },
  { kind: centralInstances, field: 'centralInstanceName' },
  { kind: databaseInstances, field: 'databaseInstanceName' },
] as const;

/** Finds what the id of a resource names; null for anything but a resource of area B. Case makes no difference in kinds. */
export function findNamedResource(
  { namespace, segment }: Pick<InstanceApiSettings, 'namespace' | 'segment'>,
  resourceId: string,
): NamedResource | null {
  const [before, ...segments] = resourceId.split('/');
  const [
    subscriptions,
    subscriptionId = '',
    groups,
    resourceGroupName = '',
    providers,
    provider,
    virtuals,
    virtualInstanceName = '',
    instances,
    name = '',
    ...beyond
  ] = segments;
  const prefix = [subscriptions, groups, providers, provider, virtuals].join('/').toLowerCase();
  const ours = `subscriptions/resourcegroups/providers/${namespace}/${segment}`.toLowerCase();
  if (before !== '' || prefix !== ours || beyond.length > 0) return null;

  const scope = { subscriptionId, resourceGroupName };
  const owner = { ...scope, virtualInstanceName };
  const found = instanceKinds.find(({ kind }) => kind.segment?.toLowerCase() === instances?.toLowerCase());
  const named =
    instances === undefined
      ? { kind: virtualInstances, scope, address: owner }
      : found && { kind: found.kind, scope: owner, address: { ...owner, [found.field]: name } };
  return named && validateInstanceAddress(named.address).length === 0 ? named : null;
}
