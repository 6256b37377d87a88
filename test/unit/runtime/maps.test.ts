import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test, vi } from 'vitest';
import { createEntriesByKey } from '../../../src/runtime/entries-by-key.ts';
import { getOrCompute } from '../../../src/runtime/memo.ts';
import { EphemeralMap } from '../../../src/runtime/single-flight.ts';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as (what?: { type: 'minor' }) => void;

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

test('a deleted value is collected by a minor garbage collection, whatever table held it', () => {
  const passing = new EphemeralMap<unknown>();
  // From here on what it is made of is old.
  collect();
  const reads = Array.from({ length: 40 }, (_, at) => `read ${at}`);
  for (const read of reads)
    passing.set(
      read,
      Array.from({ length: 1_000 }, (_, row) => ({ read, row })),
    );
  for (let come = 0; come < 100; come++) passing.set('another', null);
  const before = process.memoryUsage().heapUsed;

  for (const read of reads) passing.delete(read);
  for (let times = 0; times < 3; times++) collect({ type: 'minor' });

  const rowsBytes = 40_000 * 40;
  expect(before - process.memoryUsage().heapUsed).toBeGreaterThan(rowsBytes / 2);
});

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

test('computes a value once for each key', () => {
  const cache = new Map<string, number>();
  const compute = vi.fn(() => 0);

  expect([getOrCompute(cache, 'a', compute), getOrCompute(cache, 'a', compute)]).toEqual([0, 0]);
  expect(compute).toHaveBeenCalledTimes(1);
  getOrCompute(cache, 'b', compute);
  expect(compute).toHaveBeenCalledTimes(2);
});

test('keeps nothing of a computation that throws', () => {
  const cache = new Map<string, number>();
  const fail = () => {
    throw new Error('failed');
  };

  expect(() => getOrCompute(cache, 'a', fail)).toThrow('failed');
  expect(getOrCompute(cache, 'a', () => 1)).toBe(1);
});
