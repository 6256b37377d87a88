import { InputError } from '../errors.ts';
import type { RelayConnection } from '../graph/relay-connection.ts';
import { filterColumns, filterRows } from '../graph/rows/row-filter.ts';
import type { RowKind, RowListQuery, RowLists } from '../graph/rows/row-lists.ts';
import { isUuid } from '../graph/scalars.ts';
import { classifyAbsence } from '../http/absence.ts';
import type { Access } from '../http/auth/access.ts';
import type { UpstreamClient } from '../http/client.ts';
import { readListRows } from '../http/pagination.ts';
import { isJsonObject, type JsonObject, stringOrNull } from '../runtime/json.ts';
import { getOrCompute } from '../runtime/memo.ts';
import { createSemaphore } from '../runtime/semaphore.ts';
import { type AvailabilityRecord, createAvailabilityReader, parseResourceId } from './availability.ts';
import {
  buildOperationPath,
  type EventAddress,
  type HealthApiSettings,
  validateEventAddress,
} from './event-address.ts';
import type { ListScope } from './event-list.ts';
import { toEventAddress } from './event-reads.ts';
import type { HealthEventRecord } from './event-record.ts';
import { eventRows } from './event-rows.ts';
import { isSecurityAdvisory } from './withheld-fields.ts';

/** Resources, and the events that affect them. Within one GraphQL operation, each list is read once. */
export interface AffectedResources {
  /**
   * Returns a page of the resources that an event affects. `securityImpactedResources` is empty but for security
   * advisories.
   */
  listImpactedResources(
    event: HealthEventRecord,
    list: ImpactList,
    query: RowListQuery,
  ): Promise<RelayConnection<ImpactedResourceRecord>>;
  /** Returns a page of the events of a list that affect one of these resources. */
  listEventsOf(
    resources: ResourceSet,
    query: ListScope & RowListQuery,
  ): Promise<RelayConnection<HealthEventRecord>>;
  /** Reads the availability of a resource; null if the upstream does not know it. */
  readAvailability(resourceId: string): Promise<AvailabilityRecord | null>;
  listSubscriptions(query: RowListQuery): Promise<RelayConnection<SubscriptionRecord>>;
}

/** A set of resources by their case-insensitive ids. */
export interface ResourceSet {
  readonly ids: readonly string[];
  /** The id of a resource that stands for itself and every resource below it. */
  readonly root: string;
}

interface Options extends HealthApiSettings {
  readonly client: UpstreamClient;
  readonly subscriptionsApiVersion: string | null;
}

const maxConcurrentReads = 4;
/** Each event takes a list read, and the service allows a tenant 250 concurrent reads. */
const maxEventsOfResource = 200;

export function createAffectedResources(
  options: Options,
  access: Access,
  rowLists: RowLists,
  readEvents: (scope: ListScope) => Promise<readonly HealthEventRecord[]>,
): AffectedResources {
  const { client, subscriptionsApiVersion } = options;
  const limit = createSemaphore(maxConcurrentReads);
  const impacts = new Map<string, Promise<readonly ImpactedResourceRecord[]>>();
  const affectedKeys = new Map<string, Promise<ReadonlySet<string>>>();
  const readAvailability = createAvailabilityReader(options, access);

  // Returns no resources if a path cannot contain the name of the event, as for some events of lists.
  const readImpact = (event: HealthEventRecord, list: ImpactList) =>
    getOrCompute(impacts, toListKey(event, list), async () => {
      const address = toEventAddress(event);
      return validateEventAddress(address) === null
        ? limit(() => readImpactedResources(client, options, access, address, list))
        : [];
    });

  const readAffectedKeys = (event: HealthEventRecord) =>
    getOrCompute(affectedKeys, toListKey(event, 'impactedResources'), async () => {
      const rows = await readImpact(event, 'impactedResources');
      return new Set(rows.flatMap(({ targetResourceId }) => toKey(targetResourceId) ?? []));
    });

  return {
    async listImpactedResources(event, list, query) {
      const read = async () =>
        list === 'securityImpactedResources' && event.eventTypeRaw !== null && !isSecurityAdvisory(event)
          ? []
          : readImpact(event, list);
      return rowLists.page(impactedResourceRows, [toListKey(event, list)], query, read);
    },

    async listEventsOf({ ids, root }, { subscriptionId, since, ...query }) {
      const keys = [...new Set(ids.flatMap((id) => toKey(id) ?? []))].sort();
      const list = ['healthEvents', subscriptionId, since, root.toLowerCase(), keys];
      const below = `${toKey(root)}/`;
      const containsAny = (affected: ReadonlySet<string>) =>
        keys.some((key) => affected.has(key)) || [...affected].some((key) => `${key}/`.startsWith(below));
      return rowLists.page(eventRows, list, query, async (passes) => {
        const listed = await filterRows(
          await readEvents({ subscriptionId, since }),
          passes,
          access.principal,
        );
        const events = listed.filter((event) => !isSecurityAdvisory(event));
        if (events.length > maxEventsOfResource)
          throw new InputError(
            `\`healthEvents\` of an instance compares at most ${maxEventsOfResource} events, and ${events.length} pass the filter. Filter them, for example by \`status\`, \`eventType\` or \`since\`.`,
            'QUERY_TOO_COMPLEX',
          );
        const areAffecting = await Promise.all(
          events.map(async (event) => containsAny(await readAffectedKeys(event))),
        );
        return events.filter((_event, index) => areAffecting[index]);
      });
    },

    async readAvailability(resourceId) {
      const id = parseResourceId(resourceId);
      return id && readAvailability(id);
    },

    listSubscriptions: (query) =>
      rowLists.page(subscriptionRows, ['subscriptions'], query, () =>
        readSubscriptions(client, subscriptionsApiVersion, access),
      ),
  };
}

