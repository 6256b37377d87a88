import fc from 'fast-check';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { UpstreamError } from '../../../src/errors.ts';
import { startDeadline } from '../../../src/upstream/deadline.ts';
import { createGate, type GateOptions } from '../../../src/upstream/gate.ts';

beforeEach(() => {
  vi.useFakeTimers();
  // No clock begins at nought.
  vi.advanceTimersByTime(98_765);
});
afterEach(() => void vi.useRealTimers());

const options: GateOptions = { upstream: 'business', calls: 6, callsOfCaller: 2, waitingOfCaller: 10 };

/** A gate, and calls that say in `gone` that they were let go, or why not, and go on until they are ended. */
function opened(more: Partial<GateOptions> = {}) {
  const gate = createGate({ ...options, ...more });
  // Who may go at once does not wait for a promise.
  const enter = async (...call: Parameters<typeof gate.enter>) => gate.enter(...call);
  const gone: string[] = [];
  const ends = new Map<string, () => void>();
  const ask = (pace: string, name: string, ms = 60_000, principal = pace) => {
    enter({ pace, principal }, startDeadline(ms)).then(
      (end) => {
        gone.push(name);
        ends.set(name, end);
      },
      (error: UpstreamError) => void gone.push(`${name}: ${error.code} ${error.retryAfterSeconds}`),
    );
  };
  const settle = (ms = 0) => vi.advanceTimersByTimeAsync(ms);
  const end = async (name: string) => {
    ends.get(name)?.();
    await settle();
  };
  return { gate, enter, gone, ask, end, settle };
}

test('of one caller as many calls go as may, the next when one has ended, in their order', async () => {
  const { gone, ask, end, settle } = opened();
  for (const name of ['a1', 'a2', 'a3', 'a4']) ask('ann', name);
  await settle();
  expect(gone).toEqual(['a1', 'a2']);

  await end('a2');
  await end('a1');
  expect(gone).toEqual(['a1', 'a2', 'a3', 'a4']);
});

test('a caller who has many waiting does not hold up another', async () => {
  const { gone, ask, end, settle } = opened({ calls: 3 });
  for (const name of ['a1', 'a2', 'a3', 'a4', 'a5']) ask('ann', name);
  for (const name of ['b1', 'b2', 'b3']) ask('ben', name);
  await settle();
  expect(gone).toEqual(['a1', 'a2', 'b1']);

  await end('a1');
  await end('a2');
  await end('b1');
  expect(gone.slice(3).sort()).toEqual(['a3', 'a4', 'b2']);
});

test('where all places are taken, the next that is free goes to whoever waits longest, not to who had it', async () => {
  const { gone, ask, end, settle } = opened({ calls: 2 });
  for (const name of ['a1', 'a2', 'a3']) ask('ann', name);
  ask('ben', 'b1');
  ask('cid', 'c1');
  await settle();
  await end('a1');
  await end('a2');

  expect(gone).toEqual(['a1', 'a2', 'a3', 'b1']);
});

test('of callers whom the upstream takes for one, one who has many waiting does not hold up another', async () => {
  const { gone, ask, end, settle } = opened({ waitingOfCaller: 3 });
  for (const name of ['a1', 'a2', 'a3', 'a4', 'a5', 'a6']) ask('layer', name, 60_000, 'ann');
  for (const name of ['b1', 'b2']) ask('layer', name, 60_000, 'ben');
  await settle();
  expect(gone).toEqual(['a1', 'a2', 'a6: UPSTREAM_THROTTLED 1']);

  await end('a1');
  await end('a2');
  expect(gone.slice(3)).toEqual(['a3', 'b1']);
});

test('a call that nobody waits for any more is not let go, and leaves nothing behind', async () => {
  const { enter, gone, ask, settle } = opened();
  const left = startDeadline(1_000);
  left.end();
  await expect(enter({ pace: 'ann', principal: 'ann' }, left)).rejects.toThrow(UpstreamError);
  for (const name of ['a1', 'a2']) ask('ann', name);
  await settle();

  expect(gone).toEqual(['a1', 'a2']);
});

test('a call that ends when its gate may open, and nobody has noticed, does not open the next closing', async () => {
  const { gate, gone, ask, end, settle } = opened();
  for (const name of ['a1', 'a2']) ask('ann', name);
  await settle();
  gate.close('ann', 100);
  const late = performance.now() + 200;
  const clock = vi.spyOn(performance, 'now').mockReturnValue(late);
  await end('a1');
  await end('a2');
  clock.mockRestore();
  gate.close('ann', 5_000);
  await settle(4_000);
  ask('ann', 'a3');
  await settle(900);
  expect(gone).toEqual(['a1', 'a2']);
});

test('nobody of a caller goes while the gate is closed to it; all others do', async () => {
  const { gate, gone, ask, settle } = opened();
  gate.close('ann', 2_000);
  for (const name of ['a1', 'a2', 'a3']) ask('ann', name);
  ask('ben', 'b1');
  await settle(1_999);
  expect(gone).toEqual(['b1']);

  await settle(2);
  expect(gone).toEqual(['b1', 'a1', 'a2']);
});

test('a shorter closing does not open what is closed for longer', async () => {
  const { gate, gone, ask, settle } = opened();
  gate.close('ann', 2_000);
  gate.close('ann', 100);
  ask('ann', 'a1');
  await settle(1_900);
  expect(gone).toEqual([]);
  await settle(101);
  expect(gone).toEqual(['a1']);
});

