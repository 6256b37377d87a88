import { createAsyncIterator, iterationDone } from './async-iterators.ts';

/**
 * A queue of one value between a producer that never waits and one consumer. The next value replaces an unread value or
 * is merged with it: a slow consumer may miss values in between, but never the last one.
 */
export interface ConflatedChannel<Value> {
  push(value: Value): void;
  end(): void;
  fail(error: unknown): void;
  /** Can be iterated once. */
  readonly values: AsyncIterableIterator<Value>;
}

/**
 * Calls `onCancel` once if the consumer leaves before the end. `merge` combines an unread value with the next one; by
 * default the next one replaces it.
 */
export function createConflatedChannel<Value>(
  onCancel: () => void,
  merge: (unread: Value, next: Value) => Value = (_unread, next) => next,
): ConflatedChannel<Value> {
  let unread: { readonly value: Value } | null = null;
  let ending: { readonly error?: unknown } | null = null;
  let wake = () => {};

  const end = (reason: { readonly error?: unknown }) => {
    ending ??= reason;
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
    const reason = ending;
    // An error is thrown once.
    ending = {};
    if (reason && 'error' in reason) throw reason.error;
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
