import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { Bus } from '../../../src/operations/bus.ts';
import { createTracker, type Look } from '../../../src/operations/tracker.ts';

interface State {
  readonly percent: number;
}

/** What one who follows is told when these messages come from another replica, and then the end. */
async function toldOf(...messages: string[]): Promise<number[]> {
  let say = (_message: string) => {};
  const bus: Bus = {
    async join(_topic, hear) {
      say = hear;
      return { askAgainMs: 60_000, leads: async () => false, tell() {}, leave() {} };
    },
    close: async () => {},
  };
  const look = async (): Promise<Look<State>> => {
    throw new Error('It is not the one to look.');
  };
  const told: number[] = [];
  const following = (async () => {
    for await (const { percent } of createTracker({ pollMs: 1, bus }).follow('k', look)) told.push(percent);
  })();
  const end = JSON.stringify({ number: 9e15, state: { percent: 100 }, isFinished: true });
  for (const message of [...messages, end]) {
    await sleep(1);
    say(message);
  }
  await following;
  return told;
}

describe('what is heard', () => {
  const say = (number: number, percent: number) =>
    JSON.stringify({ number, state: { percent }, isFinished: false });

  test('is told in order: nothing twice, nothing after a later one', async () => {
    expect(await toldOf(say(5, 10), say(5, 10), say(7, 30), say(6, 20), say(8, 30), say(9, 40))).toEqual([
      10, 30, 40, 100,
    ]);
  });

  test.each(['', 'null', '7', '{', '[]', '{"number":"9"}', '{"number":9}'])(
    'and makes no sense, %j, is passed over',
    async (message) => {
      expect(await toldOf(say(5, 10), message, say(6, 20))).toEqual([10, 20, 100]);
    },
  );

  test('ends the following when it is the end', async () => {
    expect(await toldOf()).toEqual([100]);
  });
});