const toListKey = ({ scope, trackingId }: HealthEventRecord, list: ImpactList): string =>
  JSON.stringify([list, scope, trackingId]);

const toKey = (resourceId: string | null): string | null =>
  resourceId === null ? null : (parseResourceId(resourceId)?.key ?? null);

/** The lists of an event's resources at the real service, and how each is read. */
const impactLists = {
  impactedResources: { operation: 'impactedResources', method: 'GET' },
  securityImpactedResources: { operation: 'listSecurityAdvisoryImpactedResources', method: 'POST' },
} as const;
type ImpactList = keyof typeof impactLists;

export type ImpactedResourceRecord = ReturnType<typeof parseImpactedResource>;

function parseImpactedResource(row: JsonObject) {
  const properties = isJsonObject(row.properties) ? row.properties : {};
  return {
    id: stringOrNull(row.id),
    name: stringOrNull(row.name),
    targetResourceId: stringOrNull(properties.targetResourceId),
    targetResourceType: stringOrNull(properties.targetResourceType),
    targetRegion: stringOrNull(properties.targetRegion),
    info: Array.isArray(properties.info)
      ? properties.info
          .filter(isJsonObject)
          .map(({ key, value }) => ({ key: stringOrNull(key), value: stringOrNull(value) }))
      : null,
  };
}

const toLowerCase = (text: string | null): string | null => text?.toLowerCase() || null;

const impactedResourceRows: RowKind<ImpactedResourceRecord> = {
  // No field of an entry is required.
  nameOf: (row) => row.id ?? row.name ?? row.targetResourceId ?? JSON.stringify(row.info),
  filterFields: filterColumns({
    targetResourceId: 'text',
    targetResourceType: 'text',
    targetRegion: 'text',
  }),
  sortKeys: {
    TARGET_RESOURCE_ID: ({ targetResourceId }) => toLowerCase(targetResourceId),
    TARGET_RESOURCE_TYPE: ({ targetResourceType }) => toLowerCase(targetResourceType),
    TARGET_REGION: ({ targetRegion }) => toLowerCase(targetRegion),
  },
};

/** Reads all resources of a list of an event; none if the event does not exist. Throws `UpstreamError`. */
async function readImpactedResources(
  client: UpstreamClient,
  { namespace, apiVersion }: Pick<HealthApiSettings, 'namespace' | 'apiVersion'>,
  access: Access,
  address: EventAddress,
  name: ImpactList,
): Promise<readonly ImpactedResourceRecord[]> {
  const { operation, method } = impactLists[name];
  const path = buildOperationPath(namespace, address, operation);
  const list = { upstream: 'health', path, apiVersion, content: 'impacted resources', method } as const;
  try {
    const found = await readListRows(client, list, access, (row) => {
      const resource = parseImpactedResource(row);
      return [impactedResourceRows.nameOf(resource), resource];
    });
    return [...found.values()];
  } catch (error) {
    if (classifyAbsence(error) !== 'proven') throw error;
    return [];
  }
}

export type SubscriptionRecord = NonNullable<ReturnType<typeof parseSubscription>>;

/** Returns null for a row without a GUID, which could not be used. */
function parseSubscription(row: JsonObject) {
  const id = toUuid(row.subscriptionId);
  return id === null
    ? null
    : {
        id,
        displayName: stringOrNull(row.displayName),
        state: stringOrNull(row.state),
        tenantId: toUuid(row.tenantId),
      };
}

const toUuid = (value: unknown): string | null => {
  const text = stringOrNull(value);
  return text !== null && isUuid(text) ? text.toLowerCase() : null;
};

const subscriptionRows: RowKind<SubscriptionRecord> = {
  nameOf: ({ id }) => id,
  filterFields: filterColumns({
    id: 'plain',
    displayName: 'text',
    state: 'text',
    tenantId: 'plain',
  }),
  sortKeys: {
    DISPLAY_NAME: ({ displayName }) => displayName?.toLowerCase() ?? null,
    STATE: (row) => row.state,
  },
};

/** Reads all subscriptions that the caller may see; none if `apiVersion` is not configured. Throws `UpstreamError`. */
async function readSubscriptions(
  client: UpstreamClient,
  apiVersion: string | null,
  access: Access,
): Promise<readonly SubscriptionRecord[]> {
  if (apiVersion === null) return [];
  const list = { upstream: 'health', path: '/subscriptions', apiVersion, content: 'subscriptions' } as const;
  const found = await readListRows(client, list, access, (row) => {
    const subscription = parseSubscription(row);
    return subscription && [subscription.id, subscription];
  });
  return [...found.values()];
}
