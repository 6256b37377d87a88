import { getOrCompute } from './memo.ts';

export interface GroupedReads<Value> {
  /** The value of a key, which is in this group; null where there is none. */
  read(group: string, key: string, how: ReadFunctions<Value>): Promise<Value | null>;
}

interface ReadFunctions<Value> {
  readOne(): Promise<Value | null>;
  /** The values of the group, by key. */
  readGroup(): Promise<ReadonlyMap<string, Value>>;
}

interface Group<Value> {
  readonly values: Map<string, Promise<Value | null>>;
  all: Promise<ReadonlyMap<string, Value>> | null;
}

/**
 * Reads each value once: alone where it is the only one of its group that has been asked for by the end of an event-loop
 * turn; from the second on, the whole group with one read.
 */
export function createGroupedReads<Value>(): GroupedReads<Value> {
  const groups = new Map<string, Group<Value>>();

  return {
    read(name, key, { readOne, readGroup }) {
      const group = getOrCompute(groups, name, (): Group<Value> => ({ values: new Map(), all: null }));
      return getOrCompute(group.values, key, async () => {
        await new Promise<void>((resolve) => setImmediate(resolve));
        if (group.values.size === 1) return readOne();
        group.all ??= readGroup();
        return (await group.all).get(key) ?? null;
      });
    },
  };
}
