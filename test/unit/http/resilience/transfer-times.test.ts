import { expect, test } from 'vitest';
import { createTransferTimes } from '../../../../src/http/resilience/transfer-times.ts';

test('before the first call the upstream counts as distant', () => {
  expect(createTransferTimes().estimate()).toEqual({ roundTripMs: 50, msPerByte: 0 });
});

test('short responses show the round trip, long ones what a byte takes beyond it', () => {
  const times = createTransferTimes();
  for (let call = 0; call < 100; call++) {
    times.record(20, 1_000);
    times.record(220, 1_000_000);
  }

  const { roundTripMs, msPerByte } = times.estimate();
  expect(roundTripMs).toBeCloseTo(20);
  expect(msPerByte).toBeCloseTo(0.0002);
});

test('an upstream that becomes faster is noticed', () => {
  const times = createTransferTimes();
  times.record(300, 1_000);
  for (let call = 0; call < 100; call++) times.record(10, 1_000);

  expect(times.estimate().roundTripMs).toBeLessThan(11);
});
