import fc from 'fast-check';
import { buildSchema, parse, validate } from 'graphql';
import { describe, expect, test } from 'vitest';
import * as documents from '../../../browser/console/documents.js';
import { compareEvents } from '../../../browser/console/events/event-order.js';
import { toPlainText } from '../../../browser/console/plain-text.js';
import { formatRoute, parseRoute } from '../../../browser/console/router.js';
import type { HealthEvent } from '../../../browser/console/types.js';
import { getOwner, getUserName } from '../../../browser/identity.js';
import { clientSdl } from '../../../src/app/schema/sdl.ts';

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
