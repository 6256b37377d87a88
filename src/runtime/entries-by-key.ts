/** A map whose entries are created on first use and removed some time after they have become idle. */
export interface EntriesByKey<Entry> {
  /** Returns the entry of a key; creates it if missing. */
  get(key: string): Entry;
  /** Returns the entry of a key, idle or not; creates nothing. */
  find(key: string): Entry | undefined;
  values(): Iterable<Entry>;
}

const minEntriesBeforeCleanup = 1_000;

/**
 * Removes idle entries in batches, when the number of entries has doubled: most keys are used again soon, and a `Map`
 * that adds and deletes entries with every request is expensive (see EphemeralMap).
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
