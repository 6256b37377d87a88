/** The events of a subscription; `release` is called once there are no more, however they end. `look`, after each. */
export function releasing<Event>(
  events: AsyncIterableIterator<Event>,
  release: () => void,
  look: () => void = () => {},
): AsyncIterableIterator<Event> {
  return {
    async next() {
      const result = await events.next().catch((error: unknown) => {
        release();
        throw error;
      });
      // What another subscription was told may wait still.
      look();
      if (result.done) release();
      return result;
    },
    async return() {
      release();
      await events.return?.();
      return { done: true, value: undefined };
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}
