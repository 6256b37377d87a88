import type { RecordType } from '../generated/graphql.ts';
import { isUuid } from '../graph/scalars.ts';
import { decodeOrKeep } from '../http/path-segment.ts';

/** An entity set whose records can be watched. */
export interface WatchedSet {
  readonly type: RecordType;
  /** Its API below `/api`: `v2.0`, or `{publisher}/{group}/{version}`. */
  readonly route: string;
  readonly entitySet: string;
}

/** The type as which changes of a type are subscribed to: types may share an entity set, and the first stands for all. */
export function typeOfSubscription(sets: readonly WatchedSet[], type: RecordType): RecordType {
  const own = sets.find((set) => set.type === type);
  const first = sets.find(({ route, entitySet }) => route === own?.route && entitySet === own.entitySet);
  return first?.type ?? type;
}

/** A company's entity set, or one record of it, as the upstream names them in notifications and subscriptions. */
export interface Resource {
  readonly companyId: string;
  readonly type: RecordType;
  /** Null where it is not a single record. */
  readonly id: string | null;
  readonly query: string | null;
}

const maxResourceLength = 2_048;
// Any host and root may precede it: only the ids and the entity set are used, below the configured address.
const companyPattern =
  /(?:^|\/)companies\(([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\)\/([^/()?]{1,400})/i;
/** What follows an entity set: a key in parentheses, and a query. */
const keyAndQueryPattern = /^(?:\(([^()]*)\))?(?:\?([^?]*))?$/s;
const apiPattern = /(?:^|\/)api\//i;

/** Parses the resource of a notification or a subscription; null where it is none of a watched set. */
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

/** The set with this name below the root that precedes it; where no root does, the only set with the name. */
function findSet(sets: readonly WatchedSet[], root: string, name: string): WatchedSet | undefined {
  const named = sets.filter(({ entitySet }) => entitySet === name);
  const path = `/${root}`.toLowerCase();
  // A shorter route may be the end of a longer one.
  const ofRoute = named
    .filter(({ route }) => path.endsWith(`/${route.toLowerCase()}`))
    .reduce<WatchedSet | undefined>(
      (longest, set) => (longest && longest.route.length >= set.route.length ? longest : set),
      undefined,
    );
  return ofRoute ?? (named.length === 1 && !apiPattern.test(root) ? named[0] : undefined);
}
