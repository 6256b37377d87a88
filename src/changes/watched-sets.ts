import type { RecordType } from '../generated/graphql.ts';
import { isUuid } from '../graph/scalars.ts';
import { decodeOrKeep } from '../http/path-segment.ts';

export interface WatchedSet {
  readonly type: RecordType;
  /** The path of its API below `/api`: `v2.0`, or `{publisher}/{group}/{version}`. */
  readonly route: string;
  readonly entitySet: string;
}

/** Returns the type under which changes of `type` are subscribed to: of several types with one entity set, the first. */
export function typeOfSubscription(sets: readonly WatchedSet[], type: RecordType): RecordType {
  const own = sets.find((set) => set.type === type);
  const first = sets.find(({ route, entitySet }) => route === own?.route && entitySet === own.entitySet);
  return first?.type ?? type;
}

/** The `resource` of a notification or subscription: a company's entity set or one record of it. */
export interface Resource {
  readonly companyId: string;
  readonly type: RecordType;
  /** The id of the record; null for the entity set. */
  readonly id: string | null;
  readonly query: string | null;
}

const maxResourceLength = 2_048;
// Any host and root may precede it: requests go to the configured address, with the ids and the entity set only.
const companyPattern =
  /(?:^|\/)companies\(([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\)\/([^/()?]{1,400})/i;
/** An optional key in parentheses and an optional query, after an entity set. */
const keyAndQueryPattern = /^(?:\(([^()]*)\))?(?:\?([^?]*))?$/s;
const apiPattern = /(?:^|\/)api\//i;

/** Parses the resource of a notification or subscription; null if its entity set is not watched. */
export function parseResource(resource: string, sets: readonly WatchedSet[]): Resource | null {
  if (resource.length > maxResourceLength) return null;
  const found = companyPattern.exec(resource);
  if (!found) return null;
  const [whole, companyId = '', name = ''] = found;
  const set = findSet(sets, resource.slice(0, found.index), decodeOrKeep(name));
  const rest = keyAndQueryPattern.exec(resource.slice(found.index + whole.length));
  if (!set || !rest) return null;
  const id = rest[1] === undefined ? null : decodeOrKeep(rest[1]).toLowerCase();
  if (id !== null && !isUuid(id)) return null;
  return { companyId: companyId.toLowerCase(), type: set.type, id, query: rest[2] ?? null };
}

/**
 * Finds the set with this name whose route ends `root`; if none does and `root` names no API, the only set with the
 * name.
 */
function findSet(sets: readonly WatchedSet[], root: string, name: string): WatchedSet | undefined {
  const named = sets.filter(({ entitySet }) => entitySet === name);
  const path = `/${root}`.toLowerCase();
  // A route may end with a shorter one: the longest match wins.
  const [matching] = named
    .filter(({ route }) => path.endsWith(`/${route.toLowerCase()}`))
    .sort((one, other) => other.route.length - one.route.length);
  return matching ?? (named.length === 1 && !apiPattern.test(root) ? named[0] : undefined);
}
