import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { Bus } from '../../../src/operations/bus.ts';
import { createFollow, type PollResult } from '../../../src/operations/follow.ts';

interface State {
  readonly percent: number;
}

/** What a follower receives when these messages come from another replica, and then the end. */
async function receivedAfter(...messages: (string | (() => void))[]): Promise<number[]> {
  let deliver = (_message: string) => {};
  const bus: Bus = {
    async join(_topic, onMessage) {
      deliver = onMessage;
      return {
        leaseRenewalMs: 60_000,
        acquireLease: async () => false,
        publish() {},
        publishRetained() {},
        replayRetained: async () => {},
        leave() {},
      };
    },
    isConnected: () => true,
    close: async () => {},
  };
  const read = async (): Promise<PollResult<State>> => {
    throw new Error('It does not hold the lease.');
  };
  const follow = createFollow<State>({
    pollMs: 1,
    replicas: { bus, parseValue: (value) => value as State },
  });
  const received: number[] = [];
  const following = (async () => {
    for await (const { percent } of follow('k', () => ({ read }))) received.push(percent);
  })();
  const end = JSON.stringify({ number: 9e15, state: { percent: 100 }, isFinished: true });
  for (const message of [...messages, end]) {
    await sleep(1);
    if (typeof message === 'string') deliver(message);
    else message();
  }
  await following;
  return received;
}

describe('a message of another replica', () => {
  const stateMessage = (number: number, percent: number) =>
    JSON.stringify({ number, state: { percent }, isFinished: false });

  test('is reported once, and not after a later one', async () => {
    expect(
      await receivedAfter(
        stateMessage(5, 10),
        stateMessage(5, 10),
        stateMessage(7, 30),
        stateMessage(6, 20),
        stateMessage(8, 30),
        stateMessage(9, 40),
      ),
    ).toEqual([10, 30, 40, 100]);
  });

  test('is reported after ten seconds though its number is lower: the clock of the new leader is behind', async () => {
    onTestFinished(() => void vi.useRealTimers());
    vi.useFakeTimers({ toFake: ['performance'] });

    const inTime = await receivedAfter(
      stateMessage(9, 10),
      () => vi.advanceTimersByTime(9_999),
      stateMessage(5, 20),
    );
    const late = await receivedAfter(
      stateMessage(9, 10),
      () => vi.advanceTimersByTime(10_000),
      stateMessage(5, 20),
      stateMessage(6, 30),
    );

    expect(inTime).toEqual([10, 100]);
    expect(late).toEqual([10, 20, 30, 100]);
  });

  test.each([
    '',
    '{',
    '{"number":"9","state":null,"isFinished":true}',
    '{"number":9,"isFinished":true}',
    '{"number":9,"state":null,"isFinished":1}',
  ])('that is not understood, %j, is ignored', async (message) => {
    expect(await receivedAfter(stateMessage(5, 10), message, stateMessage(6, 20))).toEqual([10, 20, 100]);
  });
});
