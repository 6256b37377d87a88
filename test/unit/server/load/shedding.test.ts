import { pino } from 'pino';
import { expect, test } from 'vitest';
import { businessArea, managementArea } from '../../../../src/server/guard/authorization.ts';
import type { ShedReason } from '../../../../src/server/load/shedding.ts';
import { createLoadShedder, RequestSlot } from '../../../../src/server/load/shedding.ts';

const log = pino({ level: 'silent' });

interface Given {
  readonly maxRequests?: number;
  readonly maxRequestsPerCaller?: number;
  readonly areas?: number;
  readonly loopDelay?: { ms: number };
}

/** A load shedder with callers by name, and the reasons it has reported. */
function placesOf({
  maxRequests = 8,
  maxRequestsPerCaller = maxRequests,
  areas = 1,
  loopDelay = { ms: 0 },
}: Given) {
  const shed: ShedReason[] = [];
  const shedding = createLoadShedder({
    limits: { maxRequests, maxRequestsPerCaller, maxLoopDelayMs: 250 },
    upstreamCount: areas,
    loopDelay: { sustainedMs: () => loopDelay.ms, stop() {} },
    observer: { requestShed: (reason) => void shed.push(reason) },
    log,
  });
  const open = (name: string, token: string | null = null) => shedding.acquire(name, token);
  return {
    shedding,
    shed,
    open,
    take(
      name: string,
      { rows = 0, areas: asked = businessArea, token = null as string | null } = {},
    ): RequestSlot {
      const place = open(name, token);
      if (!(place instanceof RequestSlot)) throw new Error(place);
      expect(place.setCost(rows, asked)).toBeNull();
      return place;
    },
  };
}

test('limits slots in total, and a slot returns once however often it is released', () => {
  const { open, take } = placesOf({ maxRequests: 2 });
  const [first, second] = [take('ann'), take('ben')];
  expect(open('cid')).toBe('requests');

  first.release();
  first.release();
  take('cid');
  expect(open('cid')).toBe('requests');
  second.release();
  take('cid');
});

test('limits one caller to its share, even if slots are free', () => {
  const { open, take, shed } = placesOf({ maxRequestsPerCaller: 2 });
  const [first] = [take('ann'), take('ann')];

  expect(open('ann')).toBe('caller');
  take('ben');
  first?.release();
  take('ann');
  expect(shed).toEqual(['caller']);
});

test('one token of an address has three quarters of its slots, and all tokens together have no more than the address', () => {
  const { open, take } = placesOf({ maxRequestsPerCaller: 4 });
  const [first] = [1, 2, 3].map(() => take('10.0.0.1', { token: 'a' }));
  expect(open('10.0.0.1', 'a')).toBe('caller');
  const other = open('10.0.0.1', 'b') as RequestSlot;
  expect(open('10.0.0.1', 'c')).toBe('caller');
  take('10.0.0.2', { token: 'a' });

  other.release();
  first?.release();
  const heavy = open('10.0.0.1', 'a') as RequestSlot;
  expect(heavy.setCost(1_000, businessArea)).toBe('caller');
  expect(heavy.setCost(999, businessArea)).toBeNull();
});

test('a request weighs more for each thousand rows, and one heavier than the share runs alone', () => {
  const { open, take, shed } = placesOf({ maxRequestsPerCaller: 4 });
  const large = take('ann', { rows: 2_999 });
  take('ann', { rows: 999 });
  expect(open('ann')).toBe('caller');
  large.release();
  const other = open('ann') as RequestSlot;
  expect(other.setCost(3_000, businessArea)).toBe('caller');
  other.release();

  take('ben', { rows: 50_000 });
  expect(open('ben')).toBe('caller');
  take('cid');
  expect(shed).toEqual(['caller', 'caller', 'caller']);
});

test('limits one area to half of the slots if there are two areas', () => {
  const two = placesOf({ maxRequests: 4, areas: 2 });
  const [first] = [two.take('ann'), two.take('ben')];
  const third = two.open('cid') as RequestSlot;
  expect(third.setCost(0, businessArea)).toBe('upstream');
  expect(third.setCost(0, businessArea | managementArea)).toBe('upstream');
  expect(third.setCost(0, managementArea)).toBeNull();
  first?.release();
  two.take('dan');
  expect(two.shed).toEqual(['upstream', 'upstream']);

  const one = placesOf({ maxRequests: 4, areas: 1 });
  for (const name of ['ann', 'ben', 'cid', 'dan']) one.take(name);
});

test("while the event loop is late, admits callers with little load or less than average, and nobody above one caller's share", () => {
  const loopDelay = { ms: 250 };
  const { open, take } = placesOf({ maxRequests: 16, maxRequestsPerCaller: 6, loopDelay });
  const [first] = Array.from({ length: 4 }, () => take('ann'));
  loopDelay.ms = 251;

  expect(open('ann')).toBe('event_loop');
  take('ben');
  // Two callers hold five slots.
  take('ben');
  expect(open('ann')).toBe('event_loop');
  first?.release();
  take('ben');
  expect([open('ann'), open('ben')]).toEqual(['event_loop', 'event_loop']);
  take('cid');
  expect(open('dan')).toBe('event_loop');
  loopDelay.ms = 250;
  take('dan');
});
