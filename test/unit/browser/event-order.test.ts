import fc from 'fast-check';
import { expect, test } from 'vitest';
import { compareEvents } from '../../../browser/console/events/event-order.js';
import type { HealthEvent } from '../../../browser/console/types.js';

const levels = ['CRITICAL', 'ERROR', 'WARNING', 'INFORMATIONAL'];
const event = (change: Partial<HealthEvent>): HealthEvent => ({
  scope: 'tenant',
  trackingId: 'T',
  title: null,
  eventType: 'SERVICE_ISSUE',
  eventTypeRaw: null,
  eventLevel: 'ERROR',
  eventLevelRaw: null,
  status: 'ACTIVE',
  statusRaw: null,
  priority: 5,
  lastUpdateTime: null,
  isEventSensitive: null,
  impact: null,
  ...change,
});

test.for<[string, Partial<HealthEvent>, Partial<HealthEvent>]>([
  ['active before resolved', { eventLevel: 'INFORMATIONAL' }, { status: 'RESOLVED', eventLevel: 'CRITICAL' }],
  ['critical before error', { eventLevel: 'CRITICAL', priority: 9 }, { priority: 0 }],
  ['warning before informational', { eventLevel: 'WARNING' }, { eventLevel: 'INFORMATIONAL' }],
  ['a known severity before none', { eventLevel: 'INFORMATIONAL' }, { eventLevel: null }],
  ['the lower priority first within a severity', { priority: 1 }, { priority: 2 }],
  [
    'service issues before maintenance before advisories without a priority',
    { priority: null },
    { priority: null, eventType: 'PLANNED_MAINTENANCE' },
  ],
  [
    'the newest first',
    { lastUpdateTime: '2026-02-02T00:00:00Z' },
    { lastUpdateTime: '2026-01-01T00:00:00Z' },
  ],
])('compareEvents: %s', ([_what, first, second]) => {
  expect(compareEvents(event(first), event(second))).toBeLessThan(0);
  expect(compareEvents(event(second), event(first))).toBeGreaterThan(0);
});

test('compareEvents orders any list without contradiction', () => {
  const anyEvent = fc
    .record({
      status: fc.constantFrom('ACTIVE', 'RESOLVED', null),
      eventLevel: fc.constantFrom(...levels, 'UNRECOGNIZED', null),
      eventType: fc.constantFrom('SERVICE_ISSUE', 'PLANNED_MAINTENANCE', 'RCA', null),
      priority: fc.option(fc.integer({ min: 0, max: 23 })),
    })
    .map(event);
  fc.assert(
    fc.property(anyEvent, anyEvent, anyEvent, (a, b, c) => {
      expect(Math.sign(compareEvents(a, b))).toBe(-Math.sign(compareEvents(b, a)) + 0);
      if (compareEvents(a, b) <= 0 && compareEvents(b, c) <= 0)
        expect(compareEvents(a, c)).toBeLessThanOrEqual(0);
    }),
  );
});
