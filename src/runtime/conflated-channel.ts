import { createAsyncIterator, iterationDone } from './async-iterators.ts';

/**
 * A queue of one value between a producer that never waits and one consumer. A value that has not been read when the
 * next comes is replaced by it, or merged with it: a slow consumer may miss values in between, never the last one.
 */
export interface ConflatedChannel<Value> {
  push(value: Value): void;
  end(): void;
  fail(error: unknown): void;
  /** For one consumer, to be read once. */
  readonly values: AsyncIterableIterator<Value>;
}

/**
 * `onCancel` is called once, when the consumer leaves before the end. `merge` makes one value of one that has not been
 * read and the next; by default the next replaces it.
 */
export function createConflatedChannel<Value>(
  onCancel: () => void,
  merge: (unread: Value, next: Value) => Value = (_unread, next) => next,
): ConflatedChannel<Value> {
  let unread: { readonly value: Value } | null = null;
  let ending: { readonly error?: unknown } | null = null;
  let wake = () => {};

  const end = (how: { readonly error?: unknown }) => {
    ending ??= how;
    wake();
  };
  const next = async (): Promise<IteratorResult<Value, undefined>> => {
    while (!unread && !ending) {
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
    if (unread) {
      const { value } = unread;
      unread = null;
      return { done: false, value };
    }
    const how = ending;
    // An error is thrown once.
    ending = {};
    if (how && 'error' in how) throw how.error;
    return iterationDone;
  };
  const cancel = () => {
    unread = null;
    if (!ending) onCancel();
    end({});
  };

  return {
    push(value) {
      unread = { value: unread ? merge(unread.value, value) : value };
      wake();
    },
    end: () => end({}),
    fail: (error) => end({ error }),
    values: createAsyncIterator(next, cancel),
  };
}
