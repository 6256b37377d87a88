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

/** A kind of resource of area B that can be read and listed. */
export interface ResourceForm<Scope, Address, Row> {
  readonly type: 'ApplicationInstance' | 'CentralInstance' | 'DatabaseInstance' | 'VirtualInstance';
  /** The singular in messages, with its article. */
  readonly title: string;
  readonly plural: string;
  /** The path segment of its lists; null for virtual instances, whose segment is a setting. */
  readonly segment: InstanceSegment | null;
  /** Returns the address of a row of a list; null if the row has no name. */
  findAddress(scope: Scope, row: JsonObject): Address | null;
  parse(address: Address, body: unknown): Row | null;
  /** Returns the name of a row, which is unique within a list. */
  nameOf(row: Address): string;
}

/** A kind of resource whose lists can be filtered and sorted. */
export interface ResourceKind<Scope, Address, Row> extends ResourceForm<Scope, Address, Row> {
  readonly filterFields: FilterFields<Row>;
  readonly sortKeys: SortKeys<Row>;
}

/** The scope of a list of virtual instances: a subscription or one of its resource groups. */
interface VirtualInstanceScope {
  readonly subscriptionId: string;
  readonly resourceGroupName: string | null;
}

/** Returns the name of a row; null without one, since it is not required. */
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

const addressFields = ['subscriptionId', 'resourceGroupName', 'virtualInstanceName', 'nodeId', '__typename'];
const listFields = ['applicationInstances', 'centralInstances', 'databaseInstances'];

/**
 * Whether the selected fields need a read of the virtual instance. Not for its lists alone, which would wait for the
 * read.
 */
export const needsVirtualInstance = (fields: ReadonlySet<string>): boolean =>
  !listFields.some((name) => fields.has(name)) ||
  [...fields].some((name) => !addressFields.includes(name) && !listFields.includes(name));

/** Creates a kind of instances of a virtual instance. `field` is the field of their addresses that contains their name. */
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
      // Copies the names only, since the scope may be a whole record.
      const owner = { subscriptionId, resourceGroupName, virtualInstanceName };
      return name === null ? null : ({ ...owner, [field]: name } as InstanceAddress<Field>);
    },
    nameOf,
    filterFields: { name: { kind: 'text', valuesOf: (row) => [nameOf(row)] }, ...columns },
    sortKeys: { NAME: (row) => toLowerCase(nameOf(row)), ...sortKeys },
  };
}

/** The sort keys of application server instances and central instances. */
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

/** A resource of area B, and the scope of the list that contains it. */
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

/** Parses the id of a resource of area B; null for any other id. Its segments, except names, are case-insensitive. */
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
  const expected = `subscriptions/resourcegroups/providers/${namespace}/${segment}`.toLowerCase();
  if (before !== '' || prefix !== expected || beyond.length > 0) return null;

  const scope = { subscriptionId, resourceGroupName };
  const owner = { ...scope, virtualInstanceName };
  const found = instanceKinds.find(({ kind }) => kind.segment?.toLowerCase() === instances?.toLowerCase());
  const named =
    instances === undefined
      ? { kind: virtualInstances, scope, address: owner }
      : found && { kind: found.kind, scope: owner, address: { ...owner, [found.field]: name } };
  return named && validateInstanceAddress(named.address).length === 0 ? named : null;
}
