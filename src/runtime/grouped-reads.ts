import { getOrCompute } from './memo.ts';

export interface GroupedReads<Value> {
  /** Reads the value of a key of `group`; null if it has none. */
  read(group: string, key: string, functions: ReadFunctions<Value>): Promise<Value | null>;
}

interface ReadFunctions<Value> {
  readOne(): Promise<Value | null>;
  /** Reads all values of the group, by key. */
  readGroup(): Promise<ReadonlyMap<string, Value>>;
}

interface Group<Value> {
  readonly values: Map<string, Promise<Value | null>>;
  all: Promise<ReadonlyMap<string, Value>> | null;
}

/**
 * Reads each value once. If several values of a group are requested within an event-loop turn, one read of the whole
 * group serves them.
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
