import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { createMemoryBus } from '../../../src/operations/bus.ts';
import { createTracker, type Look } from '../../../src/operations/tracker.ts';

interface State {
  readonly percent: number;
}

const pollMs = 5;
const bus = createMemoryBus();

/** Looks that show these steps one after the other, the last again and again. */
function looks(...steps: (Partial<Look<State>> | Error)[]) {
  const before: (State | null)[] = [];
  const look = async (state: State | null): Promise<Look<State>> => {
    const step = steps[Math.min(before.length, steps.length - 1)];
    before.push(state);
    if (step instanceof Error) throw step;
    return { state: null, isFinished: false, waitMs: null, ...step };
  };
  return { look, before };
}

const at = (percent: number): Partial<Look<State>> => ({ state: { percent } });
const done = (percent: number): Partial<Look<State>> => ({ state: { percent }, isFinished: true });

async function percents(states: AsyncIterable<State>): Promise<number[]> {
  const read: number[] = [];
  for await (const { percent } of states) read.push(percent);
  return read;
}

describe('one who follows', () => {
  test('is told how it stands, every change once and the end once', async () => {
    const { look, before } = looks(at(0), at(0), at(50), at(50), at(50), done(100));

    expect(await percents(createTracker({ pollMs, bus }).follow('key', look))).toEqual([0, 50, 100]);
    expect(before).toHaveLength(6);
  });

  test('is told nothing twice when the end looks like the state before', async () => {
    const { look } = looks(at(100), done(100));

    expect(await percents(createTracker({ pollMs, bus }).follow('key', look))).toEqual([100]);
  });

  test('is told nothing of looks that failed', async () => {
    const { look } = looks({}, at(10), {}, {}, done(20));

    expect(await percents(createTracker({ pollMs, bus }).follow('key', look))).toEqual([10, 20]);
  });

  test('is asked with the state told before', async () => {
    const { look, before } = looks(at(10), {}, at(20), done(30));

    await percents(createTracker({ pollMs, bus }).follow('key', look));

    expect(before).toEqual([null, { percent: 10 }, { percent: 10 }, { percent: 20 }]);
  });

  test('is told the error that ends it', async () => {
    const error = new Error('no right');
    const { look } = looks(at(10), error);
    const states = createTracker({ pollMs, bus }).follow('key', look);

    expect((await states.next()).value).toEqual({ percent: 10 });
    await expect(states.next()).rejects.toBe(error);
  });
});

describe('many who follow one key', () => {
  test('share one poller, and all are told all', async () => {
    const tracker = createTracker({ pollMs, bus });
    const { look, before } = looks(at(0), at(50), done(100));

    const told = await Promise.all(Array.from({ length: 100 }, () => percents(tracker.follow('key', look))));

    expect(told).toEqual(Array.from({ length: 100 }, () => [0, 50, 100]));
    expect(before).toHaveLength(3);
  });

  test('are told the latest state at once when they come late', async () => {
    const tracker = createTracker({ pollMs: 60_000, bus });
    const { look, before } = looks(at(40));
    const early = tracker.follow('key', look);
    await early.next();

    const late = tracker.follow('key', look);

    expect((await late.next()).value).toEqual({ percent: 40 });
    expect(before).toHaveLength(1);
    await early.return?.();
    await late.return?.();
  });

  test('are all told the error that ends it', async () => {
    const tracker = createTracker({ pollMs, bus });
    const error = new Error('no right');
    const { look } = looks(at(10), error);

    const told = await Promise.allSettled([1, 2, 3].map(() => percents(tracker.follow('key', look))));

    expect(told).toEqual([1, 2, 3].map(() => ({ status: 'rejected', reason: error })));
  });

  test('go on when one of them leaves', async () => {
    const tracker = createTracker({ pollMs, bus });
    const { look } = looks(at(0), at(50), done(100));
    const leaving = tracker.follow('key', look);
    const staying = percents(tracker.follow('key', look));
    await leaving.next();

    await leaving.return?.();

    expect(await staying).toEqual([0, 50, 100]);
  });

  test('of another key are polled for apart', async () => {
    const tracker = createTracker({ pollMs, bus });
    const ada = looks(done(1));
    const bob = looks(done(2));

    const told = await Promise.all([
      percents(tracker.follow('ada', ada.look)),
      percents(tracker.follow('bob', bob.look)),
    ]);

    expect(told).toEqual([[1], [2]]);
    expect([ada.before.length, bob.before.length]).toEqual([1, 1]);
  });
});

