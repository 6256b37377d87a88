import { expect, test, vi } from 'vitest';
import { getOrCompute } from '../../../src/runtime/memo.ts';

test('computes a value once for each key', () => {
  const cache = new Map<string, number>();
  const compute = vi.fn(() => 0);

  expect([getOrCompute(cache, 'a', compute), getOrCompute(cache, 'a', compute)]).toEqual([0, 0]);
  expect(compute).toHaveBeenCalledTimes(1);
  getOrCompute(cache, 'b', compute);
  expect(compute).toHaveBeenCalledTimes(2);
});

test('keeps a promise that is rejected', async () => {
  const cache = new Map<string, Promise<never>>();
  const compute = vi.fn(() => Promise.reject(new Error('failed')));

  await expect(getOrCompute(cache, 'a', compute)).rejects.toThrow('failed');
  await expect(getOrCompute(cache, 'a', compute)).rejects.toThrow('failed');
  expect(compute).toHaveBeenCalledTimes(1);
});

test('keeps nothing of a computation that throws', () => {
  const cache = new Map<string, number>();
  const fail = () => {
    throw new Error('failed');
  };

  expect(() => getOrCompute(cache, 'a', fail)).toThrow('failed');
  expect(getOrCompute(cache, 'a', () => 1)).toBe(1);
});
