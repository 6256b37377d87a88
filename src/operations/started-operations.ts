import { LRUCache } from 'lru-cache';

/** An operation that a caller has started, as it is kept. */
export interface StartedOperation {
  readonly handle: string;
  /** By the clock of the replica that sent the action, in milliseconds since 1970. */
  readonly startedAt: number;
  /** A handle of the same operation with its final state; null until that is known. */
  readonly finalHandle: string | null;
}

/**
 * What each caller has started, for a week: the last 150 operations, and before them those not known to have ended, 2,000
 * in all, as far as there is space. Best effort: an operation that cannot be kept is missing in the list, and nothing fails.
 */
export interface StartedOperations {
  /** Adds an operation, in place of `replaced` if given. Resolves when every replica can list it, or Redis has failed. */
  add(person: string, operation: StartedOperation, replaced?: StartedOperation): Promise<void>;
  /** Removes an operation that was not started. */
  remove(person: string, operation: StartedOperation): void;
  /** Does nothing for an operation that is not kept. */
  setFinal(person: string, operation: StartedOperation): void;
  /** Newest first. */
  list(person: string): Promise<readonly StartedOperation[]>;
}

/** Limits of what is kept of one caller. */
export const keptMs = 7 * 24 * 3_600_000;
export const maxEnded = 150;
export const maxOfCaller = 2_000;
// Of all callers together. A handle has about 400 characters, more with a longer status address; each is a byte.
const maxBytes = 16 * 1024 * 1024;

/**
 * Keeps them in this process, and in what replicas share, where there are several: all of them list an operation, and
 * while Redis is down each lists what was started through it.
 */
export function createStartedOperations(shared: StartedOperations | null): StartedOperations {
  const own = new LRUCache<string, readonly StartedOperation[]>({
    maxSize: maxBytes,
    sizeCalculation: (operations) =>
      operations.reduce(
        (bytes, { handle, finalHandle }) => bytes + handle.length + (finalHandle?.length ?? 0),
        1,
      ),
    ttl: keptMs,
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
          operations.map((one) => (one.handle === operation.handle ? operation : one)),
        );
      shared?.setFinal(person, operation);
    },

    async list(person) {
      const all = new Map((own.get(person) ?? []).map((operation) => [operation.handle, operation]));
      for (const operation of (await shared?.list(person)) ?? [])
        if (operation.finalHandle !== null || !all.has(operation.handle))
          all.set(operation.handle, operation);
      const oldest = Date.now() - keptMs;
      return keepLast(
        [...all.values()]
          .filter(({ startedAt }) => startedAt >= oldest)
          .sort((one, other) => other.startedAt - one.startedAt),
      );
    },
  };
}

/** Given newest first. */
const keepLast = (operations: readonly StartedOperation[]): readonly StartedOperation[] =>
  operations.filter(
    ({ finalHandle }, index) => index < maxEnded || (finalHandle === null && index < maxOfCaller),
  );
