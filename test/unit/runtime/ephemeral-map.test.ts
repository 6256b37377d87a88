import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
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
