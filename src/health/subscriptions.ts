import type { ManagementSubscriptionState } from '../generated/graphql.ts';
import { type EnumMapping, parseEnumValue } from '../graph/enum-mapping.ts';
import { filterColumns } from '../graph/rows/row-filter.ts';
import type { RowKind } from '../graph/rows/row-lists.ts';
import { isUuid } from '../graph/scalars.ts';
import type { Access } from '../http/auth/access.ts';
import type { UpstreamClient } from '../http/client.ts';
import { readRedactedPages } from '../http/list-pages.ts';
import { isJsonObject, type JsonObject, stringOrNull } from '../runtime/json.ts';

const state: EnumMapping<Exclude<ManagementSubscriptionState, 'UNRECOGNIZED'>> = {
  names: {
    Enabled: 'ENABLED',
    PastDue: 'PAST_DUE',
    Warned: 'WARNED',
    Disabled: 'DISABLED',
    Deleted: 'DELETED',
  },
};

export type SubscriptionRecord = NonNullable<ReturnType<typeof parseSubscription>>;

/** Null for a row without a GUID, by which nothing could be found. */
function parseSubscription(row: JsonObject) {
  const id = toUuid(row.subscriptionId);
  return id === null
    ? null
    : {
        id,
        displayName: stringOrNull(row.displayName),
        state: parseEnumValue(state, row.state),
        stateRaw: stringOrNull(row.state),
        tenantId: toUuid(row.tenantId),
      };
}

const toUuid = (value: unknown): string | null => {
  const text = stringOrNull(value);
  return text !== null && isUuid(text) ? text.toLowerCase() : null;
};

export const subscriptionRows: RowKind<SubscriptionRecord> = {
  nameOf: ({ id }) => id,
  filterFields: filterColumns({
    id: 'plain',
    displayName: 'text',
    state: 'choice',
    stateRaw: 'text',
    tenantId: 'plain',
  }),
  sortKeys: {
    DISPLAY_NAME: ({ displayName }) => displayName?.toLowerCase() ?? null,
    STATE: (row) => row.state,
  },
};

/**
 * Reads all subscriptions that the caller may see; none where no `apiVersion` of the list is configured. Throws
 * `UpstreamError`.
 */
export async function readSubscriptions(
  client: UpstreamClient,
  apiVersion: string | null,
  access: Access,
): Promise<readonly SubscriptionRecord[]> {
  if (apiVersion === null) return [];
  const content = 'subscriptions';
  const list = { upstream: 'health', path: '/subscriptions', apiVersion, parameters: '', content } as const;
  const found = new Map<string, SubscriptionRecord>();
  for await (const rows of readRedactedPages(client, list, access))
    for (const row of rows.filter(isJsonObject)) {
      const subscription = parseSubscription(row);
      if (subscription && !found.has(subscription.id)) found.set(subscription.id, subscription);
    }
  return [...found.values()];
}