test('who cannot wait until it opens is told so at once, and how long it would take', async () => {
  const { gate, gone, ask, settle } = opened();
  for (const name of ['a1', 'a2', 'a3']) ask('ann', name, 1_500);
  await settle();
  gate.close('ann', 2_000);
  await settle();
  ask('ann', 'a4', 1_500);
  ask('ann', 'a5', 3_000);
  await settle();

  expect(gone).toEqual(['a1', 'a2', 'a3: UPSTREAM_THROTTLED 2', 'a4: UPSTREAM_THROTTLED 2']);
});

test('a gate is closed for five minutes at most, whatever is asked', async () => {
  const { gate, gone, ask, settle } = opened();
  gate.close('ann', 86_400_000);
  ask('ann', 'a1', 400_000);
  await settle(300_001);

  expect(gone).toEqual(['a1']);
});

test('no more wait than may, and none beyond its time', async () => {
  const { gone, ask, settle } = opened({ waitingOfCaller: 2 });
  for (const name of ['a1', 'a2', 'a3', 'a4', 'a5']) ask('ann', name, 1_000);
  await settle();
  expect(gone).toEqual(['a1', 'a2', 'a5: UPSTREAM_THROTTLED 1']);

  await settle(1_000);
  expect(gone.slice(3)).toEqual(['a3: UPSTREAM_THROTTLED 1', 'a4: UPSTREAM_THROTTLED 1']);
});

test('whoever has left is not let go', async () => {
  const { enter, gone, ask, end, settle } = opened({ callsOfCaller: 1 });
  ask('ann', 'a1');
  const leaving = startDeadline(1_000);
  const left = enter({ pace: 'ann', principal: 'ann' }, leaving);
  const failure = left.catch((error) => error);
  ask('ann', 'a2');
  await settle();
  leaving.end();
  await end('a1');

  expect(await failure).toBeInstanceOf(UpstreamError);
  expect(gone).toEqual(['a1', 'a2']);
});

test('whatever comes, goes and is closed: never more than may, never one too early, and nobody is forgotten', async () => {
  const step = fc.oneof(
    fc.record({ do: fc.constant('enter' as const), caller: fc.nat(3) }),
    fc.record({ do: fc.constant('end' as const), caller: fc.nat(20) }),
    fc.record({ do: fc.constant('close' as const), caller: fc.nat(3), ms: fc.nat(500) }),
    fc.record({ do: fc.constant('wait' as const), caller: fc.nat(3), ms: fc.nat(200) }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
      const gate = createGate({ ...options, calls: 4 });
      const running: { readonly caller: number; end(): void }[] = [];
      const closedUntil = new Map<number, number>();
      let asked = 0;
      let went = 0;
      const faults: string[] = [];
      const check = (caller: number) => {
        if (running.length > 4) faults.push('too many');
        if (running.filter((each) => each.caller === caller).length > 2) faults.push('too many of one');
        if (performance.now() < (closedUntil.get(caller) ?? 0)) faults.push('too early');
      };
      for (const each of steps) {
        if (each.do === 'enter' && asked - went < 10) {
          asked += 1;
          const entered = gate.enter(
            { pace: String(each.caller), principal: 'one' },
            startDeadline(1_000_000),
          );
          void Promise.resolve(entered).then((end) => {
            went += 1;
            running.push({ caller: each.caller, end });
            check(each.caller);
          });
        }
        if (each.do === 'end') running.splice(each.caller % (running.length || 1), 1)[0]?.end();
        if (each.do === 'close') {
          const until = performance.now() + each.ms;
          closedUntil.set(each.caller, Math.max(until, closedUntil.get(each.caller) ?? 0));
          gate.close(String(each.caller), each.ms);
        }
        await vi.advanceTimersByTimeAsync(each.do === 'wait' ? each.ms : 0);
      }
      for (let rounds = 0; rounds < 20; rounds++) {
        for (const { end } of running.splice(0)) end();
        await vi.advanceTimersByTimeAsync(501);
      }
      expect(faults).toEqual([]);
      expect(went).toBe(asked);
      vi.clearAllTimers();
    }),
    { numRuns: 200 },
  );
});

test('it tells of a caller what goes, what waits, and for how long nothing will', async () => {
  const { gate, ask, end, settle } = opened();
  const none = { inFlight: 0, maxInFlight: 2, waiting: 0, maxWaiting: 10, pausedMs: null };
  const look = (principal: string, pace = principal) => gate.look({ pace, principal });
  for (const name of ['a1', 'a2', 'a3']) ask('ann', name);
  await settle();
  expect(look('ann')).toEqual({ ...none, inFlight: 2, waiting: 1 });
  expect(look('ben')).toEqual(none);

  gate.close('ann', 5_000);
  await end('a1');
  await settle(2_000);
  expect(look('ann')).toEqual({ ...none, inFlight: 1, waiting: 1, pausedMs: 3_000 });
  await settle(3_000);
  expect(look('ann')).toEqual({ ...none, inFlight: 2 });
  await end('a2');
  await end('a3');
  expect(look('ann')).toEqual(none);
});

test('of those who are counted together each is told of its own', async () => {
  const { gate, ask, settle } = opened();
  ask('all', 'a1', 60_000, 'ann');
  ask('all', 'b1', 60_000, 'ben');
  ask('all', 'b2', 60_000, 'ben');
  await settle();

  expect(gate.look({ pace: 'all', principal: 'ann' })).toMatchObject({ inFlight: 1, waiting: 0 });
  expect(gate.look({ pace: 'all', principal: 'ben' })).toMatchObject({ inFlight: 1, waiting: 1 });
});
