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
 * Maps each value of a source to any number of values and yields them one by one. `toFinalValue` turns a failure of the
 * source or of `map` into a last value; without it the failure is thrown.
 */
export function flatMapAsyncIterator<From, To>(
  source: AsyncIterator<From>,
  map: (value: From) => readonly To[] | Promise<readonly To[]>,
  toFinalValue?: (failure: unknown) => To,
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
        pending = [...pending, ...(await map(value))];
      }
    } catch (failure) {
      // If `map` failed, the source is still open.
      await end();
      if (!toFinalValue) throw failure;
      return { done: false, value: toFinalValue(failure) };
    }
    if (isEnded) return iterationDone;
    const [value, ...rest] = pending;
    pending = rest;
    return { done: false, value: value as To };
  }, end);
}

export const mapAsyncIterator = <From, To>(
  source: AsyncIterator<From>,
  map: (event: From) => To | Promise<To>,
  toFinalEvent?: (failure: unknown) => To,
): AsyncIterableIterator<To> =>
  flatMapAsyncIterator(source, async (event) => [await map(event)], toFinalEvent);

/** Merges sources: yields each event as it arrives, until the last source ends. A failure of one source ends all. */
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
  const settle = (next: Settled) => {
    settled.push(next);
    wake();
  };
  const requestNext = (source: AsyncIterator<Event>) =>
    void source.next().then(
      (result) => settle({ source, result }),
      (failure: unknown) => settle({ source, failure }),
    );
  const end = () => {
    open = 0;
    wake();
    return Promise.all(sources.map((source) => source.return?.()));
  };
  for (const source of sources) requestNext(source);
  return createAsyncIterator<Event>(async () => {
    while (open > 0) {
      const next = settled.shift();
      if (!next) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      } else if ('failure' in next) {
        await end();
        throw next.failure;
      } else if (next.result.done) {
        open -= 1;
      } else {
        requestNext(next.source);
        return { done: false, value: next.result.value };
      }
    }
    return iterationDone;
  }, end);
}

export async function* singleEvent<Event>(event: Event): AsyncGenerator<Event> {
  yield event;
}

/** An event of a subscription, or the failure that ends it. */
export type StreamItem<Event> = { readonly event: Event } | { readonly failure: unknown };

/**
 * Wraps the events of a subscription so that a failure arrives as the last item. A failure thrown by the source stream
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

/** Calls `act` once when the events end, fail or are cancelled, and `afterEach` after every `next`. */
export function onFinish<Event>(
  events: AsyncIterableIterator<Event>,
  act: () => void,
  afterEach: () => void = () => {},
): AsyncIterableIterator<Event> {
  let isFinished = false;
  const finish = () => {
    if (!isFinished) act();
    isFinished = true;
  };
  return createAsyncIterator(
    async () => {
      const result = await events.next().catch((error: unknown) => {
        finish();
        throw error;
      });
      afterEach();
      if (result.done) finish();
      return result;
    },
    () => {
      finish();
      return events.return?.();
    },
  );
}

// `setTimeout` fires immediately if the delay is longer than this.
const maxTimerMs = 2 ** 31 - 1;

/**
 * Calls `act` at `instant` (milliseconds since 1970), after 24 days at the latest. Returns a function that cancels the
 * call.
 */
export function scheduleAt(instant: number, act: () => void): () => void {
  const timer = setTimeout(act, Math.min(Math.max(instant - Date.now(), 0), maxTimerMs));
  return () => clearTimeout(timer);
}

/** Ends the events at `instant` (milliseconds since 1970) with `finalEvent`. */
export function endEventsAt<Event>(
  events: AsyncIterableIterator<Event>,
  instant: number,
  finalEvent: Event,
): AsyncIterableIterator<Event> {
  let state: 'open' | 'expired' | 'finished' = 'open';
  const cancel = scheduleAt(instant, () => {
    if (state === 'open') state = 'expired';
    // Ends a pending `next()` at once.
    void events.return?.();
  });
  return createAsyncIterator<Event>(
    async () => {
      const result = await events.next();
      if (!result.done && state === 'open') return result;
      cancel();
      if (state !== 'expired') return iterationDone;
      state = 'finished';
      return { done: false, value: finalEvent };
    },
    () => {
      cancel();
      state = 'finished';
      return events.return?.();
    },
  );
}
