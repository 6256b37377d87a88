import { expect, test } from 'vitest';
import { ResponseMeter } from '../../../src/graph/response-meter.ts';

const limits = { maxRows: 50_000, maxBytes: 4 * 1024 * 1024 };

function meterOf(expectedRows: number) {
  const turns: (() => void)[] = [];
  const waitForTurn = () => new Promise<void>((resolve) => turns.push(resolve));
  const budget = { reserve: () => true, release() {}, waitForTurn };
  return { meter: new ResponseMeter(limits, budget, expectedRows), turns };
}

test('values and errors of a long operation that come at once share turns of 1,000', async () => {
  const { meter, turns } = meterOf(25_000);
  const waits = Array.from({ length: 2_001 }, () => meter.waitForTurn());
  expect(turns).toHaveLength(3);
  expect(new Set(waits).size).toBe(3);

  for (const take of turns) take();
  await Promise.all(waits);
  meter.waitForTurn();
  expect(turns).toHaveLength(4);
});

test('a short operation waits for no turn', () => {
  const { meter, turns } = meterOf(500);

  expect(meter.waitForTurn()).toBeNull();
  expect(turns).toEqual([]);
});
