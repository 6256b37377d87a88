import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { createMemoryBus } from '../../../src/operations/bus.ts';
import type { PollResult } from '../../../src/operations/tracker.ts';
import { createTracker } from '../../../src/operations/tracker.ts';

interface State {
  readonly percent: number;
}

const pollMs = 5;
const bus = createMemoryBus();

/** Looks that show these steps one after the other, the last again and again. */
function polls(...steps: (Partial<PollResult<State>> | Error)[]) {
  const before: (State | null)[] = [];
  const poll = async (state: State | null): Promise<PollResult<State>> => {
    const step = steps[Math.min(before.length, steps.length - 1)];
    before.push(state);
    if (step instanceof Error) throw step;
    return { state: null, isFinished: false, waitMs: null, ...step };
  };
  return { poll, before };
}

const at = (percent: number): Partial<PollResult<State>> => ({ state: { percent } });
const done = (percent: number): Partial<PollResult<State>> => ({ state: { percent }, isFinished: true });

async function percents(states: AsyncIterable<State>): Promise<number[]> {
  const read: number[] = [];
  for await (const { percent } of states) read.push(percent);
  return read;
}

describe('a follower', () => {
  test('receives the state, every change once and the end once', async () => {
    const { poll, before } = polls(at(0), at(0), at(50), at(50), at(50), done(100));

    expect(await percents(createTracker({ pollMs, bus }).follow('key', poll))).toEqual([0, 50, 100]);
    expect(before).toHaveLength(6);
  });

  test('receives nothing twice when the final state equals the one before', async () => {
    const { poll } = polls(at(100), done(100));

    expect(await percents(createTracker({ pollMs, bus }).follow('key', poll))).toEqual([100]);
  });

  test('receives nothing of polls that failed', async () => {
    const { poll } = polls({}, at(10), {}, {}, done(20));

    expect(await percents(createTracker({ pollMs, bus }).follow('key', poll))).toEqual([10, 20]);
  });

  test('is polled for with the state before', async () => {
    const { poll, before } = polls(at(10), {}, at(20), done(30));

    await percents(createTracker({ pollMs, bus }).follow('key', poll));

    expect(before).toEqual([null, { percent: 10 }, { percent: 10 }, { percent: 20 }]);
  });

  test('receives the error that ends the stream', async () => {
    const error = new Error('no right');
    const { poll } = polls(at(10), error);
    const states = createTracker({ pollMs, bus }).follow('key', poll);

    expect((await states.next()).value).toEqual({ percent: 10 });
    await expect(states.next()).rejects.toBe(error);
  });
});

describe('many followers of one key', () => {
  test('share one poller, and all receive everything', async () => {
    const tracker = createTracker({ pollMs, bus });
    const { poll, before } = polls(at(0), at(50), done(100));

    const received = await Promise.all(
      Array.from({ length: 100 }, () => percents(tracker.follow('key', poll))),
    );

    expect(received).toEqual(Array.from({ length: 100 }, () => [0, 50, 100]));
    expect(before).toHaveLength(3);
  });

  test('receive the latest state at once when they join late', async () => {
    const tracker = createTracker({ pollMs: 60_000, bus });
    const { poll, before } = polls(at(40));
    const early = tracker.follow('key', poll);
    await early.next();

    const late = tracker.follow('key', poll);

    expect((await late.next()).value).toEqual({ percent: 40 });
    expect(before).toHaveLength(1);
    await early.return?.();
    await late.return?.();
  });

  test('all receive the error that ends the stream', async () => {
    const tracker = createTracker({ pollMs, bus });
    const error = new Error('no right');
    const { poll } = polls(at(10), error);

    const received = await Promise.allSettled([1, 2, 3].map(() => percents(tracker.follow('key', poll))));

    expect(received).toEqual([1, 2, 3].map(() => ({ status: 'rejected', reason: error })));
  });

  test('continue when one of them leaves', async () => {
    const tracker = createTracker({ pollMs, bus });
    const { poll } = polls(at(0), at(50), done(100));
    const leaving = tracker.follow('key', poll);
    const staying = percents(tracker.follow('key', poll));
    await leaving.next();

    await leaving.return?.();

    expect(await staying).toEqual([0, 50, 100]);
  });

  test('of different keys are polled for separately', async () => {
    const tracker = createTracker({ pollMs, bus });
    const ada = polls(done(1));
    const bob = polls(done(2));

    const received = await Promise.all([
      percents(tracker.follow('ada', ada.poll)),
      percents(tracker.follow('bob', bob.poll)),
    ]);

    expect(received).toEqual([[1], [2]]);
    expect([ada.before.length, bob.before.length]).toEqual([1, 1]);
  });
});

