import { filterColumns } from '../graph/rows/row-filter.ts';
import type { RowKind } from '../graph/rows/row-lists.ts';
import { classifyAbsence } from '../http/absence.ts';
import type { Access } from '../http/auth/access.ts';
import type { UpstreamClient } from '../http/client.ts';
import { readListRows } from '../http/pagination.ts';
import { isJsonObject, type JsonObject, stringOrNull } from '../runtime/json.ts';
import { buildOperationPath, type EventAddress, type HealthApiSettings } from './event-address.ts';

/** The lists of resources that an event has, as the real service names them, and how each is read. */
export const impactLists = {
  impactedResources: { operation: 'impactedResources', method: 'GET' },
  securityImpactedResources: { operation: 'listSecurityAdvisoryImpactedResources', method: 'POST' },
} as const;
export type ImpactList = keyof typeof impactLists;

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

export const impactedResourceRows: RowKind<ImpactedResourceRecord> = {
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

type Settings = Pick<HealthApiSettings, 'namespace' | 'apiVersion'>;

/**
 * Reads all resources of a list of an event; none where there is no such event. Throws `UpstreamError`.
 */
export async function readImpactedResources(
  client: UpstreamClient,
  { namespace, apiVersion }: Settings,
  access: Access,
  address: EventAddress,
  name: ImpactList,
): Promise<readonly ImpactedResourceRecord[]> {
  const { operation, method } = impactLists[name];
  const path = buildOperationPath(namespace, address, operation);
  const content = 'impacted resources';
  const list = { upstream: 'health', path, apiVersion, parameters: '', content, method } as const;
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
