/**
 * Hands values from one who tells to one who listens, in order and without ever making the teller wait.
 *
 * It remembers one value: a listener that is slower than the changes misses the ones in between, or has them
 * merged, never the last. Leaving takes effect at once, even while the listener waits: an async generator could not do that.
 */
export interface Feed<Value> {
  push(value: Value): void;
  end(): void;
  fail(error: unknown): void;
  /** What the listener reads, once. */
  readonly values: AsyncIterableIterator<Value>;
}

/**
 * `onLeave` is called once, when the listener leaves before the end. `merge` makes one value of one that is not
 * read yet and the next; without it the next takes its place.
 */
export function createFeed<Value>(
  onLeave: () => void,
  merge: (waiting: Value, next: Value) => Value = (_waiting, next) => next,
): Feed<Value> {
  let waiting: { readonly value: Value } | null = null;
  let ended: { readonly error?: unknown } | null = null;
  let wake = () => {};

  const over = { done: true, value: undefined } as const;
  const end = (how: { readonly error?: unknown }) => {
    ended ??= how;
    wake();
  };

  return {
    push(value) {
      waiting = { value: waiting ? merge(waiting.value, value) : value };
      wake();
    },
    end: () => end({}),
    fail: (error) => end({ error }),
    values: {
      async next() {
        while (!waiting && !ended) {
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
        }
        if (waiting) {
          const { value } = waiting;
          waiting = null;
          return { done: false, value };
        }
        const how = ended;
        ended = {};
        if (how && 'error' in how) throw how.error;
        return over;
      },
      async return() {
        waiting = null;
        if (!ended) onLeave();
        end({});
        return over;
      },
      [Symbol.asyncIterator]() {
        return this;
      },
    },
  };
}
