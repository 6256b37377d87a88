import { describe, expect, test } from 'vitest';
import { InputError } from '../../../src/errors.ts';
import type { FilterInput } from '../../../src/graph/filter-compiler.ts';
import { sortRows } from '../../../src/graph/rows/row-order.ts';
import { type HealthEventRecord, parseEvent } from '../../../src/health/event-record.ts';
import { compileEventFilter, eventRows, rankEvent } from '../../../src/health/event-rows.ts';

const eventOf = (properties: object, trackingId = 'SI_1-QRT') =>
  parseEvent(
    { trackingId, subscriptionId: null },
    { name: trackingId, properties },
    true,
  ) as HealthEventRecord;
const passes = (filter: FilterInput | null, properties: object) =>
  compileEventFilter(filter)(eventOf(properties));
const impactOf = (...services: (string | null)[]) => ({
  impact: services.map((impactedService) => ({ impactedService })),
});

test.each([[null], [{}], [{ and: [] }], [{ and: [{}] }], [{ title: {} }], [{ title: { in: null } }]])(
  '%j takes every event',
  (filter) => {
    expect(passes(filter, {})).toBe(true);
    expect(passes(filter, { title: 'Mail is late' })).toBe(true);
  },
);

test.each([[{ or: [] }], [{ title: { in: [] } }], [{ not: {} }], [{ not: { and: [] } }]])(
  '%j takes no event',
  (filter) => {
    expect(passes(filter, {})).toBe(false);
    expect(passes(filter, { title: 'Mail is late' })).toBe(false);
  },
);

const title = { title: 'Mail is Late' };
const sensitive = { isEventSensitive: { eq: true } };
const one: [string, FilterInput, object, boolean][] = [
  ['the flag is told', sensitive, { isEventSensitive: true }, true],
  ['an advisory without flag and texts', sensitive, { eventType: 'SecurityAdvisory' }, true],
  ['the flag is told not', sensitive, { eventType: 'Billing', isEventSensitive: false }, false],
  ['texts do not heed case', { title: { eq: 'MAIL IS LATE' } }, title, true],
  ['a text contains', { title: { contains: 'IS l' } }, title, true],
  ['a text starts', { title: { startsWith: 'mail' } }, title, true],
  ['a text ends', { title: { endsWith: 'LATE' } }, title, true],
  ['a text is after another', { title: { gt: 'mail' } }, title, true],
  ['a text is before another', { title: { lt: 'mail is late' } }, title, false],
  [
    'a member of an enum is no word',
    { eventType: { eq: 'SERVICE_ISSUE' } },
    { eventType: 'ServiceIssue' },
    false,
  ],
  [
    'instants differ by their last digit',
    { lastUpdateTime: { gt: '2025-01-01T00:00:00.1203530Z' } },
    { lastUpdateTime: '2025-01-01T00:00:00.1203531Z' },
    true,
  ],
  [
    'an instant with a fraction is after one without',
    { lastUpdateTime: { le: '2025-01-01T00:00:00Z' } },
    { lastUpdateTime: '2025-01-01T00:00:00.5Z' },
    false,
  ],
  ['numbers compare as numbers', { priority: { lt: 10 } }, { priority: 9 }, true],
  ['an unknown word is other than a known one', { status: { ne: 'Active' } }, { status: 'Paused' }, true],
];
test.each([{ eventType: 'SecurityAdvisory', summary: 'S' }, { eventType: 'RCA' }])(
  'an event without the flag that seems to be complete is neither sensitive nor not: %j',
  (properties) => {
    expect(passes(sensitive, properties)).toBe(false);
    expect(passes({ not: sensitive }, properties)).toBe(false);
  },
);

test.each(one)('%s', (_claim, filter, properties, expected) => {
  expect(passes(filter, properties)).toBe(expected);
  expect(passes({ not: { not: filter } }, properties)).toBe(expected);
  // A value that is set passes either a condition or its opposite.
  expect(passes({ not: filter }, properties)).toBe(!expected);
});

describe('a value that is not set', () => {
  const conditions = {
    title: [{ eq: 'x' }, { ne: 'x' }, { in: ['x'] }, { gt: 'x' }, { le: 'x' }, { contains: '' }],
    priority: [{ eq: 1 }, { ne: 1 }, { lt: 1 }, { ge: 1 }, { in: [1] }],
    lastUpdateTime: [{ lt: '2025-01-01T00:00:00Z' }, { ne: '2025-01-01T00:00:00Z' }],
    impactedService: [{ ne: 'x' }, { startsWith: 'x' }],
  };
  test.each(Object.entries(conditions))(
    'of %s passes no condition and no negation but `eq: null`',
    (name, all) => {
      for (const condition of all) {
        expect(passes({ [name]: condition }, {})).toBe(false);
        expect(passes({ not: { [name]: condition } }, {})).toBe(false);
      }
      expect(passes({ [name]: { eq: null } }, {})).toBe(true);
      expect(passes({ [name]: { ne: null } }, {})).toBe(false);
      expect(passes({ not: { [name]: { ne: null } } }, {})).toBe(true);
    },
  );

  test('includes an empty text, in the event and in the filter', () => {
    for (const empty of [{ title: { eq: '' } }, { title: { eq: null } }, { title: { in: ['', 'x'] } }]) {
      expect(passes(empty, {})).toBe(true);
      expect(passes(empty, { title: '' })).toBe(true);
      expect(passes(empty, { title: 'y' })).toBe(false);
    }
    expect(passes({ title: { ne: '' } }, { title: '' })).toBe(false);
    expect(passes({ title: { ne: '' } }, { title: 'y' })).toBe(true);
  });
});

