import DataLoader from 'dataloader';
import { unsetUuid } from '../graph/scalars.ts';
import { quote, type Row, readEntity } from '../upstream/odata.ts';
import { maxQueryLength, readAll } from './pages.ts';
import { nullWhenAbsent, type Reads } from './reads.ts';
import type { Fields, RecordOf } from './records.ts';
import { pathOf, readRecord, type View, withOptions } from './views.ts';

export interface Loaders {
  /** The record with this id, or null when there is none. Loads of one view share calls. */
  byId<F extends Fields>(view: View<F>, companyId: string | null, id: string): Promise<RecordOf<F> | null>;
  /** The record with this number, or null when there is none. */
  byNumber<F extends Fields>(view: View<F>, companyId: string, number: string): Promise<RecordOf<F> | null>;
  /** Forgets everything read so far: what is loaded from now on is read anew. */
  clear(): void;
}

type Key = 'id' | 'number';
type Loader = DataLoader<string, unknown>;

interface LoaderOf {
  readonly view: View;
  readonly companyId: string | null;
  readonly key: Key;
  readonly loader: Loader;
}

/**
 * Loads records by key for one request: the keys that are asked for until the promises of now are settled become one
 * `$filter`, or several.
 */
export function createLoaders(reads: Reads): Loaders {
  let loaders = new Map<View, Map<string, Loader>>();
  // The rows of a list ask for the same one after another.
  let last: LoaderOf | null = null;

  const loaderFor = (view: View, companyId: string | null, key: Key): Loader => {
    if (last && last.view === view && last.companyId === companyId && last.key === key) return last.loader;
    let ofView = loaders.get(view);
    if (!ofView) {
      ofView = new Map();
      loaders.set(view, ofView);
    }
    const name = `${key} ${companyId}`;
    let loader = ofView.get(name);
    if (!loader) {
      loader = new DataLoader((keys) => load(view, companyId, key, keys), {
        batchScheduleFn: reads.onceSettled,
      });
      ofView.set(name, loader);
    }
    last = { view, companyId, key, loader };
    return loader;
  };

  const load = async (view: View, companyId: string | null, key: Key, keys: readonly string[]) => {
    const [only] = keys;
    if (key === 'id' && keys.length === 1 && only !== undefined)
      return [await loadOne(view, companyId, only)];
    const path = pathOf(view.set, companyId);
    const chunks = chunk(keys, key, withOptions(path, view, { $filter: ' ' }).length - path.length);
    const found = await Promise.all(
      chunks.map(({ filter, rows }) =>
        readAll(reads, view, companyId, { filter, atMost: rows, keys: rows }).catch(nullWhenAbsent),
      ),
    );
    const byKey = new Map(found.flatMap((rows) => rows ?? []).map((row) => [normal(key, row[key]), row]));
    return keys.map((wanted) => {
      const row = byKey.get(normal(key, wanted));
      return row ? recordOrError(view, row, companyId) : null;
    });
  };

  const loadOne = (view: View, companyId: string | null, id: string) => {
    const path = withOptions(pathOf(view.set, companyId, id), view);
    return reads
      .get(path, { keys: 1 })
      .then((answer) => readRecord(view, readEntity(answer), companyId), nullWhenAbsent);
  };

  return {
    byId: <F extends Fields>(view: View<F>, companyId: string | null, id: string) =>
      loaderFor(view, companyId, 'id').load(id) as Promise<RecordOf<F> | null>,
    byNumber: <F extends Fields>(view: View<F>, companyId: string, number: string) =>
      loaderFor(view, companyId, 'number').load(number) as Promise<RecordOf<F> | null>,
    clear() {
      loaders = new Map();
      last = null;
    },
  };
}

interface Chunk {
  readonly filter: string;
  /** How many rows it can find. */
  readonly rows: number;
}

const encodedLength = (term: string) => encodeURIComponent(`${term} or `).length;
const lengthOfId = encodedLength(`id eq ${unsetUuid}`);

/** Groups keys into filters, each short enough to leave `reserved` characters of the query to other options. */
function chunk(keys: readonly string[], key: Key, reserved: number): Chunk[] {
  const groups: string[][] = [];
  let length = maxQueryLength;
  for (const value of keys) {
    const term = `${key} eq ${key === 'id' ? value : quote(value)}`;
    const cost = key === 'id' ? lengthOfId : encodedLength(term);
    if (length + cost > maxQueryLength) {
      groups.push([]);
      length = reserved;
    }
    groups.at(-1)?.push(term);
    length += cost;
  }
  return groups.map((terms) => ({ filter: terms.join(' or '), rows: terms.length }));
}

// GUIDs compare without case. A number is looked for as the upstream itself wrote it. What is neither text nor number
// belongs to no key.
function normal(key: Key, value: unknown): string | null {
  if (typeof value !== 'string' && typeof value !== 'number') return null;
  return key === 'id' ? String(value).toLowerCase() : String(value);
}

// A record that makes no sense is the fault of that record alone.
function recordOrError(view: View, row: Row, companyId: string | null) {
  try {
    return readRecord(view, row, companyId);
  } catch (error) {
    return error as Error;
  }
}
