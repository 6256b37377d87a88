import { pino } from 'pino';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { businessArea, managementArea } from '../../../src/server/areas.ts';
import { Place } from '../../../src/server/place.ts';
import { createShedding, type ShedReason } from '../../../src/server/shedding.ts';

const logged: string[] = [];
const log = pino({ level: 'warn' }, { write: (line) => void logged.push(line) });

beforeEach(() => {
  vi.useFakeTimers();
  logged.length = 0;
});
afterEach(() => {
  vi.useRealTimers();
});

interface Given {
  readonly maxRequests?: number;
  readonly maxRequestsPerCaller?: number;
  readonly areas?: number;
  readonly loopDelay?: { ms: number };
}

/** Places that callers take by their names, and the reasons of what was refused. */
function placesOf({
  maxRequests = 8,
  maxRequestsPerCaller = maxRequests,
  areas = 1,
  loopDelay = { ms: 0 },
}: Given) {
  const shed: ShedReason[] = [];
  const shedding = createShedding({
    maxRequests,
    maxRequestsPerCaller,
    areas,
    maxLoopDelayMs: 250,
    loopDelay: { lastingMs: () => loopDelay.ms, stop() {} },
    observer: { shed: (reason) => void shed.push(reason) },
    log,
  });
  const open = (name: string) => shedding.open({ verified: null, peerAddress: name });
  return {
    shedding,
    shed,
    open,
    take(name: string, { rows = 0, areas: asked = businessArea } = {}): Place {
      const place = open(name);
      if (!(place instanceof Place)) throw new Error(place);
      expect(place.weigh(rows, asked)).toBeNull();
      return place;
    },
  };
}

test('there are as many places as there may be, and a place comes back once however often it is released', () => {
  const { shedding, open, take } = placesOf({ maxRequests: 2 });
  const [first, second] = [take('ann'), take('ben')];
  expect([shedding.refuses(), open('cid')]).toEqual([true, 'requests']);

  first.release();
  first.release();
  expect(shedding.refuses()).toBe(false);
  take('cid');
  expect(open('cid')).toBe('requests');
  second.release();
  take('cid');
});

test('one caller takes its share at most, whatever the others leave', () => {
  const { open, take, shed } = placesOf({ maxRequestsPerCaller: 2 });
  const [first] = [take('ann'), take('ann')];

  expect(open('ann')).toBe('caller');
  take('ben');
  first?.release();
  take('ann');
  expect(shed).toEqual(['caller']);
});

test('a request takes more of its caller for each thousand rows, and one that is too large for the share runs alone', () => {
  const { open, take, shed } = placesOf({ maxRequestsPerCaller: 4 });
  const large = take('ann', { rows: 2_999 });
  take('ann', { rows: 999 });
  expect(open('ann')).toBe('caller');
  large.release();
  const other = open('ann') as Place;
  expect(other.weigh(3_000, businessArea)).toBe('caller');
  other.release();

  take('ben', { rows: 50_000 });
  expect(open('ben')).toBe('caller');
  take('cid');
  expect(shed).toEqual(['caller', 'caller', 'caller']);
});

test('half of the places are for one area where there are two, and all where there is one', () => {
  const two = placesOf({ maxRequests: 4, areas: 2 });
  const [first] = [two.take('ann'), two.take('ben')];
  const third = two.open('cid') as Place;
  expect(third.weigh(0, businessArea)).toBe('upstream');
  expect(third.weigh(0, businessArea | managementArea)).toBe('upstream');
  expect(third.weigh(0, managementArea)).toBeNull();
  first?.release();
  two.take('dan');
  expect(two.shed).toEqual(['upstream', 'upstream']);

  const one = placesOf({ maxRequests: 4, areas: 1 });
  for (const name of ['ann', 'ben', 'cid', 'dan']) one.take(name);
});

test('a request of both areas counts for those that it waits for, once it has begun to ask', () => {
  const { shedding, take } = placesOf({ areas: 2 });
  const place = take('ann', { areas: businessArea | managementArea });
  expect(shedding.use()).toMatchObject({ business: 1, management: 1 });

  place.callBegan('business');
  expect(shedding.use()).toMatchObject({ business: 1, management: 0 });
  place.callBegan('health');
  place.callBegan('instances');
  expect(shedding.use()).toMatchObject({ business: 1, management: 1 });
  place.callEnded('health');
  place.callEnded('business');
  expect(shedding.use()).toMatchObject({ held: 1, business: 0, management: 1 });
  place.callEnded('instances');
  expect(shedding.use()).toMatchObject({ held: 1, business: 0, management: 0 });
});

