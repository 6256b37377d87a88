import { unsetUuid } from '../../graph/scalars.ts';
import { type ODataRow, quoteString } from '../../odata/collection.ts';
import { maxQueryLength } from './pages.ts';
import type { View } from './views.ts';

/** What records are looked up by. */
export type LookupKey = 'id' | 'number';

export interface KeyChunk {
  readonly filter: string;
  /** The keys that it finds; a part of them fits into one filter, too. */
  readonly keys: readonly string[];
}

/** How several records of a set are looked up at once. */
export interface KeyLookup {
  /** Filters that find these keys, each short enough to leave `reserved` characters of the query to other options. */
  chunk(keys: readonly string[], reserved: number): readonly KeyChunk[];
  /** The rows by the keys that they were requested by, and whether there are others. */
  match(keys: readonly string[], rows: readonly ODataRow[]): MatchedRows;
}

interface MatchedRows {
  rowOf(key: string): ODataRow | undefined;
  /** False for rows that were not requested: the upstream ignored the filter, and a key that is not found proves nothing. */
  readonly isFiltered: boolean;
}

export function createKeyLookup(view: View, key: LookupKey): KeyLookup {
  const name = upstreamName(view, key);
  const encodedIdLength = encodedLength(`${name} eq ${unsetUuid}`);
  const termOf = (value: string) => {
    const text = `${name} eq ${key === 'id' ? value : quoteString(value)}`;
    return { key: value, text, length: key === 'id' ? encodedIdLength : encodedLength(text) };
  };
  return {
    chunk: (keys, reserved) => chunkTerms(keys.map(termOf), reserved),
    match(keys, rows) {
      const byKey = new Map(rows.map((row) => [normalizeKey(key, row[name]), row]));
      const known = new Set(keys.map((wanted) => normalizeKey(key, wanted)?.toLowerCase()));
      return {
        rowOf: (wanted) => byKey.get(normalizeKey(key, wanted)),
        isFiltered: rows.every((row) => known.has(normalizeKey(key, row[name])?.toLowerCase())),
      };
    },
  };
}

/** The upstream's name of a key: some sets have the id of another record for theirs. */
export const upstreamName = ({ columns }: View, key: LookupKey): string =>
  columns.find(({ field }) => field === key)?.name ?? key;

interface Term {
  readonly key: string;
  readonly text: string;
  /** How many characters it takes in a query, with what joins it to the next. */
  readonly length: number;
}

const encodedLength = (term: string) => encodeURIComponent(`${term} or `).length;

function chunkTerms(terms: readonly Term[], reserved: number): KeyChunk[] {
  const groups: Term[][] = [];
  let length = maxQueryLength;
  for (const term of terms) {
    if (length + term.length > maxQueryLength) {
      groups.push([]);
      length = reserved;
    }
    groups.at(-1)?.push(term);
    length += term.length;
  }
  return groups.map((group) => ({
    filter: group.map(({ text }) => text).join(' or '),
    keys: group.map(({ key }) => key),
  }));
}

// GUIDs are compared without case, numbers as the upstream writes them. A value that is neither text nor number matches no
// key.
function normalizeKey(key: LookupKey, value: unknown): string | null {
  if (typeof value !== 'string' && typeof value !== 'number') return null;
  return key === 'id' ? String(value).toLowerCase() : String(value);
}
