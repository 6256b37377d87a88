import { pino } from 'pino';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createShedding } from '../../../src/server/shedding.ts';

const logged: string[] = [];
const log = pino({ level: 'warn' }, { write: (line) => void logged.push(line) });

beforeEach(() => {
  vi.useFakeTimers();
  logged.length = 0;
});
afterEach(() => {
  vi.useRealTimers();
});

function shedding(loopDelayMs = 0) {
  const loopDelay = { lastingMs: () => loopDelayMs, stop() {} };
  return createShedding({ maxRequests: 2, maxLoopDelayMs: 250, loopDelay, log });
}

const refuse = (places: ReturnType<typeof shedding>, times: number, everyMs: number) => {
  for (let at = 0; at < times; at++) {
    vi.advanceTimersByTime(everyMs);
    expect(places.open()).toBeNull();
  }
};

test('there are as many places as there may be, and a place comes back once however often it is given', () => {
  const places = shedding();
  const [first, second] = [places.open(), places.open()];
  expect([places.refuses(), places.open()]).toEqual([true, null]);

  first?.();
  first?.();
  expect(places.refuses()).toBe(false);
  expect(places.open()).not.toBeNull();
  expect(places.open()).toBeNull();
  second?.();
  expect(places.open()).not.toBeNull();
});

test('while the event loop is late there is no place', () => {
  expect(shedding(251).open()).toBeNull();
  expect(shedding(250).open()).not.toBeNull();
});

test('a hundred refusals within five seconds are shedding, for ten seconds after the last; it is logged once', () => {
  const places = shedding(1_000);
  refuse(places, 99, 50);
  expect(places.isShedding()).toBe(false);
  refuse(places, 11, 50);
  expect(places.isShedding()).toBe(true);

  vi.advanceTimersByTime(9_999);
  expect(places.isShedding()).toBe(true);
  vi.advanceTimersByTime(1);
  expect(places.isShedding()).toBe(false);
  expect(logged).toHaveLength(1);
});

test('refusals that come slower are not shedding', () => {
  const places = shedding(1_000);
  refuse(places, 300, 51);

  expect(places.isShedding()).toBe(false);
});