describe('the last follower leaving', () => {
  test('stops the polling', async () => {
    const { poll, before } = polls(at(0));
    const states = createTracker({ pollMs, bus }).follow('key', poll);
    await states.next();

    await states.return?.();
    const looked = before.length;
    await sleep(pollMs * 10);

    expect(before.length).toBe(looked);
  });

  test('stops the polling although the next change is pending', async () => {
    const { poll, before } = polls(at(0));
    const states = createTracker({ pollMs, bus }).follow('key', poll);
    await states.next();
    const waiting = states.next();

    const left = await Promise.race([states.return?.(), sleep(500, 'still there')]);
    const looked = before.length;
    await sleep(pollMs * 10);

    expect(left).toEqual({ done: true, value: undefined });
    expect(before.length).toBe(looked);
    expect(await waiting).toEqual({ done: true, value: undefined });
  });

  test('during a poll stops the polling, too', async () => {
    const { poll, before } = polls(at(0), at(1));
    const slowLook = async (state: State | null) => {
      const seen = await poll(state);
      if (before.length > 1) await sleep(30);
      return seen;
    };
    const states = createTracker({ pollMs, bus }).follow('key', slowLook);
    await states.next();
    while (before.length < 2) await sleep(1);

    await states.return?.();
    await sleep(80);

    expect(before).toHaveLength(2);
  });

  test('leaves nothing behind: the next follower gets a new poller', async () => {
    const tracker = createTracker({ pollMs, bus });
    const first = polls(at(0));
    const states = tracker.follow('key', first.poll);
    await states.next();
    await states.return?.();

    const second = polls(done(100));

    expect(await percents(tracker.follow('key', second.poll))).toEqual([100]);
  });
});

test('an operation that has finished is polled again for a new follower', async () => {
  const tracker = createTracker({ pollMs, bus });
  await percents(tracker.follow('key', polls(done(1)).poll));
  const again = polls(done(2));

  expect(await percents(tracker.follow('key', again.poll))).toEqual([2]);
});

test('an operation that has finished is not polled any more', async () => {
  const { poll, before } = polls(done(1));
  await percents(createTracker({ pollMs, bus }).follow('key', poll));
  await sleep(pollMs * 10);

  expect(before).toHaveLength(1);
});

describe('the pause between two polls', () => {
  const timesOf = async (options: { pollMs: number }, waitMs: number | null, count: number) => {
    const times: number[] = [];
    const poll = async (): Promise<PollResult<State>> => {
      times.push(performance.now());
      return { state: { percent: times.length }, isFinished: times.length === count, waitMs };
    };
    await percents(createTracker({ ...options, bus }).follow('key', poll));
    return times.slice(1).map((time, index) => time - (times[index] as number));
  };

  // Timers may fire a millisecond early.
  test('is as long as the upstream asks, where that is more than the default', async () => {
    const pauses = await timesOf({ pollMs: 1 }, 60, 3);

    for (const pause of pauses) expect(pause).toBeGreaterThanOrEqual(59);
  });

  test('is as long as the upstream asks, where that is less than the default', async () => {
    const pauses = await timesOf({ pollMs: 10_000 }, 1, 3);

    for (const pause of pauses) expect(pause).toBeLessThan(5_000);
  });

  test('never overflows a timer, which would then not wait at all', async () => {
    const { poll, before } = polls({ ...at(0), waitMs: 2 ** 40 });
    const states = createTracker({ pollMs: 1, bus }).follow('key', poll);
    await states.next();
    await sleep(50);
    await states.return?.();

    expect(before).toHaveLength(1);
  });

  test('grows with each poll where the upstream does not ask for one', async () => {
    const [first = 0, , , fourth = 0] = await timesOf({ pollMs: 20 }, null, 5);

    expect(first).toBeGreaterThanOrEqual(19);
    // Timers may end a little early; without growth it would be 20.
    expect(fourth).toBeGreaterThanOrEqual(60);
  });
});
