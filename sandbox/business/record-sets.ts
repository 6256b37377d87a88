/** The records of a company, by entity set and id. */
export interface RecordSets<Stored extends object> {
  get(set: string): ReadonlyMap<string, Stored> | undefined;
  /** The records of a set, to add to and remove from. */
  edit(set: string): Map<string, Stored>;
  names(): readonly string[];
  /** The number of records of a set, which does not put it in use. */
  size(set: string): number;
  /** The sets that were read or changed. Records of any other are not in use. */
  inUse(): Iterable<readonly [set: string, records: ReadonlyMap<string, Stored>]>;
  /** An independent copy. */
  copy(): RecordSets<Stored>;
  /** The same records for any number of `RecordSets`. These must not change afterwards. */
  share(): RecordSets<Stored>;
}

/**
 * Copies a shared set when it is first used: hundreds of sandboxes start with the same records, and each uses few of
 * the sets. Values and lines are immutable, so copies share them.
 */
export function createRecordSets<Stored extends object>(
  shared: ReadonlyMap<string, ReadonlyMap<string, Stored>> = new Map(),
  own: Map<string, Map<string, Stored>> = new Map(),
): RecordSets<Stored> {
  function use(set: string): Map<string, Stored> | undefined {
    const known = own.get(set);
    const source = known ? undefined : shared.get(set);
    if (!source) return known;
    const records = copyRecords(source);
    own.set(set, records);
    return records;
  }

  return {
    get: use,
    edit(set) {
      const records = use(set) ?? new Map<string, Stored>();
      own.set(set, records);
      return records;
    },
    size: (set) => (own.get(set) ?? shared.get(set))?.size ?? 0,
    names: () => [...new Set([...shared.keys(), ...own.keys()])],
    inUse: () => own,
    copy: () =>
      createRecordSets(shared, new Map([...own].map(([set, records]) => [set, copyRecords(records)]))),
    share: () => createRecordSets(new Map([...shared, ...own])),
  };
}

function copyRecords<Stored extends object>(records: ReadonlyMap<string, Stored>): Map<string, Stored> {
  return new Map([...records].map(([id, record]) => [id, { ...record }]));
}
