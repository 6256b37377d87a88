import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { startBeforeStub, test } from '../../support/layer.ts';
import type { TestSandbox } from '../../support/sandbox.ts';

/** All events of the sandbox, however old. */
const listed = (selection: string, filter = '{}') =>
  `healthEvents(since: "2000-01-01T00:00:00Z", first: 1000, filter: ${filter}) { nodes { ${selection} } }`;

const fetches = async (sandbox: TestSandbox) =>
  (await sandbox.calls()).filter(({ path }) => path.includes('/fetchEventDetails')).map(({ path }) => path);

test('the fields that a list withholds are fetched once for each sensitive event, for no other, and the list is read once, however often they are selected', async ({
  layer,
  sandbox,
}) => {
  const held = `id name type location title eventType eventSource eventLevel level status platformInitiated
    isEventSensitive isHIR priority lastUpdateTime
    impact { impactedService impactedRegions { impactedRegion impactedSubscriptions impactedTenants status } }`;

  // The others have no value for one of these fields in the list.
  const lacking = '["HA_4-SEC", "SA_1-CRT", "SA_2-MIN"]';
  await layer.read(`{ ${listed(held, `{ not: { trackingId: { in: ${lacking} } } }`)} }`);
  expect(await fetches(sandbox)).toEqual([]);
  await sandbox.forgetCalls();
  const full = await layer.read(
    `{ one: ${listed('trackingId isEventSensitive summary')}
       two: ${listed('a: summary b: summary description header faqs { answer }')}
       event: healthEvent(trackingId: "SA_5-XYZ") { reason } }`,
  );

  const paths = (await sandbox.calls()).map(({ path }) => path);
  expect(new Set(paths).size).toBe(paths.length);
  const sensitive = full.one.nodes.filter(
    ({ isEventSensitive }: { isEventSensitive: boolean }) => isEventSensitive,
  );
  expect(sensitive.length).toBeGreaterThanOrEqual(5);
  for (const { summary } of sensitive) expect(summary).toMatch(/\w/);
  expect([...(await fetches(sandbox))].sort()).toEqual(
    sensitive
      .map(
        ({ trackingId }: { trackingId: string }) =>
          `/providers/Vendor.Health/events/${trackingId}/fetchEventDetails?api-version=2025-05-01`,
      )
      .sort(),
  );
});

test('at most four details are fetched concurrently', async () => {
  const properties = { isEventSensitive: true, title: 'T' };
  const value = Array.from({ length: 8 }, (_, n) => ({ name: `E${n}`, properties }));
  const open = { now: 0, most: 0 };
  const { layer } = await startBeforeStub(async ({ method, target }) => {
    if (method === 'GET') return { body: { value } };
    open.now += 1;
    open.most = Math.max(open.most, open.now);
    await sleep(30);
    open.now -= 1;
    const name = /events\/(\w+)\//.exec(target)?.[1];
    return { body: { name, properties: { ...properties, summary: name } } };
  });

  const { data } = await layer.query('{ healthEvents { nodes { summary } } }');

  expect(data.healthEvents.nodes).toEqual(value.map(({ name }) => ({ summary: name })));
  expect(open.most).toBe(4);
});
