import { createAsyncIterator, iterationDone } from './async-iterators.ts';

/** Calls `act` once when there are no more events, for whatever reason, and `afterEach` after every `next`. */
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

// `setTimeout` fires at once for longer times.
const maxTimerMs = 2 ** 31 - 1;

/** Calls `act` at an instant, in milliseconds since 1970, but within 24 days. Returns a function that cancels it. */
export function scheduleAt(instant: number, act: () => void): () => void {
  const timer = setTimeout(act, Math.min(Math.max(instant - Date.now(), 0), maxTimerMs));
  return () => clearTimeout(timer);
}

/** Ends the events at an instant, in milliseconds since 1970, with a final event. */
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