describe('a field with several values', () => {
  const both = impactOf('Mail Delivery', null, 'Block Storage');

  test('passes where one of them meets all conditions', () => {
    expect(passes({ impactedService: { startsWith: 'mail', endsWith: 'delivery' } }, both)).toBe(true);
    expect(passes({ impactedService: { startsWith: 'mail', endsWith: 'storage' } }, both)).toBe(false);
    expect(passes({ impactedService: { ne: 'Block Storage' } }, both)).toBe(true);
  });

  test('passes below `not` where none of them does', () => {
    expect(passes({ not: { impactedService: { eq: 'Block Storage' } } }, both)).toBe(false);
    expect(passes({ not: { impactedService: { eq: 'Mail' } } }, both)).toBe(true);
    expect(passes({ not: { impactedService: { startsWith: 'mail', endsWith: 'storage' } } }, both)).toBe(
      true,
    );
  });

  test('ignores values without a name', () => {
    expect(passes({ impactedService: { eq: null } }, both)).toBe(false);
    expect(passes({ impactedService: { eq: null } }, impactOf(null))).toBe(true);
    expect(passes({ impactedRegion: { eq: null } }, both)).toBe(true);
  });
});

describe('and, or and not', () => {
  const active = { status: { eq: 'Active' } };
  const urgent = { priority: { lt: 3 } };
  const events = [
    { status: 'Active', priority: 1 },
    { status: 'Active', priority: 9 },
    { status: 'Resolved', priority: 1 },
    { status: 'Resolved', priority: 9 },
  ];

  test.each([
    [{ ...active, ...urgent }, 'yes no no no'],
    [{ or: [active, urgent] }, 'yes yes yes no'],
    [{ not: { and: [active, urgent] } }, 'no yes yes yes'],
    [{ not: { or: [active, urgent] } }, 'no no no yes'],
    [{ ...active, not: urgent }, 'no yes no no'],
  ])('%j passes of four events: %s', (filter, expected) => {
    expect(events.map((event) => (passes(filter, event) ? 'yes' : 'no')).join(' ')).toBe(expected);
  });
});

test('a filter nested more than 16 deep is rejected', () => {
  const filter = Array.from({ length: 17 }).reduce<FilterInput>((not) => ({ not }), {});

  expect(() => compileEventFilter(filter)).toThrow(InputError);
  expect(() => compileEventFilter(filter)).toThrow('nested more than 16 deep');
});

const types = ['ServiceIssue', 'PlannedMaintenance', 'HealthAdvisory'];
const statuses = ['Active', 'Resolved'];
const levels = ['Critical', 'Error', 'Warning', 'Informational'];
const kinds = types.flatMap((eventType) =>
  statuses.flatMap((status) => levels.map((eventLevel) => ({ eventType, status, eventLevel }))),
);

describe('a rank', () => {
  test('is the priority of the upstream, whatever the event is', () => {
    for (const priority of [0, 7, 23])
      for (const kind of kinds) expect(rankEvent(eventOf({ ...kind, priority }))).toBe(priority);
  });

  test('is between 0 and 23 for the types that the source document ranks, each with its own', () => {
    expect(kinds.map((kind) => rankEvent(eventOf(kind)))).toEqual(
      Array.from({ length: 24 }, (_, rank) => rank),
    );
  });

  test('of another type is behind all of those', () => {
    for (const eventType of ['RCA', 'Forecast', undefined])
      expect(rankEvent(eventOf({ eventType, status: 'Active', eventLevel: 'Critical' }))).toBeGreaterThan(23);
  });
});

describe('a sorted list', () => {
  const events = [
    eventOf({ title: 'b', lastUpdateTime: '2025-01-01T00:00:00.5Z' }, '1'),
    eventOf({ title: 'A', lastUpdateTime: '2025-01-01T00:00:00Z' }, '2'),
    eventOf({ title: '', lastUpdateTime: '2025-01-01T00:00:00.1203530Z' }, '3'),
    eventOf({ title: 'B', lastUpdateTime: '2025-01-01T00:00:00.12Z' }, '4'),
    eventOf({}, '5'),
  ];
  const namesBy = (...orderBy: string[]) =>
    sortRows(eventRows.sortKeys, events, orderBy)
      .map(({ trackingId }) => trackingId)
      .join(' ');

  test.each([
    [['TITLE_ASC'], '3 5 2 1 4'],
    [['TITLE_ASC', 'LAST_UPDATE_TIME_ASC'], '5 3 2 4 1'],
    [['LAST_UPDATE_TIME_ASC'], '5 2 4 3 1'],
    [['LAST_UPDATE_TIME_DESC'], '1 3 4 2 5'],
  ])('by %j is %s', (orderBy, expected) => {
    expect(namesBy(...orderBy)).toBe(expected);
  });
});
