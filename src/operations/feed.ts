/**
 * Hands values from one who tells to one who listens, in order and without ever making the teller wait.
 *
 * It remembers one value: a listener that is slower than the changes misses the ones in between, never the
 * last.
 */
export interface Feed<Value> {
  push(value: Value): void;
  end(): void;
  fail(error: unknown): void;
  /** To be read once. */
  read(): AsyncGenerator<Value>;
}

export function createFeed<Value>(): Feed<Value> {
  let waiting: { value: Value } | null = null;
  let ended: { error?: unknown } | null = null;
  let wake = () => {};

  return {
    push(value) {
      waiting = { value };
      wake();
    },
    end() {
      ended ??= {};
      wake();
    },
    fail(error) {
      ended ??= { error };
      wake();
    },
    async *read() {
      while (true) {
        if (waiting) {
          const { value } = waiting;
          waiting = null;
          yield value;
        } else if (ended) {
          if ('error' in ended) throw ended.error;
          return;
        } else {
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
        }
      }
    },
  };
}
