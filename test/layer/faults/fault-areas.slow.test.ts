import { expect } from 'vitest';
import { startTestLayer, type TestLayer } from '../../support/layer.ts';
import { place } from '../../support/operations.ts';
import { asDeployed, requestsOf, testDisturbed } from '../../support/proxies/disturbed.ts';
import { type FaultProxy, startFaultProxy } from '../../support/proxies/fault-proxy.ts';
import type { TestSandbox } from '../../support/sandbox.ts';

const test = testDisturbed();

const queries = {
  business: '{ company { items(first: 5) { nodes { number } } } }',
  instances: `{ applicationInstance(${Object.entries({ ...place, applicationInstanceName: 'app01' })
    .map(([name, value]) => `${name}: "${value}"`)
    .join(' ')}) { name status } }`,
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
    const disturbed = await startTestLayer(proxy.url, { ...asDeployed, REQUEST_TIMEOUT_MS: '500' });
    const { data: whole } = await layer.query(all);
    proxy.next({ ...toxic, on: marks[area], times: 99 });

    const { data, errors = [] } = await disturbed.query(all);
    await disturbed.stop();

    for (const other of areas.filter((each) => each !== area))
      expect(data[fieldOf[other]]).toEqual(whole[fieldOf[other]]);
    expect(errors).toHaveLength(1);
    expect(errors[0]?.extensions.upstream).toBe(area);
    expect(data[fieldOf[area]]?.items ?? null).toBeNull();
  },
);

test('where nothing listens at area A, areas B and C respond as usual', async ({ sandbox }) => {
  const proxy = await startFaultProxy(sandbox.url);
  proxy.down();
  const layer = await startTestLayer(sandbox.url, { ...asDeployed, BUSINESS_URL: proxy.url });

  const { data, errors } = await layer.query(all);
  const listed = await layer.query('{ healthEvents { totalCount } }');
  await layer.stop();

  expect(data.company.items).toBeNull();
  expect(data.applicationInstance.name).toBe('app01');
  expect(data.healthEvent.title).toEqual(expect.any(String));
  expect(errors).toMatchObject([
    { path: ['company', 'items'], extensions: { code: 'UPSTREAM_UNAVAILABLE' } },
  ]);
  expect(listed.errors).toBeUndefined();
});

const caller = (number: number) => ({ authorization: `Bearer caller-of-areas-${number}` });

/** How long each of so many took, one after another, sorted. */
async function timed(layer: TestLayer, query: string, count: number): Promise<number[]> {
  const times: number[] = [];
  for (let n = 0; n < count; n += 1) {
    const startedAt = performance.now();
    const { errors } = await layer.query(query, {}, caller(n));
    expect(errors).toBeUndefined();
    times.push(performance.now() - startedAt);
  }
  return times.sort((a, b) => a - b);
}

/** A layer whose area A alone is behind the proxy. */
async function besides({ url }: FaultProxy, sandbox: TestSandbox): Promise<TestLayer> {
  return startTestLayer(sandbox.url, { ...asDeployed, BUSINESS_URL: url, REQUEST_TIMEOUT_MS: '20000' });
}

test('a failing area opens its circuit breaker, and is called again once it has recovered', async ({
  proxy,
  sandbox,
}) => {
  const layer = await besides(proxy, sandbox);
  await timed(layer, queries.business, 12);
  proxy.next({ resetAt: 0, times: 1_000_000 });
  const state = async () =>
    (await layer.query('{ upstreams { breaker { state } } }')).data.upstreams[0].breaker.state;
  for (let n = 0; (await state()) !== 'OPEN'; n += 1) await layer.query(queries.business, {}, caller(n % 12));
  const before = requestsOf(proxy).length;
  const startedAt = performance.now();

  const refused = await Promise.all(
    Array.from({ length: 150 }, (_, number) => layer.query(queries.business, {}, caller(number))),
  );
  const tookMs = performance.now() - startedAt;
  const meanwhile = requestsOf(proxy).length - before;
  proxy.calm();
  const others = await layer.query(queries.health);
  await expect
    .poll(async () => (await layer.query(queries.business)).errors, { timeout: 15_000, interval: 250 })
    .toBeUndefined();
  const after = requestsOf(proxy).length - before - meanwhile;
  await layer.stop();

  for (const { errors } of refused)
    expect(errors).toMatchObject([{ extensions: { code: 'UPSTREAM_UNAVAILABLE' } }]);
  expect(others.errors).toBeUndefined();
  expect(meanwhile).toBeLessThanOrEqual(Math.floor(tookMs / 1_000) + 1);
  expect(after).toBeLessThanOrEqual(2);
  // On a quiet machine, a fifth of that.
  expect(tookMs / 150).toBeLessThan(50);
});
