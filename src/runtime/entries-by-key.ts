/** Entries that are created when they are first needed, and removed some time after they have become idle. */
export interface EntriesByKey<Entry> {
  /** The entry of a key; creates it where there is none. */
  get(key: string): Entry;
  /** The entry of a key, idle or not, where there is one. */
  find(key: string): Entry | undefined;
  values(): Iterable<Entry>;
}

const minEntriesBeforeCleanup = 1_000;

/**
 * Idle entries are removed in batches, when the number of entries has doubled: most keys return soon, and a `Map` whose
 * entries come and go with every request is expensive (EphemeralMap).
 */
export function createEntriesByKey<Entry>(
  create: (key: string) => Entry,
  isIdle: (entry: Entry) => boolean,
): EntriesByKey<Entry> {
  const entries = new Map<string, Entry>();
  let cleanupSize = minEntriesBeforeCleanup;

  const removeIdle = () => {
    for (const [key, entry] of entries) if (isIdle(entry)) entries.delete(key);
    cleanupSize = Math.max(minEntriesBeforeCleanup, 2 * entries.size);
  };

  return {
    get(key) {
      const known = entries.get(key);
      if (known !== undefined) return known;
      if (entries.size >= cleanupSize) removeIdle();
      const entry = create(key);
      entries.set(key, entry);
      return entry;
    },
    find: (key) => entries.get(key),
    values: () => entries.values(),
  };
}
