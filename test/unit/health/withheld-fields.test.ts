import { describe, expect, test } from 'vitest';
import type { SelectedObject } from '../../../src/graph/selected-object.ts';
import { type HealthEventRecord, parseEvent } from '../../../src/health/event-record.ts';
import {
  mayBeWithheld,
  needsDetails,
  shownFields,
  withheldFields,
} from '../../../src/health/withheld-fields.ts';

const read = (properties: object, isPlain = true) =>
  parseEvent(
    { trackingId: 'A', subscriptionId: null },
    { name: 'A', properties },
    isPlain,
  ) as HealthEventRecord;

const bill = { eventType: 'Billing', summary: 'All of it' };

describe('a field that plain reads withhold', () => {
  test('is every field that the plain record of a sensitive event lacks', () => {
    const identity = ['isPlain', 'scope', 'trackingId', 'id', 'name', 'type', 'location'];

    expect([...withheldFields, ...shownFields, ...identity].sort()).toEqual(Object.keys(read({})).sort());
  });

  test.each([
    [true, true, true],
    [true, false, false],
    [true, undefined, false],
    [false, true, false],
  ])(
    'is possible where a plain read (%s) gave an event that is sensitive (%s): %s',
    (isPlain, isEventSensitive, expected) => {
      expect(mayBeWithheld(read({ isEventSensitive }, isPlain))).toBe(expected);
    },
  );

  test.each([
    [{}, true],
    [{ isEventSensitive: false }, false],
    [{ description: '', summary: 'All of it' }, false],
  ])(
    'of a security advisory is possible without the flag where it has neither text (%j: %s)',
    (more, expected) => {
      expect(mayBeWithheld(read({ eventType: 'SecurityAdvisory', ...more }))).toBe(expected);
    },
  );

  test('is possible without the flag for a billing event without anything to withhold', () => {
    expect(mayBeWithheld(read({ eventType: 'Billing' }))).toBe(true);
    expect(mayBeWithheld(read(bill))).toBe(false);
    expect(mayBeWithheld(read({ eventType: 'Billing', reason: 'R' }))).toBe(false);
  });
});

describe('what is selected of an event', () => {
  const selected = (
    fields: readonly string[],
    impact: readonly string[] = [],
    region: readonly string[] = [],
  ) => {
    const object = (
      names: readonly string[],
      below: Record<string, SelectedObject> = {},
    ): SelectedObject => ({
      fields: new Set(names),
      below: (field) => below[field] ?? object([]),
    });
    return object(fields, { impact: object(impact, { impactedRegions: object(region) }) });
  };
  const sensitive = { isEventSensitive: true, title: 'T', impact: [{ impactedService: 'Mail' }] };
  const north = { impactedRegion: 'North', status: 'Active' };
  const inNorth = { ...sensitive, impact: [{ impactedService: 'Mail', impactedRegions: [north] }] };
  const ofRegion = (...fields: string[]) => selected(['impact'], ['impactedRegions'], fields);

  test.each<[string, object, SelectedObject, boolean]>([
    ['a field that the record has', sensitive, selected(['title', 'impact'], ['impactedService']), false],
    ['a field that it lacks', sensitive, selected(['title', 'summary']), true],
    ['the GUID of a service', sensitive, selected(['impact'], ['impactedServiceGuid']), true],
    ['updates of a region', sensitive, selected(['impact'], ['impactedRegions'], ['updates']), true],
    ['an empty impact', { ...sensitive, impact: [] }, selected(['impact']), true],
    ['regions without any', { ...sensitive, impact: [{ impactedRegions: [] }] }, ofRegion(), true],
    ['a region that has it', inNorth, ofRegion('impactedRegion', 'status', 'statusRaw', '__typename'), false],
    ['a region that lacks it', inNorth, ofRegion('impactedTenants'), true],
    ['fields of no event of the upstream', sensitive, selected(['location', 'nodeId', '__typename']), false],
    [
      'the flag, which other fields tell',
      { eventType: 'SecurityAdvisory' },
      selected(['isEventSensitive']),
      false,
    ],
    ...[...shownFields, ...withheldFields]
      .filter((field) => field !== 'isEventSensitive' && field !== 'priority')
      .map((field): [string, object, SelectedObject, boolean] => [
        `${field}, which is missing`,
        { isEventSensitive: true, [field]: null },
        selected([field]),
        true,
      ]),
    ['a missing priority', { isEventSensitive: true, priority: null }, selected(['priority']), false],
    ...Object.entries({ links: [], recommendedActions: { actions: [] } }).map(
      ([field, value]): [string, object, SelectedObject, boolean] => [
        `${field} of ${JSON.stringify(value)}`,
        { ...sensitive, [field]: value },
        selected([field]),
        true,
      ],
    ),
    ['an empty list of an event that is not sensitive', { links: [] }, selected(['links']), false],
    ['rates of a bill without them', { ...bill, isEventSensitive: false }, selected(['newRate']), true],
    ['a bill with a rate', { ...bill, oldRate: 0 }, selected(['newRate']), false],
    ['rates of another event', { eventType: 'RCA' }, selected(['newRate']), false],
  ])('takes its details for %s (%#)', (_what, properties, of, expected) => {
    expect(needsDetails(read(properties), of)).toBe(expected);
    expect(needsDetails(read(properties, false), of)).toBe(false);
  });
});
