import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { Bus } from '../../../src/operations/bus.ts';
import { createTracker, type Look } from '../../../src/operations/tracker.ts';

interface State {
  readonly percent: number;
}

/** What several members share. They may be cut off from it, as replicas from Redis. */
function createHub() {
  const members = new Map<string, (message: string) => void>();
  let holder: string | null = null;
  let last: string | null = null;
  let isDown = false;
  let losesMessages = false;

  const busOf = (name: string): Bus => ({
    async join(_topic, hear) {
      members.set(name, hear);
      return {
        askAgainMs: 5,
        async leads() {
          if (isDown) return true;
          holder ??= name;
          if (last !== null) hear(last);
          return holder === name;
        },
        tell(message) {
          if (isDown) return;
          last = message;
          if (!losesMessages) for (const other of members.values()) other(message);
        },
        leave() {
          members.delete(name);
          if (holder !== name) return;
          holder = null;
          last = null;
        },
      };
    },
    close: async () => {},
  });

  return {
    trackerOf: (name: string) => createTracker({ pollMs: 2, bus: busOf(name) }),
    goDown: () => {
      isDown = true;
    },
    comeBack: (name: string) => {
      [isDown, holder] = [false, name];
    },
    loseMessages: () => {
      losesMessages = true;
    },
    /** Ends a member without a word: it holds the right until that runs out. */
    kill(name: string) {
      if (members.delete(name) && holder === name) holder = null;
    },
    members,
  };
}

/** An operation that can be looked at, by how far it has come. */
function createOperation() {
  let percent = 0;
  const looks: string[] = [];
  /** Who is to wait how long. */
  const waits = new Map<string, number>();
  return {
    looks,
    waits,
    comesTo(next: number) {
      percent = next;
    },
    lookOf: (name: string) => async (): Promise<Look<State>> => {
      looks.push(name);
      return { state: { percent }, isFinished: percent === 100, waitMs: waits.get(name) ?? 2 };
    },
  };
}

/** Reads along; what was read so far can be looked at. */
function read(states: AsyncIterableIterator<State>) {
  const told: number[] = [];
  const end = (async () => {
    for await (const { percent } of states) told.push(percent);
  })();
  return { told, end };
}

const has = async (told: readonly number[], percent: number) =>
  expect.poll(() => told.at(-1), { interval: 1 }).toBe(percent);

describe('of several members', () => {
  test('one looks and all hear, each change once and the end', async () => {
    const hub = createHub();
    const operation = createOperation();
    const readers = ['a', 'b', 'c'].map((name) =>
      read(hub.trackerOf(name).follow('k', operation.lookOf(name))),
    );

    for (const percent of [0, 30, 60]) {
      operation.comesTo(percent);
      for (const { told } of readers) await has(told, percent);
    }
    operation.comesTo(100);
    await Promise.all(readers.map(({ end }) => end));

    expect(readers.map(({ told }) => told)).toEqual(Array.from({ length: 3 }, () => [0, 30, 60, 100]));
    // Whoever has not heard of the end yet when the right is given up may look once more.
    expect(new Set(operation.looks.slice(0, -2)).size).toBe(1);
    expect(hub.members.size).toBe(0);
  });

  test('one who comes late hears how it stands without a look of its own', async () => {
    const hub = createHub();
    const operation = createOperation();
    operation.comesTo(40);
    const early = hub.trackerOf('a').follow('k', operation.lookOf('a'));
    await early.next();

    const late = hub.trackerOf('b').follow('k', operation.lookOf('b'));

    expect((await late.next()).value).toEqual({ percent: 40 });
    expect(operation.looks).not.toContain('b');
    await early.return?.();
    await late.return?.();
  });

  test('another goes on when the one who looks leaves, or dies, and nothing is told twice', async () => {
    const hub = createHub();
    const operation = createOperation();
    operation.comesTo(10);
    const leaving = hub.trackerOf('a').follow('k', operation.lookOf('a'));
    await leaving.next();
    const dying = read(hub.trackerOf('b').follow('k', operation.lookOf('b')));
    const staying = read(hub.trackerOf('c').follow('k', operation.lookOf('c')));
    await has(dying.told, 10);
    await has(staying.told, 10);

    await leaving.return?.();
    operation.comesTo(50);
    await has(staying.told, 50);
    hub.kill('b');
    operation.comesTo(100);
    await staying.end;

    expect(staying.told).toEqual([10, 50, 100]);
  });

  test('one that misses what is told hears it at its next asking', async () => {
    const hub = createHub();
    const operation = createOperation();
    const looking = hub.trackerOf('a').follow('k', operation.lookOf('a'));
    await looking.next();
    hub.loseMessages();
    const hearing = read(hub.trackerOf('b').follow('k', operation.lookOf('b')));

    operation.comesTo(20);
    await has(hearing.told, 20);
    operation.comesTo(70);
    await has(hearing.told, 70);
    await looking.return?.();
    operation.comesTo(100);
    await hearing.end;

    expect(hearing.told.at(-1)).toBe(100);
  });

  test('all look while the bus cannot be reached, nothing ends, and then one looks again', async () => {
    const hub = createHub();
    const operation = createOperation();
    operation.waits.set('b', 30);
    const readers = ['a', 'b'].map((name) => read(hub.trackerOf(name).follow('k', operation.lookOf(name))));
    for (const { told } of readers) await has(told, 0);

    hub.goDown();
    operation.comesTo(30);
    for (const { told } of readers) await has(told, 30);
    operation.looks.length = 0;
    await sleep(200);
    const apart = new Set(operation.looks);
    // The one that goes on has looked the fewest times, and the other does not say how often.
    operation.waits.set('a', 60_000);
    await sleep(10);
    hub.comeBack('b');
    await sleep(20);
    operation.looks.length = 0;
    operation.comesTo(60);
    for (const { told } of readers) await has(told, 60);
    const together = new Set(operation.looks);
    operation.comesTo(100);
    await Promise.all(readers.map(({ end }) => end));

    expect(apart.size).toBe(2);
    expect([...together]).toEqual(['b']);
    for (const { told } of readers) expect(told).toEqual([0, 30, 60, 100]);
  });

  test('an error ends the following of one, and the next finds out by itself', async () => {
    const hub = createHub();
    const failing = async (): Promise<Look<State>> => {
      throw new Error('no right');
    };

    const ends = await Promise.allSettled(
      ['a', 'b'].map((name) => hub.trackerOf(name).follow('k', failing).next()),
    );

    expect(ends.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(hub.members.size).toBe(0);
  });
});
