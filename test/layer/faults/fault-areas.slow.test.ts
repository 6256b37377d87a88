import { expect } from 'vitest';
import { startLayerForTest } from '../../support/layer.ts';
import { app01 } from '../../support/operations.ts';
import { asDeployed, testDisturbed } from '../../support/proxies/disturbed.ts';

const test = testDisturbed();

const queries = {
  business: '{ company { items(first: 5) { nodes { number } } } }',
  instances: `{ applicationInstance(${app01}) { name status } }`,
  health: '{ healthEvent(trackingId: "SI_1-QRT") { title } }',
} as const;
type Area = keyof typeof queries;
const areas = Object.keys(queries) as Area[];

/** What the requests of each hold in their first line, and those of no other. */
const marks: Readonly<Record<Area, string>> = {
  business: '/api/v2.0',
  instances: 'Vendor.Workloads',
  health: 'Vendor.Health',
};

const all = `{ ${areas.map((area) => queries[area].slice(1, -1)).join(' ')} }`;
const fieldOf: Readonly<Record<Area, string>> = {
  business: 'company',
  instances: 'applicationInstance',
  health: 'healthEvent',
};

const dying = {
  'resets its connections': { resetAt: 0 },
  'never answers': { latencyMs: 60_000 },
} as const;

test.for(areas.flatMap((area) => Object.entries(dying).map(([how, toxic]) => [area, how, toxic] as const)))(
  'while the area of %s %s, the others respond in full',
  async ([area, , toxic], { layer, proxy }) => {
    const disturbed = await startLayerForTest(proxy.url, { ...asDeployed, REQUEST_TIMEOUT_MS: '500' });
    const { data: whole } = await layer.query(all);
    proxy.next({ ...toxic, on: marks[area], times: 99 });

    const { data, errors = [] } = await disturbed.query(all);

    for (const other of areas.filter((each) => each !== area))
      expect(data[fieldOf[other]]).toEqual(whole[fieldOf[other]]);
    expect(errors).toHaveLength(1);
    expect(errors[0]?.extensions.upstream).toBe(area);
    expect(data[fieldOf[area]]?.items ?? null).toBeNull();
  },
);
