import { UpstreamError } from '../errors.ts';
import { parseDateTime } from '../graph/date-time.ts';
import { classifyAbsence } from '../http/absence.ts';
import type { Access } from '../http/auth/access.ts';
import type { UpstreamClient } from '../http/client.ts';
import { badResponseError } from '../http/errors.ts';
import { readListRows } from '../http/pagination.ts';
import { decodeOrKeep, findSegmentFault } from '../http/path-segment.ts';
import { redactData } from '../http/redaction.ts';
import { createGroupedReads } from '../runtime/grouped-reads.ts';
import { isJsonObject, type JsonObject, stringOrNull } from '../runtime/json.ts';
import type { HealthApiSettings } from './event-address.ts';

/** The parsed id of a resource in a resource group of a subscription. The id is the resource's path at the upstream. */
export interface ResourceId {
  /** The percent-encoded path. */
  readonly path: string;
  readonly group: string;
  /** Equal for equal ids, which are case-insensitive and may be encoded. */
  readonly key: string;
}

const maxIdLength = 2_048;

/** Parses the id of a resource; null if it is invalid or has a segment that a path cannot contain. */
export function parseResourceId(text: string): ResourceId | null {
  if (text.length > maxIdLength) return null;
  const [before, ...segments] = text.replace(/\/$/, '').split('/').map(decodeOrKeep);
  const [subscriptions, , groups, , providers, ...resource] = segments;
  const isResourceId =
    before === '' &&
    subscriptions?.toLowerCase() === 'subscriptions' &&
    groups?.toLowerCase() === 'resourcegroups' &&
    providers?.toLowerCase() === 'providers' &&
    // A namespace, followed by pairs of kind and name.
    resource.length >= 3 &&
    resource.length % 2 === 1 &&
    segments.every((segment) => findSegmentFault(segment) === null);
  if (!isResourceId) return null;
  const encoded = segments.map((segment) => `/${encodeURIComponent(segment)}`);
  return {
    path: encoded.join(''),
    group: encoded.slice(0, 4).join(''),
    key: `/${segments.join('/')}`.toLowerCase(),
  };
}

export type AvailabilityRecord = ReturnType<typeof parseAvailability>;

/** Parses the properties of an availability status of the real service (docs/upstream.md). */
export function parseAvailability(properties: JsonObject) {
  return {
    state: stringOrNull(properties.availabilityState),
    title: stringOrNull(properties.title),
    summary: stringOrNull(properties.summary),
    detailedStatus: stringOrNull(properties.detailedStatus),
    reason: stringOrNull(properties.reasonType),
    cause: stringOrNull(properties.healthEventCause),
    // The real service spells it with one r.
    since: parseDateTime(properties.occuredTime ?? properties.occurredTime),
    reportedTime: parseDateTime(properties.reportedTime),
    expectedResolutionTime: parseDateTime(properties.resolutionETA),
  };
}

type Settings = Pick<HealthApiSettings, 'namespace' | 'apiVersion'> & { readonly client: UpstreamClient };

/**
 * Creates the function that reads the availability of a resource; null if the upstream does not know it. A single
 * resource is read on its own, several of a resource group with its list. Nothing is read twice.
 */
export function createAvailabilityReader({ client, namespace, apiVersion }: Settings, access: Access) {
  const statuses = `/providers/${encodeURIComponent(namespace)}/availabilityStatuses`;

  const readOne = async (path: string): Promise<AvailabilityRecord | null> => {
    const query = `?api-version=${encodeURIComponent(apiVersion)}`;
    const response = await client
      .send({ method: 'GET', path: `${path}${statuses}/current${query}`, access })
      .catch((error: unknown) => {
        if (isUnwatchedType(error) || classifyAbsence(error) === 'proven') return null;
        throw error;
      });
    if (response === null) return null;
    const body = redactData(response);
    if (isJsonObject(body) && isJsonObject(body.properties)) return parseAvailability(body.properties);
    throw badResponseError(
      'health',
      'The upstream responded with something other than an availability status.',
      response,
    );
  };

  const readGroup = async (group: string): Promise<ReadonlyMap<string, AvailabilityRecord>> => {
    const path = `${group}${statuses}`;
    const list = { upstream: 'health', path, apiVersion, content: 'availability statuses' } as const;
    return readListRows(client, list, access, (row) => {
      const key = findResource(row)?.key;
      return key !== undefined && isJsonObject(row.properties)
        ? [key, parseAvailability(row.properties)]
        : null;
    });
  };

  const reads = createGroupedReads<AvailabilityRecord>();
  return ({ group, path, key }: ResourceId): Promise<AvailabilityRecord | null> =>
    reads.read(group.toLowerCase(), key, { readOne: () => readOne(path), readGroup: () => readGroup(group) });
}

/** Whether the service does not monitor resources of this type (microsoft/mcp#2554). */
const isUnwatchedType = (error: unknown): boolean =>
  error instanceof UpstreamError && error.status === 422 && error.detail?.code === 'UnsupportedResource';

/** Returns the resource of a status, whose own id is below that of the resource. */
const findResource = (row: JsonObject): ResourceId | null => {
  const id = stringOrNull(row.id);
  return id === null
    ? null
    : parseResourceId(id.replace(/\/providers\/[^/]+\/availabilityStatuses\/.*$/i, ''));
};
