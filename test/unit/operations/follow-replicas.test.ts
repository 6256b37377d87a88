import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { Bus } from '../../../src/operations/bus.ts';
import { createFollow, type PollResult } from '../../../src/operations/follow.ts';

interface State {
  readonly percent: number;
}

/** A bus that several replicas share, and from which they can be cut off. */
function createHub() {
  const members = new Map<string, (message: string) => void>();
  let holder: string | null = null;
  let last: string | null = null;
  let isDown = false;
  let losesMessages = false;

  const busOf = (name: string): Bus => ({
    async join(_topic, onMessage) {
      members.set(name, onMessage);
      return {
        leaseRenewalMs: 5,
        async acquireLease() {
          if (isDown) return true;
          holder ??= name;
          if (last !== null) onMessage(last);
          return holder === name;
        },
        publish(message) {
          if (isDown) return;
          last = message;
          if (!losesMessages) for (const other of members.values()) other(message);
        },
        publishRetained() {},
        replayRetained: async () => {},
        leave() {
          members.delete(name);
          if (holder !== name) return;
          holder = null;
          last = null;
        },
      };
    },
    isConnected: () => true,
    close: async () => {},
  });

  return {
    followOn: (name: string) =>
      createFollow<State>({
        pollMs: 2,
        replicas: { bus: busOf(name), parseValue: (value) => value as State },
      }),
    goDown: () => {
      isDown = true;
    },
    comeBack: (name: string) => {
      [isDown, holder] = [false, name];
    },
    loseMessages: () => {
      losesMessages = true;
    },
    /** Ends a member that does not release its lease, which expires. */
    kill(name: string) {
      if (members.delete(name) && holder === name) holder = null;
    },
    members,
  };
}

/** An operation that can be polled, and notes who did. */
function createOperation() {
  let percent = 0;
  const polls: string[] = [];
  /** How long each replica is asked to wait. */
  const waits = new Map<string, number>();
  return {
    polls,
    waits,
    comesTo(next: number) {
      percent = next;
    },
    pollAs: (name: string) => () => ({
      async read(): Promise<PollResult<State>> {
        polls.push(name);
        return { value: { percent }, isFinished: percent === 100, waitMs: waits.get(name) ?? 2 };
      },
    }),
  };
}

/** Reads states, and collects their percentages. */
function read(states: AsyncIterableIterator<State>) {
  const received: number[] = [];
  const end = (async () => {
    for await (const { percent } of states) received.push(percent);
  })();
  return { received, end };
}

const has = async (received: readonly number[], percent: number) =>
  expect.poll(() => received.at(-1), { interval: 1 }).toBe(percent);

describe('several replicas', () => {
  test('one polls, and all report each change once and the end', async () => {
    const hub = createHub();
    const operation = createOperation();
    const readers = ['a', 'b', 'c'].map((name) => read(hub.followOn(name)('k', operation.pollAs(name))));

    for (const percent of [0, 30, 60]) {
      operation.comesTo(percent);
      for (const { received } of readers) await has(received, percent);
    }
    operation.comesTo(100);
    await Promise.all(readers.map(({ end }) => end));

    expect(readers.map(({ received }) => received)).toEqual(
      Array.from({ length: 3 }, () => [0, 30, 60, 100]),
    );
    // A replica that has not received the end when the lease is released may poll once more.
    expect(new Set(operation.polls.slice(0, -2)).size).toBe(1);
    expect(hub.members.size).toBe(0);
  });

  test('another takes over when the leader leaves or dies, and nothing is reported twice', async () => {
    const hub = createHub();
    const operation = createOperation();
    operation.comesTo(10);
    const leaving = hub.followOn('a')('k', operation.pollAs('a'));
    await leaving.next();
    const dying = read(hub.followOn('b')('k', operation.pollAs('b')));
    const staying = read(hub.followOn('c')('k', operation.pollAs('c')));
    await has(dying.received, 10);
    await has(staying.received, 10);

    await leaving.return?.();
    operation.comesTo(50);
    await has(staying.received, 50);
    hub.kill('b');
    operation.comesTo(100);
    await staying.end;

    expect(staying.received).toEqual([10, 50, 100]);
  });

  test('all poll while the bus cannot be reached, no stream ends, and then one polls again', async () => {
    const hub = createHub();
    const operation = createOperation();
    operation.waits.set('b', 30);
    const readers = ['a', 'b'].map((name) => read(hub.followOn(name)('k', operation.pollAs(name))));
    for (const { received } of readers) await has(received, 0);

    hub.goDown();
    operation.comesTo(30);
    for (const { received } of readers) await has(received, 30);
    operation.polls.length = 0;
    await sleep(200);
    const apart = new Set(operation.polls);
    // The replica that continues has the lowest message numbers, and the other polls no more.
    operation.waits.set('a', 60_000);
    await sleep(10);
    hub.comeBack('b');
    await sleep(20);
    operation.polls.length = 0;
    operation.comesTo(60);
    for (const { received } of readers) await has(received, 60);
    const together = new Set(operation.polls);
    operation.comesTo(100);
    await Promise.all(readers.map(({ end }) => end));

    expect(apart.size).toBe(2);
    expect([...together]).toEqual(['b']);
    for (const { received } of readers) expect(received).toEqual([0, 30, 60, 100]);
  });
});
