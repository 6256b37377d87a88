import DataLoader from 'dataloader';
import { badResponseError } from '../../http/errors.ts';
import { type ODataRow, parseCollection, parseEntity, quoteString } from '../../odata/collection.ts';
import { getOrCompute } from '../../runtime/memo.ts';
import type { BusinessRecord } from '../record-sets/record-set.ts';
import { nullIfProvenAbsent } from './absence.ts';
import type { ExpansionPlanner } from './expansions.ts';
import { maxQueryLength, readAllPages, readInParts } from './pages.ts';
import type { Reads } from './reads.ts';
import { createRowParser, parseRecord, type RowParser, requireRecordId } from './row-parser.ts';
import { appendQuery, explainRelations, recordPath, type View } from './views.ts';

export interface Loaders {
  /** Loads a record by id; null if it does not exist. Loads with the same view are coalesced. */
  byId(view: View, companyId: string | null, id: string): Promise<BusinessRecord | null>;
  /** Loads a record by number; null if it does not exist. */
  byNumber(view: View, companyId: string, number: string): Promise<BusinessRecord | null>;
  /** Loads the record of a set that has one record per company; null if it does not exist. */
  only(view: View, companyId: string): Promise<BusinessRecord | null>;
  /** Discards everything loaded so far; later loads read again. */
  clear(): void;
}

type Loader = DataLoader<string, BusinessRecord | null>;

/**
 * Loads records by key for one request. Keys requested before pending microtasks have run are coalesced into one `$filter`,
 * or into several if it would be too long.
 */
export function createLoaders(reads: Reads, planner: ExpansionPlanner): Loaders {
  const loaders = new Map<View, Map<string, Loader>>();
  const onlyRecords = new Map<string, Promise<BusinessRecord | null>>();

  const loaderFor = (view: View, companyId: string | null, key: LookupKey): Loader => {
    const ofView = getOrCompute(loaders, view, () => new Map());
    return getOrCompute(ofView, `${key} ${companyId}`, () => {
      const batch = (keys: readonly string[]) => load(view, companyId, key, keys);
      return new DataLoader<string, BusinessRecord | null>(batch, { batchScheduleFn: reads.beforeFlush });
    });
  };

  const load = async (view: View, companyId: string | null, key: LookupKey, keys: readonly string[]) => {
    const [only] = keys;
    if (key === 'id' && keys.length === 1 && only !== undefined)
      return [await loadOne(view, companyId, only)];
    const name = upstreamName(view, key);
    const filterOf = (some: readonly string[]) =>
      some.map((value) => `${name} eq ${key === 'id' ? value : quoteString(value)}`).join(' or ');
    const lengthOf = (one: string) => encodeURIComponent(`${filterOf([one])} or `).length;
    const path = recordPath(view.set, companyId);
    const otherLength = appendQuery(path, view, { $filter: ' ' }).length - path.length;
    const chunks = chunkKeys(keys, lengthOf, maxQueryLength - otherLength);
    const found = await planner.read(view, keys.length, (read) => {
      const readChunk = (some: readonly string[]) => {
        const request = { filter: filterOf(some), atMost: some.length, keys: some.length, group: keys };
        return readAllPages(reads, read, companyId, request);
      };
      // After a timeout, expansions are dropped first. Only then are fewer keys requested.
      return Promise.all(
        chunks.map((some) => (read.plain === null ? readInParts(some, readChunk) : readChunk(some))),
      );
    });
    const { rowOf, isFiltered } = matchRows(key, name, keys, found.flat());
    const parser = createRowParser(view, companyId);
    return keys.map((requested) => {
      const row = rowOf(requested);
      if (row) return parseRecordOrError(parser, row);
      return isFiltered
        ? null
        : badResponseError('business', 'The upstream responded with records that were not requested.');
    });
  };

  const loadOne = (view: View, companyId: string | null, id: string) => {
    const path = recordPath(view.set, companyId, id);
    const read = async (chosen: View) => {
      const answer = await reads.get(appendQuery(path, chosen), {
        keys: 1,
        relations: () => explainRelations(chosen),
      });
      return requireRecordId(parseRecord(chosen, parseEntity('business', answer), companyId), id);
    };
    return planner.read(view, 1, read).catch((failure) => {
      const collection = recordPath(view.set, companyId);
      return nullIfProvenAbsent(failure, reads, collection, companyId, id, upstreamName(view, 'id'));
    });
  };

  // The real service responds with a list of one record, its documentation shows a single record (docs/upstream.md).
  const loadOnly = async (view: View, path: string, companyId: string) => {
    const answer = await reads.get(path);
    const rows = parseCollection(answer.body)?.value ?? [parseEntity('business', answer)];
    return rows[0] ? parseRecord(view, rows[0], companyId) : null;
  };

  return {
    byId: (view, companyId, id) => loaderFor(view, companyId, 'id').load(id),
    byNumber: (view, companyId, number) => loaderFor(view, companyId, 'number').load(number),
    only(view, companyId) {
      const path = appendQuery(recordPath(view.set, companyId), view);
      return getOrCompute(onlyRecords, path, () => loadOnly(view, path, companyId));
    },
    clear() {
      loaders.clear();
      onlyRecords.clear();
    },
  };
}

// Returns an error as a value: DataLoader then fails this key alone.
function parseRecordOrError(parser: RowParser, row: ODataRow) {
  try {
    return parser(row);
  } catch (error) {
    return error as Error;
  }
}

type LookupKey = 'id' | 'number';

/** Matches rows to the requested keys. `isFiltered` is false if the upstream returned a row that no key requested. */
function matchRows(key: LookupKey, name: string, keys: readonly string[], rows: readonly ODataRow[]) {
  const byKey = new Map(rows.map((row) => [normalizeKey(key, row[name]), row]));
  const requested = new Set(keys.map((one) => normalizeKey(key, one)?.toLowerCase()));
  return {
    rowOf: (one: string) => byKey.get(normalizeKey(key, one)),
    // If false, the upstream ignored the filter: a key that is not found then proves nothing.
    isFiltered: rows.every((row) => requested.has(normalizeKey(key, row[name])?.toLowerCase())),
  };
}

/** The upstream's name of a key. Some sets have a differently named id, such as that of another record. */
export const upstreamName = ({ columns }: View, key: LookupKey): string =>
  columns.find(({ field }) => field === key)?.name ?? key;

/** Groups keys so that the length of each group is at most `maxLength`. A group has at least one key. */
function chunkKeys(
  keys: readonly string[],
  lengthOf: (key: string) => number,
  maxLength: number,
): string[][] {
  const chunks: string[][] = [];
  let length = Number.POSITIVE_INFINITY;
  for (const key of keys) {
    length += lengthOf(key);
    if (length > maxLength) {
      chunks.push([]);
      length = lengthOf(key);
    }
    chunks.at(-1)?.push(key);
  }
  return chunks;
}

// GUIDs are compared case-insensitively, numbers as the upstream spells them. A value that is neither text nor number matches
// no key.
function normalizeKey(key: LookupKey, value: unknown): string | null {
  if (typeof value !== 'string' && typeof value !== 'number') return null;
  return key === 'id' ? String(value).toLowerCase() : String(value);
}
