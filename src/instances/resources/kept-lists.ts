import { LRUCache } from 'lru-cache';

/** Lists that were read for the first page of a connection, so that its further pages cost no call and are of the same list. */
export interface KeptLists {
  /** `principal` keeps callers apart. */
  keep(principal: string, path: string, rows: readonly unknown[]): void;
  /** Null where none was kept within a minute. */
  find(principal: string, path: string): readonly unknown[] | null;
}

const keptMs = 60_000;
const maxLists = 200;
// A row takes one to two kilobytes.
const maxRows = 20_000;

export function createKeptLists(): KeptLists {
  const lists = new LRUCache<string, readonly unknown[]>({
    max: maxLists,
    maxSize: maxRows,
    sizeCalculation: ({ length }) => length + 1,
    ttl: keptMs,
  });
  const keyOf = (principal: string, path: string) => JSON.stringify([principal, path]);

  return {
    keep: (principal, path, rows) => void lists.set(keyOf(principal, path), rows),
    find: (principal, path) => lists.get(keyOf(principal, path)) ?? null,
  };
}
