import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createFollow, type PollResult } from '../../../src/operations/follow.ts';

interface State {
  readonly percent: number;
}

const pollMs = 5;

/** Reads that find these steps one after the other, the last again and again. */
function reads(...steps: (Partial<PollResult<State>> | Error)[]) {
  const before: (State | null)[] = [];
  const read = async (state: State | null): Promise<PollResult<State>> => {
    const step = steps[Math.min(before.length, steps.length - 1)];
    before.push(state);
    if (step instanceof Error) throw step;
    return { value: null, ...step };
  };
  return { createPoll: () => ({ read }), before };
}

const at = (percent: number): Partial<PollResult<State>> => ({ value: { percent } });
const done = (percent: number): Partial<PollResult<State>> => ({ value: { percent }, isFinished: true });

async function percents(states: AsyncIterable<State>): Promise<number[]> {
  const read: number[] = [];
  for await (const { percent } of states) read.push(percent);
  return read;
}

describe('a follower', () => {
  test('receives every change once, and its reads are given the state before', async () => {
    const { createPoll, before } = reads(at(10), {}, at(10), at(20), done(30));

    expect(await percents(createFollow<State>({ pollMs })('key', createPoll))).toEqual([10, 20, 30]);
    expect(before).toEqual([null, { percent: 10 }, { percent: 10 }, { percent: 10 }, { percent: 20 }]);
  });
});

describe('many followers of one key', () => {
  test('share one poll, and all receive everything', async () => {
    const follow = createFollow<State>({ pollMs });
    const { createPoll, before } = reads(at(0), at(50), done(100));

    const received = await Promise.all(
      Array.from({ length: 100 }, () => percents(follow('key', createPoll))),
    );

    expect(received).toEqual(Array.from({ length: 100 }, () => [0, 50, 100]));
    expect(before).toHaveLength(3);
  });

  test('receive the latest state at once when they join late', async () => {
    const follow = createFollow<State>({ pollMs: 60_000 });
    const { createPoll, before } = reads(at(40));
    const early = follow('key', createPoll);
    await early.next();

    const late = follow('key', createPoll);

    expect((await late.next()).value).toEqual({ percent: 40 });
    expect(before).toHaveLength(1);
    await early.return?.();
    await late.return?.();
  });
});

describe('the last follower leaving', () => {
  test('stops the polling although the next change is pending', async () => {
    const { createPoll, before } = reads(at(0));
    const states = createFollow<State>({ pollMs })('key', createPoll);
    await states.next();
    const waiting = states.next();

    const left = await Promise.race([states.return?.(), sleep(500, 'still there')]);
    const count = before.length;
    await sleep(pollMs * 10);

    expect(left).toEqual({ done: true, value: undefined });
    expect(before.length).toBe(count);
    expect(await waiting).toEqual({ done: true, value: undefined });
  });
});

test('an operation that has finished is polled no more, and again for a new follower', async () => {
  const follow = createFollow<State>({ pollMs });
  const first = reads(done(1));
  await percents(follow('key', first.createPoll));
  await sleep(pollMs * 4);
  expect(first.before).toHaveLength(1);
  const again = reads(done(2));

  expect(await percents(follow('key', again.createPoll))).toEqual([2]);
});

describe('the pause between two polls', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  const pausesOf = async (
    options: { readonly pollMs: number; readonly maxPollMs?: number },
    waitMs: number | null,
  ) => {
    const times: number[] = [];
    const read = async (): Promise<PollResult<State>> => {
      times.push(performance.now());
      return { value: { percent: times.length }, isFinished: times.length === 5, waitMs };
    };
    const end = percents(createFollow<State>(options)('key', () => ({ read })));
    await vi.runAllTimersAsync();
    await end;
    return times.slice(1).map((time, index) => time - (times[index] as number));
  };

  test.each([
    [
      'as long as the upstream asks, where that is more than the default',
      { pollMs: 1 },
      60,
      [60, 60, 60, 60],
    ],
    ['as long as the upstream asks, where that is less', { pollMs: 10_000 }, 1, [1, 1, 1, 1]],
    [
      'longer with each read, up to its maximum, otherwise',
      { pollMs: 20, maxPollMs: 65 },
      null,
      [20, 30, 45, 65],
    ],
  ])('is %s', async (_claim, options, waitMs, pauses) => {
    expect(await pausesOf(options, waitMs)).toEqual(pauses);
  });
});