describe('the last one leaving', () => {
  test('stops the polling', async () => {
    const { look, before } = looks(at(0));
    const states = createTracker({ pollMs, bus }).follow('key', look);
    await states.next();

    await states.return?.();
    const looked = before.length;
    await sleep(pollMs * 10);

    expect(before.length).toBe(looked);
  });

  test('stops the polling although the next change is still waited for', async () => {
    const { look, before } = looks(at(0));
    const states = createTracker({ pollMs, bus }).follow('key', look);
    await states.next();
    const waiting = states.next();

    const left = await Promise.race([states.return?.(), sleep(500, 'still there')]);
    const looked = before.length;
    await sleep(pollMs * 10);

    expect(left).toEqual({ done: true, value: undefined });
    expect(before.length).toBe(looked);
    expect(await waiting).toEqual({ done: true, value: undefined });
  });

  test('while a look is on its way stops the polling too', async () => {
    const { look, before } = looks(at(0), at(1));
    const slowLook = async (state: State | null) => {
      const seen = await look(state);
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

  test('leaves nothing behind: who comes after is told by a poller of their own', async () => {
    const tracker = createTracker({ pollMs, bus });
    const first = looks(at(0));
    const states = tracker.follow('key', first.look);
    await states.next();
    await states.return?.();

    const second = looks(done(100));

    expect(await percents(tracker.follow('key', second.look))).toEqual([100]);
  });
});

test('an operation that has ended is looked at again by who comes after', async () => {
  const tracker = createTracker({ pollMs, bus });
  await percents(tracker.follow('key', looks(done(1)).look));
  const again = looks(done(2));

  expect(await percents(tracker.follow('key', again.look))).toEqual([2]);
});

test('an operation that has ended is not looked at any more', async () => {
  const { look, before } = looks(done(1));
  await percents(createTracker({ pollMs, bus }).follow('key', look));
  await sleep(pollMs * 10);

  expect(before).toHaveLength(1);
});

describe('the pause between two looks', () => {
  const timesOf = async (options: { pollMs: number }, waitMs: number | null, count: number) => {
    const times: number[] = [];
    const look = async (): Promise<Look<State>> => {
      times.push(performance.now());
      return { state: { percent: times.length }, isFinished: times.length === count, waitMs };
    };
    await percents(createTracker({ ...options, bus }).follow('key', look));
    return times.slice(1).map((time, index) => time - (times[index] as number));
  };

  // Timers may fire a millisecond early.
  test('is as long as the upstream asks, where it asks for more', async () => {
    const pauses = await timesOf({ pollMs: 1 }, 60, 3);

    for (const pause of pauses) expect(pause).toBeGreaterThanOrEqual(59);
  });

  test('is as long as the upstream asks, where it asks for less', async () => {
    const pauses = await timesOf({ pollMs: 10_000 }, 1, 3);

    for (const pause of pauses) expect(pause).toBeLessThan(5_000);
  });

  test('is never too long for a timer, which would then not wait at all', async () => {
    const { look, before } = looks({ ...at(0), waitMs: 2 ** 40 });
    const states = createTracker({ pollMs: 1, bus }).follow('key', look);
    await states.next();
    await sleep(50);
    await states.return?.();

    expect(before).toHaveLength(1);
  });

  test('grows from the first on where the upstream does not say', async () => {
    const [first = 0, , , fourth = 0] = await timesOf({ pollMs: 20 }, null, 5);

    expect(first).toBeGreaterThanOrEqual(19);
    // Timers may end a little early; without growth it would be 20.
    expect(fourth).toBeGreaterThanOrEqual(60);
  });
});
