import { expect } from 'vitest';
import { test as base, type TestLayer } from '../../support/layer.ts';

/** The events made here, sorted by the layer. */
async function sortedBy(layer: TestLayer, orderBy: string): Promise<readonly string[]> {
  const { data, errors } = await layer.query(
    `{ healthEvents(filter: { trackingId: { startsWith: "R-" } }, orderBy: ${orderBy}) { nodes { trackingId priority } } }`,
  );
  expect(errors).toBeUndefined();
  return data.healthEvents.nodes.map(({ trackingId }: { trackingId: string }) => trackingId.slice(2));
}

const test = base.extend('events', async ({ sandbox }) => async (events: Record<string, object>) => {
  for (const [name, properties] of Object.entries(events))
    await sandbox.send('POST', '/sandbox/events', { trackingId: `R-${name}`, properties });
});

test("PRIORITY is the upstream's priority, or follows the documented rules where there is none", async ({
  layer,
  events,
}) => {
  const issue = { eventType: 'ServiceIssue', status: 'Active' };
  await events({
    'a bill': { eventType: 'Billing', status: 'Active', eventLevel: 'Critical' },
    'an advisory': { eventType: 'HealthAdvisory', status: 'Active', eventLevel: 'Critical' },
    'at 23': { eventType: 'ServiceIssue', status: 'Active', eventLevel: 'Critical', priority: 23 },
    'work that is over': { eventType: 'PlannedMaintenance', status: 'Resolved', eventLevel: 'Error' },
    work: { eventType: 'PlannedMaintenance', status: 'Active', eventLevel: 'Informational' },
    'an issue that is over': { eventType: 'ServiceIssue', status: 'Resolved', eventLevel: 'Critical' },
    'an issue': { ...issue, eventLevel: 'Warning' },
    'a bad issue': { ...issue, eventLevel: 'Error' },
    'the worst issue': { ...issue, eventLevel: 'Critical' },
    'at 0': { eventType: 'RCA', status: 'Resolved', priority: 0 },
  });
  const expected = [
    'the worst issue',
    'at 0',
    'a bad issue',
    'an issue',
    'an issue that is over',
    'work',
    'work that is over',
    'an advisory',
    'at 23',
    'a bill',
  ];

  expect(await sortedBy(layer, 'PRIORITY_ASC')).toEqual(expected);
  // Of equal rank, they stay in the upstream's order.
  const [worst, first, ...rest] = expected;
  expect(await sortedBy(layer, 'PRIORITY_DESC')).toEqual([...rest.reverse(), worst, first]);
});

test('a rank computed for sorting is not returned as a priority', async ({ layer, events }) => {
  await events({ one: { eventType: 'ServiceIssue', status: 'Active', eventLevel: 'Critical' } });

  const { data } = await layer.query(
    '{ healthEvents(filter: { trackingId: { eq: "R-one" } }, orderBy: PRIORITY_ASC) { nodes { priority } } }',
  );

  expect(data.healthEvents.nodes).toEqual([{ priority: null }]);
});

test.for<[string, Record<string, object>, string]>([
  [
    'LAST_UPDATE_TIME',
    {
      c: { lastUpdateTime: '2999-01-01T00:00:00.12Z' },
      a: { lastUpdateTime: null },
      e: { lastUpdateTime: '2999-01-01T00:00:00.5Z' },
      b: { lastUpdateTime: '2999-01-01T00:00:00Z' },
      d: { lastUpdateTime: '2999-01-01T00:00:00.1200001Z' },
    },
    'a b c d e',
  ],
  [
    'EVENT_LEVEL',
    {
      e: { eventLevel: 'Informational' },
      c: { eventLevel: 'Error' },
      f: { eventLevel: 'Severe' },
      d: { eventLevel: 'Warning' },
      a: {},
      b: { eventLevel: 'Critical' },
    },
    'a b c d e f',
  ],
  ['TITLE', { c: { title: 'Zeal' }, a: {}, d: { title: 'zebra' }, b: { title: 'apple' } }, 'a b c d'],
  ['TRACKING_ID', { C: {}, a: {}, B: {} }, 'a B C'],
])('%s sorts in both directions, unset values first', async ([field, made, expected], { layer, events }) => {
  await events(made);

  const up = await sortedBy(layer, `${field}_ASC`);
  const down = await sortedBy(layer, `${field}_DESC`);

  expect(up.join(' ')).toBe(expected);
  expect([...down].reverse()).toEqual(up);
});

test('several sort keys apply one after the other', async ({ layer, events }) => {
  await events({
    a: { title: 'x', eventLevel: 'Error' },
    b: { title: 'y', eventLevel: 'Critical' },
    c: { title: 'y', eventLevel: 'Error' },
    d: { title: 'x', eventLevel: 'Critical' },
  });

  const orderBy = '[EVENT_LEVEL_ASC, TITLE_DESC]';

  expect(await sortedBy(layer, orderBy)).toEqual(['b', 'd', 'c', 'a']);
});
