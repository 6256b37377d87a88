import { describe, expect, test } from 'vitest';
import { sortRows } from '../../../src/graph/rows/row-order.ts';
import { type HealthEventRecord, parseEvent } from '../../../src/health/event-record.ts';
import { eventRows, rankEvent } from '../../../src/health/event-rows.ts';

const eventOf = (properties: object, trackingId = 'SI_1-QRT') =>
  parseEvent(
    { trackingId, subscriptionId: null },
    { name: trackingId, properties },
    true,
  ) as HealthEventRecord;

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
