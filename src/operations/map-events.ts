/**
 * The events of a source, each turned into another. `lastOf` turns a failure of the source into a last event;
 * without it the failure is thrown.
 *
 * Leaving reaches the source at once, even while it is waited for. An async generator would let it wait until
 * the next event.
 */
export function mapEvents<From, To>(
  source: AsyncIterator<From>,
  map: (event: From) => To | Promise<To>,
  lastOf?: (failure: unknown) => To,
): AsyncIterableIterator<To> {
  const over = { done: true, value: undefined } as const;
  let isOver = false;
  return {
    async next() {
      if (isOver) return over;
      try {
        const { done, value } = await source.next();
        return done ? over : { done: false, value: await map(value) };
      } catch (failure) {
        isOver = true;
        // Where `map` failed the source does not know yet that nobody reads it any more.
        await source.return?.();
        if (!lastOf) throw failure;
        return { done: false, value: lastOf(failure) };
      }
    },
    async return() {
      isOver = true;
      await source.return?.();
      return over;
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}

/** A single event, as a source of events. */
export async function* onlyEvent<Event>(event: Event): AsyncGenerator<Event> {
  yield event;
}

/** What a watcher is told: an event, or the failure that ends the stream. */
export type Told<Event> = { readonly event: Event } | { readonly failure: unknown };

/** Events for a subscription. A failure thrown there would close the whole socket; as the last event it reaches its own watcher. */
export const toldOf = <Event>(events: AsyncIterator<Event>): AsyncIterableIterator<Told<Event>> =>
  mapEvents<Event, Told<Event>>(
    events,
    (event) => ({ event }),
    (failure) => ({ failure }),
  );

/** The event itself. Throws the failure. */
export function eventOf<Event>(told: Told<Event>): Event {
  if ('failure' in told) throw told.failure;
  return told.event;
}
