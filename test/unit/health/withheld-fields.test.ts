import { describe, expect, test } from 'vitest';
import { type HealthEventRecord, parseEvent } from '../../../src/health/event-record.ts';
import {
  type DetailOrigin,
  mayBeWithheld,
  withDetailOrigins,
  withheldFields,
} from '../../../src/health/withheld-fields.ts';

const read = (properties: object, isPlain = true) =>
  parseEvent(
    { trackingId: 'A', subscriptionId: null },
    { name: 'A', properties },
    isPlain,
  ) as HealthEventRecord;

const none = { billingOperation: null };

describe('a field that plain reads withhold', () => {
  test('is every field that the plain record of a sensitive event lacks', () => {
    const plain =
      `isPlain scope trackingId id name type location eventType eventTypeRaw eventSource eventSourceRaw
      status statusRaw title platformInitiated level levelRaw eventLevel eventLevelRaw isEventSensitive isHIR priority
      lastUpdateTime impact`.split(/\s+/);

    expect([...withheldFields, ...plain].sort()).toEqual(Object.keys(read({})).sort());
  });

  test.each([
    [true, true, true],
    [true, false, false],
    [true, undefined, false],
    [false, true, false],
  ])(
    'is possible where a plain read (%s) gave an event that is sensitive (%s): %s',
    (isPlain, isEventSensitive, expected) => {
      expect(mayBeWithheld(read({ isEventSensitive }, isPlain), none)).toBe(expected);
    },
  );

  test.each([
    [{}, true],
    [{ isEventSensitive: null, summary: null }, true],
    [{ isEventSensitive: false }, false],
    [{ summary: 'All of it' }, false],
    [{ description: '', summary: '' }, true],
    [{ description: '', summary: 'All of it' }, false],
  ])(
    'of a security advisory is possible without the flag where it has neither text (%j: %s)',
    (more, expected) => {
      expect(mayBeWithheld(read({ eventType: 'SecurityAdvisory', ...more }), none)).toBe(expected);
    },
  );

  test('is possible without the flag for a billing event where those have a fetch operation', () => {
    const bill = { eventType: 'Billing' };
    const own = { billingOperation: 'fetchBilling' };
    const inSubscription = { ...read(bill), scope: 'sub-1' };

    expect(mayBeWithheld(inSubscription, own)).toBe(true);
    expect(mayBeWithheld({ ...inSubscription, summary: 'All of it' }, own)).toBe(false);
    // There is none for the tenant.
    expect(mayBeWithheld(read(bill), own)).toBe(false);
    expect(mayBeWithheld(inSubscription, none)).toBe(false);
  });
});

describe('an object below a plain record', () => {
  const impactOf = (...services: [string, ...string[]][]) => ({
    impact: services.map(([impactedService, ...regions]) => ({
      impactedService,
      impactedRegions: regions.map((impactedRegion) => ({ impactedRegion })),
    })),
  });
  const guids = ({ impact }: HealthEventRecord, details: HealthEventRecord) => {
    const rows = withDetailOrigins(read({ impact })) as unknown as readonly {
      origin: DetailOrigin<{ impactedServiceGuid: string | null }>;
    }[];
    return rows.map(({ origin }) => origin.findIn(details)?.impactedServiceGuid);
  };

  test('is found in the details by name, at any index', () => {
    const listed = read(impactOf(['Mail'], ['Disks'], ['Names']));
    const details = read({
      impact: [
        { impactedService: 'Disks', impactedServiceGuid: 'of disks' },
        { impactedService: 'Mail', impactedServiceGuid: 'of mail' },
      ],
    });

    expect(guids(listed, details)).toEqual(['of mail', 'of disks', undefined]);
    expect(guids(listed, read({}))).toEqual([undefined, undefined, undefined]);
  });

  test('is the one at the same index where several have its name', () => {
    const details = read({
      impact: ['first', 'second'].map((impactedServiceGuid) => ({
        impactedService: 'Mail',
        impactedServiceGuid,
      })),
    });

    expect(guids(read(impactOf(['Mail'], ['Mail'])), details)).toEqual(['first', 'second']);
  });

  test('finds its region, too', () => {
    const listed = read(impactOf(['Mail', 'North', 'West']));
    const details = read({
      impact: [
        {
          impactedService: 'Mail',
          impactedRegions: [
            { impactedRegion: 'West', lastUpdateTime: '2025-01-01T00:00:00Z' },
            { impactedRegion: 'North', lastUpdateTime: '2025-01-02T00:00:00Z' },
          ],
        },
      ],
    });

    const regions = withDetailOrigins(listed)?.[0]?.impactedRegions as unknown as readonly {
      origin: DetailOrigin<{ lastUpdateTime: string | null }>;
    }[];

    expect(regions.map(({ origin }) => origin.findIn(details)?.lastUpdateTime)).toEqual([
      '2025-01-02T00:00:00Z',
      '2025-01-01T00:00:00Z',
    ]);
  });

  test('is null where the record has none', () => {
    expect(withDetailOrigins(read({}))).toBeNull();
    expect(withDetailOrigins(read({ impact: [{}] }))).toMatchObject([{ impactedRegions: null }]);
  });
});
