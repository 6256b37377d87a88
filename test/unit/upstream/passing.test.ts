import { expect, test } from 'vitest';
import { Passing } from '../../../src/upstream/passing.ts';

test('what has come is there until it goes, however many come and go meanwhile', () => {
  const passing = new Passing<number>();
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
