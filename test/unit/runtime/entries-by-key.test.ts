import { expect, test } from 'vitest';
import { createEntriesByKey } from '../../../src/runtime/entries-by-key.ts';

const createCounters = () =>
  createEntriesByKey(
    () => ({ used: 0 }),
    ({ used }) => used === 0,
  );

test('a key keeps its entry, also an idle one', () => {
  const counters = createCounters();
  expect(counters.find('a')).toBeUndefined();
  const entry = counters.get('a');

  expect(counters.get('a')).toBe(entry);
  expect(counters.find('a')).toBe(entry);
});

test('of a thousand entries and more, idle ones are removed, and those in use never', () => {
  const counters = createCounters();
  const inUse = Array.from({ length: 600 }, (_, index) => counters.get(`used ${index}`));
  for (const entry of inUse) entry.used = 1;
  for (let index = 0; index < 10_000; index++) counters.get(`idle ${index}`);

  expect([...counters.values()].length).toBeLessThanOrEqual(1_200);
  expect(inUse.map((_, index) => counters.find(`used ${index}`))).toEqual(inUse);
});
