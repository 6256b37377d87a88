import fc from 'fast-check';
import { buildSchema, parse, validate } from 'graphql';
import { describe, expect, test } from 'vitest';
import * as documents from '../../../browser/console/documents.js';
import { compareEvents } from '../../../browser/console/events/event-order.js';
import { describeUpstream, firstText, retryDelayMs } from '../../../browser/console/labels.js';
import { currentStep, describeFailure } from '../../../browser/console/operations/operation-failure.js';
import { toPlainText } from '../../../browser/console/plain-text.js';
import { formatRoute, parseRoute } from '../../../browser/console/router.js';
import { formatDuration, formatRelative } from '../../../browser/console/times.js';
import type { HealthEvent, OperationStep, Upstream } from '../../../browser/console/types.js';
import { getOwner, getUserName } from '../../../browser/identity.js';
import { clientSdl } from '../../../src/app/schema/sdl.ts';
import { cpuMsSince } from '../../support/runner/cpu-time.ts';

test('every document of the console is valid in the graph', () => {
  const schema = buildSchema(clientSdl());
  const texts = (value: unknown): string[] =>
    typeof value === 'string' ? [value] : Object.values(value as object).flatMap(texts);
  const all = texts({ ...documents });

  expect(all.length).toBeGreaterThan(15);
  for (const text of all) expect(validate(schema, parse(text)), text).toEqual([]);
});

