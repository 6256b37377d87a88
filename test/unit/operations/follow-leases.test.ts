import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Bus } from '../../../src/operations/bus.ts';
import { createFollow, type PollResult } from '../../../src/operations/follow.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const renewalMs = 100;
const settle = (ms = 0) => vi.advanceTimersByTimeAsync(ms);

/** A follower on a bus whose lease is held as the test says, with reads that wait so long for the next. */
function start(waitMs: number) {
  const lease = { isHeld: true };
  const published: number[] = [];
  let receive = (_message: string) => {};
  const bus: Bus = {
    async join(_topic, onMessage) {
      receive = onMessage;
      return {
        leaseRenewalMs: renewalMs,
        acquireLease: async () => lease.isHeld,
        publish: (message) => void published.push(JSON.parse(message).number),
        publishRetained() {},
        replayRetained: async () => {},
        leave() {},
      };
    },
    isConnected: () => true,
    close: async () => {},
  };
  const polls: ((percent: number) => void)[] = [];
  const read = () =>
    new Promise<PollResult<number>>((resolve) => {
      polls.push((percent) => resolve({ value: percent, waitMs }));
    });
  const follow = createFollow<number>({
    pollMs: 1,
    replicas: { bus, parseValue: (value) => value as number },
  });
  const values = follow('t', () => ({ read }));
  return {
    lease,
    published,
    receive: (message: object | string) =>
      receive(typeof message === 'string' ? message : JSON.stringify(message)),
    polls,
    values,
  };
}

test('a lease that is lost and acquired again starts one chain of polls, not a second beside the first', async () => {
  const { lease, polls, values } = start(1_000);
  await settle();
  polls[0]?.(1);
  lease.isHeld = false;
  await settle(renewalMs);
  lease.isHeld = true;
  await settle(renewalMs);
  expect(polls).toHaveLength(2);
  polls[1]?.(2);

  await settle(999);
  expect(polls).toHaveLength(2);
  await settle(1);
  expect(polls).toHaveLength(3);
  await values.return?.();
});

test('a poll that ends after the lease was lost is the last one', async () => {
  const { lease, polls, values } = start(10);
  await settle();
  lease.isHeld = false;
  await settle(renewalMs);
  polls[0]?.(1);
  await settle(5_000);

  expect(polls).toHaveLength(1);
  await values.return?.();
});

test('a leader whose clock is behind numbers its messages above the ones it has received', async () => {
  const { lease, published, receive, polls, values } = start(1_000);
  lease.isHeld = false;
  await settle();
  const ahead = Date.now() + 3_600_000;
  receive({ number: ahead, state: 1, isFinished: false });
  lease.isHeld = true;
  await settle(renewalMs);
  polls[0]?.(2);
  await settle(1_000);
  polls[1]?.(3);
  await settle();

  expect(published).toEqual([ahead + 1, ahead + 2]);
  await values.return?.();
});

test('the leader ignores what another replica found before it, however late that arrives', async () => {
  const { receive, polls, values } = start(60_000);
  await settle();
  const before = Date.now() - 1;
  polls[0]?.(50);
  await settle(20_000);
  expect((await values.next()).value).toBe(50);
  const next = values.next();
  receive({ number: before, state: 40, isFinished: false });
  await settle();
  receive({ number: Date.now() + 1, state: 60, isFinished: false });

  expect((await next).value).toBe(60);
  await values.return?.();
});

describe('a message of another replica', () => {
  const stateMessage = (number: number, state: number, isFinished = false) => ({ number, state, isFinished });

  /** What a follower without the lease receives after these messages and pauses, and then the end. */
  async function receivedAfter(...given: (object | string | number)[]): Promise<number[]> {
    const { lease, receive, values } = start(1_000);
    lease.isHeld = false;
    const received: number[] = [];
    const following = (async () => {
      for await (const state of values) received.push(state);
    })();
    await settle();
    for (const each of [...given, stateMessage(9e15, 100, true)]) {
      if (typeof each !== 'number') receive(each);
      await settle(typeof each === 'number' ? each : 0);
    }
    await following;
    return received;
  }

  test('is reported once, and not after a later one', async () => {
    const messages = [5, 5, 7, 6, 8, 9].map((number) => stateMessage(number, number * 10));
    const again = stateMessage(10, 90);

    expect(await receivedAfter(...messages, again)).toEqual([50, 70, 80, 90, 100]);
  });

  test.each([
    [9_999, [10, 30, 100]],
    [10_000, [10, 20, 30, 100]],
  ])(
    'whose number is lower is reported after ten seconds: the clock of the new leader is behind (%i ms)',
    async (pauseMs, received) => {
      const behind = [stateMessage(5, 20), stateMessage(pauseMs < 10_000 ? 10 : 6, 30)];

      expect(await receivedAfter(stateMessage(9, 10), pauseMs, ...behind)).toEqual(received);
    },
  );

  test.each(['{', '{"number":"9","state":null,"isFinished":true}', '{"number":9,"isFinished":true}'])(
    'that is not understood, %j, is ignored',
    async (message) => {
      expect(await receivedAfter(stateMessage(5, 10), message, stateMessage(6, 20))).toEqual([10, 20, 100]);
    },
  );
});
