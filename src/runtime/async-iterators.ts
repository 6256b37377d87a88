export const iterationDone = { done: true, value: undefined } as const;

/**
 * An async iterator that its consumer can leave at once, even while `next` is pending: `onReturn` is then called
 * immediately. The `return` of an async generator would wait until the pending `next` has settled.
 */
export function createAsyncIterator<Value>(
  next: () => Promise<IteratorResult<Value, undefined>>,
  onReturn: () => unknown,
): AsyncIterableIterator<Value> {
  return {
    next,
    async return() {
      await onReturn();
      return iterationDone;
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}

/**
 * Maps each event of a source. `toFinalEvent` turns a failure of the source or of `map` into a last event; without
 * it the failure is thrown.
 */
export function mapAsyncIterator<From, To>(
  source: AsyncIterator<From>,
  map: (event: From) => To | Promise<To>,
  toFinalEvent?: (failure: unknown) => To,
): AsyncIterableIterator<To> {
  let isEnded = false;
  const end = () => {
    isEnded = true;
    return source.return?.();
  };
  return createAsyncIterator<To>(async () => {
    if (isEnded) return iterationDone;
    try {
      const { done, value } = await source.next();
      return done ? iterationDone : { done: false, value: await map(value) };
    } catch (failure) {
      // Where `map` failed, the source does not know yet that nobody reads it any more.
      await end();
      if (!toFinalEvent) throw failure;
      return { done: false, value: toFinalEvent(failure) };
    }
  }, end);
}

/** Maps each value of a source to any number of values, which are given out one by one. */
export function flatMapAsyncIterator<From, To extends object>(
  source: AsyncIterator<From>,
  map: (value: From) => readonly To[] | Promise<readonly To[]>,
): AsyncIterableIterator<To> {
  let pending: readonly To[] = [];
  let isEnded = false;
  const end = () => {
    isEnded = true;
    return source.return?.();
  };
  return createAsyncIterator<To>(async () => {
    try {
      while (pending.length === 0 && !isEnded) {
        const { done, value } = await source.next();
        if (done) return iterationDone;
        pending = await map(value);
      }
    } catch (failure) {
      await end();
      throw failure;
    }
    const [value, ...rest] = pending;
    pending = rest;
    return value === undefined || isEnded ? iterationDone : { done: false, value };
  }, end);
}

/** Merges sources: each event as it comes, to the end of the last source. A failure of one ends all. */
export function mergeAsyncIterators<Event>(
  sources: readonly AsyncIterator<Event>[],
): AsyncIterableIterator<Event> {
  type Settled = { readonly source: AsyncIterator<Event> } & (
    | { readonly result: IteratorResult<Event, unknown> }
    | { readonly failure: unknown }
  );
  const settled: Settled[] = [];
  let open = sources.length;
  let wake = () => {};
  const settle = (one: Settled) => {
    settled.push(one);
    wake();
  };
  const ask = (source: AsyncIterator<Event>) =>
    void source.next().then(
      (result) => settle({ source, result }),
      (failure: unknown) => settle({ source, failure }),
    );
  const end = () => {
    open = 0;
    wake();
    return Promise.all(sources.map((source) => source.return?.()));
  };
  for (const source of sources) ask(source);
  return createAsyncIterator<Event>(async () => {
    while (open > 0) {
      const one = settled.shift();
      if (!one) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      } else if ('failure' in one) {
        await end();
        throw one.failure;
      } else if (one.result.done) {
        open -= 1;
      } else {
        ask(one.source);
        return { done: false, value: one.result.value };
      }
    }
    return iterationDone;
  }, end);
}

/** A source of one event. */
export async function* singleEvent<Event>(event: Event): AsyncGenerator<Event> {
  yield event;
}

/** An event of a subscription, or the failure that ends it. */
export type StreamItem<Event> = { readonly event: Event } | { readonly failure: unknown };

/**
 * Wraps the events of a subscription, so that a failure arrives as the last item. Thrown by the source stream, it
 * would close the whole WebSocket, with every other subscription on it.
 */
export const toStreamItems = <Event>(
  events: AsyncIterator<Event>,
): AsyncIterableIterator<StreamItem<Event>> =>
  mapAsyncIterator<Event, StreamItem<Event>>(
    events,
    (event) => ({ event }),
    (failure) => ({ failure }),
  );

/** Returns the event of an item, or throws its failure. */
export function unwrapStreamItem<Event>(item: StreamItem<Event>): Event {
  if ('failure' in item) throw item.failure;
  return item.event;
}
