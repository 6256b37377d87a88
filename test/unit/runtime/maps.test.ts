import { expect, test } from 'vitest';
import { createEntriesByKey } from '../../../src/runtime/entries-by-key.ts';
import { EphemeralMap } from '../../../src/runtime/single-flight.ts';

test('an entry stays until it is deleted, however many others come and go', () => {
  const passing = new EphemeralMap<number>();
  const staying = Array.from({ length: 100 }, (_, at) => at);
  for (const at of staying) passing.set(`staying ${at}`, at);

  for (let at = 0; at < 1_000; at++) {
    passing.set(`gone ${at}`, at);
    expect(passing.get(`gone ${at}`)).toBe(at);
    passing.delete(`gone ${at}`);
    expect(passing.get(`gone ${at}`)).toBeUndefined();
  }

  expect(staying.map((at) => passing.get(`staying ${at}`))).toEqual(staying);
});

const createCounters = () =>
  createEntriesByKey(
    () => ({ used: 0 }),
    ({ used }) => used === 0,
  );

test('of a thousand entries and more, idle ones are removed, and those in use never', () => {
  const counters = createCounters();
  const inUse = Array.from({ length: 600 }, (_, index) => counters.get(`used ${index}`));
  for (const entry of inUse) entry.used = 1;
  for (let index = 0; index < 10_000; index++) counters.get(`idle ${index}`);

  expect([...counters.values()].length).toBeLessThanOrEqual(1_200);
  expect(inUse.map((_, index) => counters.find(`used ${index}`))).toEqual(inUse);
});