test('a request whose calls all wait holds no place, and is counted again when one goes on, though there is none', () => {
  const { shedding, open, take } = placesOf({ maxRequests: 2, maxRequestsPerCaller: 1 });
  const waiting = take('ann', { rows: 5_000 });
  waiting.callBegan('business');
  waiting.callBegan('business');
  waiting.callPaused();
  expect(open('ann')).toBe('caller');
  waiting.callPaused();
  expect(shedding.use()).toMatchObject({ held: 0, waiting: 1 });

  const second = take('ann');
  take('ben');
  waiting.callResumed();
  expect(shedding.use()).toMatchObject({ held: 3, waiting: 0 });
  second.release();
  expect(open('ann')).toBe('requests');
  waiting.callEnded('business');
  waiting.callResumed();
  waiting.callEnded('business');
  waiting.release();
  take('ann');
});

test('as many requests of a caller wait without a place as it may have places; others keep theirs', () => {
  const { shedding, open, take } = placesOf({ maxRequestsPerCaller: 2 });
  const wait = (name: string) => {
    const place = take(name);
    place.callBegan('business');
    place.callPaused();
    return place;
  };
  const places = Array.from({ length: 4 }, () => wait('ann'));

  expect(shedding.use()).toMatchObject({ held: 2, waiting: 2 });
  expect(open('ann')).toBe('caller');
  for (const place of places) place.release();
  expect(shedding.use()).toMatchObject({ held: 0, waiting: 0 });
});

test('calls that end after their request has been released count for nothing', () => {
  const { shedding, take } = placesOf({ areas: 2 });
  const place = take('ann');
  place.callBegan('business');
  place.callBegan('business');
  place.callPaused();
  place.release();
  place.callEnded('business');
  place.callResumed();
  place.callBegan('instances');

  expect(shedding.use()).toEqual({ held: 0, waiting: 0, weight: 0, callers: 0, business: 0, management: 0 });
});

test('while the event loop is late callers who hold little, or less than others, are let in, and nobody once more is held than one may have', () => {
  const loopDelay = { ms: 250 };
  const { shedding, open, take } = placesOf({ maxRequests: 16, maxRequestsPerCaller: 6, loopDelay });
  const [first] = Array.from({ length: 4 }, () => take('ann'));
  loopDelay.ms = 251;

  expect(open('ann')).toBe('event_loop');
  take('ben');
  // Five are held by two.
  take('ben');
  expect(open('ann')).toBe('event_loop');
  first?.release();
  take('ben');
  expect([open('ann'), open('ben')]).toEqual(['event_loop', 'event_loop']);
  take('cid');
  expect([shedding.refuses(), open('dan')]).toEqual([true, 'event_loop']);
  loopDelay.ms = 250;
  take('dan');
});

test('what callers use is forgotten once they use nothing, never before', () => {
  const { open, take } = placesOf({ maxRequests: 10, maxRequestsPerCaller: 1 });
  take('ann');
  for (let at = 0; at < 5_000; at++) take(`passing ${at}`).release();

  expect(open('ann')).toBe('caller');
});

const refuse = ({ open }: ReturnType<typeof placesOf>, times: number, everyMs: number) => {
  for (let at = 0; at < times; at++) {
    vi.advanceTimersByTime(everyMs);
    expect(open('ann')).toBe('caller');
  }
};

test('a hundred refusals within five seconds are logged once, and again after ten quiet seconds', () => {
  const places = placesOf({ maxRequestsPerCaller: 1 });
  places.take('ann');
  refuse(places, 99, 50);
  expect(logged).toHaveLength(0);
  refuse(places, 200, 50);
  expect(logged).toHaveLength(1);

  vi.advanceTimersByTime(10_000);
  refuse(places, 100, 50);
  expect(logged).toHaveLength(2);
});

test('refusals that come slower are not logged', () => {
  const places = placesOf({ maxRequestsPerCaller: 1 });
  places.take('ann');
  refuse(places, 300, 51);

  expect(logged).toHaveLength(0);
});