describe('the order of events', () => {
  const event = (change: object) =>
    ({
      scope: 'tenant',
      trackingId: 'T',
      eventType: 'SERVICE_ISSUE',
      eventLevel: 'ERROR',
      status: 'ACTIVE',
      priority: 5,
      lastUpdateTime: null,
      ...change,
    }) as HealthEvent;

  test.for<[string, object, object]>([
    [
      'active before resolved',
      { eventLevel: 'INFORMATIONAL' },
      { status: 'RESOLVED', eventLevel: 'CRITICAL' },
    ],
    ['critical before error', { eventLevel: 'CRITICAL', priority: 9 }, { priority: 0 }],
    ['a known severity before none', { eventLevel: 'INFORMATIONAL' }, { eventLevel: null }],
    ['the lower priority first within a severity', { priority: 1 }, { priority: 2 }],
    [
      'service issues before maintenance',
      { priority: null },
      { priority: null, eventType: 'PLANNED_MAINTENANCE' },
    ],
    [
      'the newest first',
      { lastUpdateTime: '2026-02-02T00:00:00Z' },
      { lastUpdateTime: '2026-01-01T00:00:00Z' },
    ],
  ])('is %s', ([_what, first, second]) => {
    expect(compareEvents(event(first), event(second))).toBeLessThan(0);
    expect(compareEvents(event(second), event(first))).toBeGreaterThan(0);
  });

  test('has no contradiction', () => {
    const anyEvent = fc
      .record({
        status: fc.constantFrom('ACTIVE', 'RESOLVED', null),
        eventLevel: fc.constantFrom('CRITICAL', 'WARNING', 'UNRECOGNIZED', null),
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
});

test('describeFailure names the steps down to the failed one, and each message once', () => {
  const step = (change: object) =>
    ({ name: null, state: 'SUCCEEDED', error: null, ...change }) as OperationStep;
  const [unresponsive, kill] = [
    { code: 'ProcessNotResponding', message: 'The process did not end.', details: [] },
    { code: 'Kill', message: null, details: [] },
  ];
  const operations = [
    step({ name: 'drain' }),
    step({
      name: 'stop-process',
      state: 'FAILED',
      error: unresponsive,
      operations: [step({ name: 'kill', state: 'FAILED', error: kill })],
    }),
  ];
  const error = { code: 'StopFailed', message: 'It could not be stopped.', details: [unresponsive] };
  const inner = [step({ name: 'one' }), step({ name: 'two', state: 'RUNNING' })];

  expect(describeFailure(step({ state: 'FAILED', error, operations }))).toEqual({
    path: ['stop-process', 'kill'],
    messages: [
      { code: 'StopFailed', message: 'It could not be stopped.' },
      { code: 'ProcessNotResponding', message: 'The process did not end.' },
      { code: 'Kill', message: '' },
    ],
  });
  expect(describeFailure(step({ operations: [step({ name: 'drain' })] }))).toEqual({
    path: [],
    messages: [],
  });
  expect(currentStep(step({ state: 'RUNNING', operations: inner }))).toBe('two');
});

describe('labels', () => {
  const pace = { inFlight: 1, maxInFlight: 5, waiting: 0, pausedUntil: null };
  const lately = { count: 7, failures: 0, p50Ms: 5, p99Ms: 20 };
  const healthy = {
    name: 'HEALTH',
    isConfigured: true,
    breaker: { state: 'CLOSED', openUntil: null },
    pace,
    lately,
  };

  test.for<[string, object, string]>([
    ['Healthy', {}, 'No recent failures.'],
    ['Healthy', { lately: { ...lately, count: 25, failures: 1 } }, '1 of the last 25 calls failed.'],
    ['Degraded', { lately: { ...lately, failures: 2 } }, '2 of the last 7'],
    ['Idle', { lately: { ...lately, count: 0 } }, 'No recent calls.'],
    ['Busy', { pace: { ...pace, waiting: 3 } }, '3 of your calls are waiting.'],
    ['Degraded', { pace: { ...pace, pausedUntil: '2026-01-01T00:00:00Z' } }, 'Throttled'],
    ['Degraded', { breaker: { state: 'OPEN', openUntil: '2026-01-01T00:00:00Z' } }, 'Circuit breaker open'],
    ['Degraded', { breaker: { state: 'HALF_OPEN', openUntil: null } }, 'half-open'],
    ['Not configured', { isConfigured: false, breaker: null, pace: null, lately: null }, 'No URL'],
  ])('an upstream is %s with %j', ([word, change, why]) => {
    expect(describeUpstream({ ...healthy, ...change } as Upstream)).toMatchObject({
      word,
      why: expect.stringContaining(why),
    });
  });

  test('the retry delay doubles from 0.5 s to 30 s, with up to 25 % jitter', () => {
    const delays = (random: number) => [0, 1, 6, 5_000].map((retries) => retryDelayMs(retries, random));

    expect(delays(1)).toEqual([500, 1_000, 30_000, 30_000]);
    expect(delays(0)).toEqual([375, 750, 22_500, 22_500]);
  });

  test('firstText passes over what nobody can see', () => {
    expect(firstText(null, undefined, '', ' \u00a0\n', '\u200b\u202e\u2060', ' a', 'b')).toBe(' a');
  });

  const [s, min, h, d] = [1_000, 60_000, 3_600_000, 86_400_000];
  test.for([
    [-4 * s, 'just now', '0 s'],
    [-42 * s, '42 s ago', '0 s'],
    [-23 * h - 59 * min, '23 h ago', '0 s'],
    [90 * s, 'in 1 min', '1 min 30 s'],
    [2 * h + 4 * min + 59 * s, 'in 2 h', '2 h 4 min'],
    [3 * d + 2 * h, 'in 3 d', '3 d 2 h'],
  ] as const)('%i ms from now is "%s", and as long as "%s"', ([apart, relative, duration]) => {
    const now = Date.parse('2026-03-01T12:00:00Z');
    expect([formatRelative(now + apart, now), formatDuration(apart)]).toEqual([relative, duration]);
    expect(formatRelative(now - 30 * d, now)).toContain('2026');
  });
});

test.each([
  ['Fish &amp; <b>chips</b>', 'Fish & chips'],
  ['List<String> &amp; x < y', 'List<String> &amp; x < y'],
  ['<p>One\n <i>two</i></p><ul><li>Three</li></ul>', 'One two\nThree'],
  ['<style>p {}</style><script>alert(1)</script><!-- not <b>this</b> -->Shown', 'Shown'],
  ['<p>&#8364;&#x41;&unknown;&#xD800;&#9999999;</p>', '€A&unknown;\ufffd\ufffd'],
  ['<p>&amp;lt;b&amp;gt;</p>', '&lt;b&gt;'],
])('%s is read as %s', (text, plain) => {
  expect(toPlainText(text)).toBe(plain);
});

test.each(['<style>', '<!--', '<p ', '<a href="', '&#'])(
  'a long text of %s takes no time that grows faster than it',
  (part) => {
    const before = process.cpuUsage();
    toPlainText(part.repeat(50_000));
    expect(cpuMsSince(before)).toBeLessThan(1_000);
  },
);

test('any text is a segment of a route, and what is no route is the first view', () => {
  const segments = fc.array(fc.string({ minLength: 1, unit: 'grapheme' }));
  fc.assert(
    fc.property(segments, (parts) => {
      expect(parseRoute(formatRoute(...parts))).toEqual(parts);
    }),
  );
  for (const hash of ['', '#/', '#/%E0%A4%A']) expect(parseRoute(hash)).toEqual([]);
});

test('a user is known by issuer and subject, or else the token, and named by name, address or subject', () => {
  const jwt = (claims: unknown) => `e30.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.c2ln`;
  const ada = jwt({ iss: 'https://login.example', sub: 'ada ö', exp: 1 });

  expect(getOwner(ada)).toBe(getOwner(jwt({ exp: 2, sub: 'ada ö', iss: 'https://login.example' })));
  expect(getOwner(ada)).not.toBe(getOwner(jwt({ iss: 'https://login.example', sub: 'guest' })));
  expect(getOwner(ada)).not.toBe(getOwner(jwt({ iss: 'https://other.example', sub: 'ada ö' })));
  for (const token of ['opaque', jwt({ exp: 1 }), jwt(null), '']) expect(getOwner(token)).toBe(token);
  expect(getUserName(jwt({ name: 'Ada Ö', upn: 'ada@example.org', sub: '7' }))).toBe('Ada Ö');
  expect(getUserName(jwt({ name: '', upn: 'ada@example.org', sub: '7' }))).toBe('ada@example.org');
  expect([getUserName(jwt({ name: 7, sub: '7' })), getUserName('opaque')]).toEqual(['7', null]);
});
