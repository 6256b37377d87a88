import { describe, expect, test } from 'vitest';
import {
  createPace,
  listedImpact,
  mayBeWithheld,
  type Origin,
  withheld,
} from '../../../src/health/details.ts';
import { type HealthEventRecord, readEvent } from '../../../src/health/event-record.ts';

const read = (properties: object, isListed = true) =>
  readEvent(
    { trackingId: 'A', subscriptionId: null },
    { name: 'A', properties },
    isListed,
  ) as HealthEventRecord;

describe('a field that a list withholds', () => {
  test('is any but those that the plain form of a sensitive event has', () => {
    const plain =
      `isListed scope trackingId id name type location eventType eventTypeRaw eventSource eventSourceRaw
      status statusRaw title platformInitiated level levelRaw eventLevel eventLevelRaw isEventSensitive isHIR priority
      lastUpdateTime impact`.split(/\s+/);

    expect([...withheld, ...plain].sort()).toEqual(Object.keys(read({})).sort());
  });

  test.each([
    [true, true, true],
    [true, false, false],
    [true, undefined, false],
    [false, true, false],
  ])(
    'is possible where a list (%s) gave an event that is sensitive (%s): %s',
    (isListed, isEventSensitive, expected) => {
      expect(mayBeWithheld(read({ isEventSensitive }, isListed))).toBe(expected);
    },
  );
});

describe('what hangs below a listed event', () => {
  const impactOf = (...services: [string, ...string[]][]) => ({
    impact: services.map(([impactedService, ...regions]) => ({
      impactedService,
      impactedRegions: regions.map((impactedRegion) => ({ impactedRegion })),
    })),
  });
  const guids = ({ impact }: HealthEventRecord, details: HealthEventRecord) => {
    const rows = listedImpact(read({ impact })) as unknown as readonly {
      origin: Origin<{ impactedServiceGuid: string | null }>;
    }[];
    return rows.map(({ origin }) => origin.rowIn(details)?.impactedServiceGuid);
  };

  test('is found in the details by name, wherever it stands there', () => {
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

  test('is the one in the same place, where several have its name', () => {
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

    const regions = listedImpact(listed)?.[0]?.impactedRegions as unknown as readonly {
      origin: Origin<{ lastUpdateTime: string | null }>;
    }[];

    expect(regions.map(({ origin }) => origin.rowIn(details)?.lastUpdateTime)).toEqual([
      '2025-01-02T00:00:00Z',
      '2025-01-01T00:00:00Z',
    ]);
  });

  test('is null where the list says nothing of it', () => {
    expect(listedImpact(read({}))).toBeNull();
    expect(listedImpact(read({ impact: [{}] }))).toMatchObject([{ impactedRegions: null }]);
  });
});

describe('a pace', () => {
  /** Tasks that end when they are told to. */
  function tasks(count: number) {
    const pace = createPace();
    const started: number[] = [];
    const ends: ((error?: Error) => void)[] = [];
    const results = Array.from({ length: count }, (_, task) =>
      pace(
        () =>
          new Promise<number>((resolve, reject) => {
            started.push(task);
            ends[task] = (error) => (error ? reject(error) : resolve(task));
          }),
      ),
    );
    return { started, ends, results };
  }
  const settled = () => new Promise((resolve) => setImmediate(resolve));

  test('lets four run side by side, and the others in the order they came', async () => {
    const { started, ends, results } = tasks(7);
    expect(started).toEqual([0, 1, 2, 3]);

    ends[2]?.();
    await settled();
    expect(started).toEqual([0, 1, 2, 3, 4]);

    for (const task of [0, 1, 3, 4]) ends[task]?.();
    await settled();
    expect(started).toEqual([0, 1, 2, 3, 4, 5, 6]);

    for (const task of [5, 6]) ends[task]?.();
    expect(await Promise.all(results)).toEqual([0, 1, 2, 3, 4, 5, 6]);
  });

  test('goes on after a task that fails, in whichever way', async () => {
    const { started, ends, results } = tasks(5);
    const failed = expect(results[0]).rejects.toThrow('broken');

    ends[0]?.(new Error('broken'));
    await failed;
    await settled();

    expect(started).toEqual([0, 1, 2, 3, 4]);
    const pace = createPace();
    const broken = () => {
      throw new Error('at once');
    };
    for (let n = 0; n < 5; n++) await expect(pace(broken)).rejects.toThrow('at once');
    expect(await pace(async () => 'fine')).toBe('fine');
  });

  test('never lets a fifth run, though one comes just as another ends', async () => {
    const pace = createPace();
    let running = 0;
    let most = 0;
    const task = async () => {
      running += 1;
      most = Math.max(most, running);
      await settled();
      running -= 1;
    };

    await Promise.all(Array.from({ length: 40 }, () => pace(task).then(() => pace(task))));

    expect(most).toBe(4);
  });
});
