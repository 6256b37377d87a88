import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { UpstreamError } from '../../../src/errors.ts';
import { createFollow, type PollResult } from '../../../src/operations/follow.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const pollMs = 1_000;
const settle = (ms = 0) => vi.advanceTimersByTimeAsync(ms);

const unavailable = (retryAfterSeconds: number | null, status = 503) =>
  new UpstreamError('UPSTREAM_UNAVAILABLE', 'Unavailable.', {
    upstream: 'business',
    delivery: 'unknown',
    status,
    retryAfterSeconds,
  });

type Changes = readonly string[];

/** Followers of one poll for changes, whose reads end as the test says. */
function start() {
  const reads: { resolve(result: PollResult<Changes>): void; reject(error: unknown): void }[] = [];
  const onStop = vi.fn();
  let trigger = () => {};
  const follow = createFollow<Changes>({ pollMs, merge: (unread, next) => [...unread, ...next] });
  const join = () =>
    follow('key', (triggerRead) => {
      trigger = triggerRead;
      const read = () =>
        new Promise<PollResult<Changes>>((resolve, reject) => void reads.push({ resolve, reject }));
      return { read, onStop };
    });
  return {
    join,
    onStop,
    trigger: () => trigger(),
    reads: () => reads.length,
    async end(result: PollResult<Changes> = { value: null }) {
      reads.at(-1)?.resolve(result);
      await settle();
    },
    async fail(error: unknown) {
      reads.at(-1)?.reject(error);
      await settle();
    },
  };
}

describe('a trigger', () => {
  test('makes the next read come at once, and the pause begin anew', async () => {
    const { join, trigger, reads, end } = start();
    const values = join();
    await settle();
    await end();
    trigger();
    await settle();
    expect(reads()).toBe(2);

    await end();
    await settle(pollMs - 1);
    expect(reads()).toBe(2);
    await settle(1);
    expect(reads()).toBe(3);
    await values.return?.();
  });

  test('during a read makes one more follow it, however often', async () => {
    const { join, trigger, reads, end } = start();
    const values = join();
    await settle();
    trigger();
    trigger();
    await settle(5_000);
    expect(reads()).toBe(1);

    await end();
    expect(reads()).toBe(2);
    await end();
    expect(reads()).toBe(2);
    await values.return?.();
  });

  test('after the last follower has left does nothing, whether a read was under way or not', async () => {
    const waiting = start();
    const reading = start();
    const [first, second] = [waiting.join(), reading.join()];
    await settle();
    await waiting.end();
    await first.return?.();
    await second.return?.();
    for (const { trigger } of [waiting, reading]) trigger();
    await reading.end();
    await settle(10_000);

    expect([waiting.reads(), reading.reads(), vi.getTimerCount()]).toEqual([1, 1, 0]);
  });
});

describe('after a transient failure', () => {
  test('to read a part, the rest is delivered, and the next read comes after its Retry-After', async () => {
    const { join, reads, end } = start();
    const values = join();
    await settle();
    await end({ value: ['a'], failure: unavailable(5) });
    expect((await values.next()).value).toEqual(['a']);
    await settle(4_999);
    expect(reads()).toBe(1);
    await settle(1);
    expect(reads()).toBe(2);
    await values.return?.();
  });

  test.each([
    ['none', null, pollMs],
    ['more than the pause', 5, 5_000],
    ['more than ten minutes', 86_400, 600_000],
  ])(
    'with a Retry-After of %s the next read comes in time, and not earlier by a trigger',
    async (_what, seconds, waitMs) => {
      const { join, trigger, reads, fail } = start();
      const values = join();
      await settle();
      trigger();
      await fail(unavailable(seconds));
      trigger();
      await settle(waitMs - 1);
      expect(reads()).toBe(1);
      await settle(1);
      expect(reads()).toBe(2);
      await values.return?.();
    },
  );
});

test('an error that does not pass ends the poll for every follower, and a later one polls anew', async () => {
  const { join, onStop, reads, fail } = start();
  const followers = [join(), join()];
  const ends = Promise.allSettled(followers.map((values) => values.next()));
  await settle();
  const mistake = new Error('a mistake');
  await fail(mistake);
  expect(await ends).toEqual([mistake, mistake].map((reason) => ({ status: 'rejected', reason })));
  await settle(pollMs * 50);
  expect([reads(), onStop.mock.calls.length, vi.getTimerCount()]).toEqual([1, 1, 0]);

  const later = join();
  for (const values of followers) await values.return?.();
  await settle();
  expect(reads()).toBe(2);
  await later.return?.();
  expect(onStop).toHaveBeenCalledTimes(2);
});

test('changes are merged for a slow follower, also equal ones; one that joins gets later ones only', async () => {
  const { join, end } = start();
  const early = join();
  await settle();
  await end({ value: ['a'] });
  const late = join();
  const lateNext = late.next();
  await settle(pollMs);
  await end({ value: ['a'] });
  expect((await early.next()).value).toEqual(['a', 'a']);
  expect((await lateNext).value).toEqual(['a']);
  await early.return?.();
  await late.return?.();
});
