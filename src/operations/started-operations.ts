import { LRUCache } from 'lru-cache';

export interface StartedOperation {
  readonly handle: string;
  /** By the clock of the replica that sent the action, in milliseconds since 1970. */
  readonly startedAt: number;
  /** A handle of the same operation that contains its final state; null until that is known. */
  readonly finalHandle: string | null;
}

/**
 * The operations that each caller has started within a week: the last 150, and older ones that are not known to have
 * ended, 2,000 in all. Best effort: an operation that cannot be stored is missing from the list, but nothing fails.
 */
export interface StartedOperations {
  /** Adds an operation, and removes `replaced` if given. Resolves when every replica can list it, or Redis has failed. */
  add(person: string, operation: StartedOperation, replaced?: StartedOperation): Promise<void>;
  /** Removes an operation that turned out not to have started. */
  remove(person: string, operation: StartedOperation): void;
  /** Stores the final handle; does nothing if the operation is not in the list. */
  setFinal(person: string, operation: StartedOperation): void;
  /** Newest first in memory; in no order from Redis. */
  list(person: string): Promise<readonly StartedOperation[]>;
}

export const retentionMs = 7 * 24 * 3_600_000;
export const maxEnded = 150;
export const maxPerCaller = 2_000;
// For all callers together. A handle has about 400 one-byte characters, more with a longer status address.
const maxBytes = 16 * 1024 * 1024;

/**
 * Keeps operations in this process and, if there are several replicas, in `shared`. Every replica lists all operations;
 * while Redis is down, each lists those started through it.
 */
export function createStartedOperations(shared: StartedOperations | null): StartedOperations {
  const own = new LRUCache<string, readonly StartedOperation[]>({
    maxSize: maxBytes,
    sizeCalculation: (operations) =>
      operations.reduce(
        (bytes, { handle, finalHandle }) => bytes + handle.length + (finalHandle?.length ?? 0),
        1,
      ),
    ttl: retentionMs,
  });

  return {
    async add(person, operation, replaced) {
      const others = (own.get(person) ?? []).filter(({ handle }) => handle !== replaced?.handle);
      own.set(person, keepLast([operation, ...others]));
      await shared?.add(person, operation, replaced);
    },

    remove(person, operation) {
      const others = (own.get(person) ?? []).filter(({ handle }) => handle !== operation.handle);
      own.set(person, others);
      shared?.remove(person, operation);
    },

    setFinal(person, operation) {
      const operations = own.get(person) ?? [];
      if (operations.some(({ handle }) => handle === operation.handle))
        own.set(
          person,
          operations.map((stored) => (stored.handle === operation.handle ? operation : stored)),
        );
      shared?.setFinal(person, operation);
    },

    async list(person) {
      const all = new Map((own.get(person) ?? []).map((operation) => [operation.handle, operation]));
      for (const operation of (await shared?.list(person)) ?? [])
        if (operation.finalHandle !== null || !all.has(operation.handle))
          all.set(operation.handle, operation);
      const oldest = Date.now() - retentionMs;
      return keepLast(
        [...all.values()]
          .filter(({ startedAt }) => startedAt >= oldest)
          .sort((one, other) => other.startedAt - one.startedAt),
      );
    },
  };
}

/** Applies the limits to operations that are sorted newest first. */
const keepLast = (operations: readonly StartedOperation[]): readonly StartedOperation[] =>
  operations.filter(
    ({ finalHandle }, index) => index < maxEnded || (finalHandle === null && index < maxPerCaller),
  );
