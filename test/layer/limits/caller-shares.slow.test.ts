import { once } from 'node:events';
import { request } from 'node:http';
import { test as base, describe, expect } from 'vitest';
import { fixture } from '../../support/fixture.ts';
import { type Issuer, startIssuer } from '../../support/issuer.ts';
import { startTestLayer, type TestLayer } from '../../support/layer.ts';
import { startTestSandbox, type TestSandbox } from '../../support/sandbox.ts';

// Two places are one caller's, four are one area's.
const places = 8;
const settings = {
  MAX_REQUESTS: String(places),
  MAX_REQUESTS_PER_CALLER: '2',
  UPSTREAM_ATTEMPTS: '3',
  ADMIN_PORT: '0',
  DRAIN_TIMEOUT_MS: '100',
};
const ofBusiness = '{ companies { totalCount } }';
const ofHealth = '{ healthEvents { totalCount } }';
const ofNothing = '{ __typename }';
const distinct = (at: number) => `{ companies(filter: { name: { ne: "${at}" } }) { totalCount } }`;

interface Scene {
  readonly sandbox: TestSandbox;
  readonly issuer: Issuer;
  readonly layer: TestLayer;
  /** Sends requests at once and returns their statuses as they are answered; those left end with the test. */
  flood(tokens: readonly string[], queryAt: (at: number) => string): (number | undefined)[];
  /** The status of one request, and what its errors are. */
  ask(token: string, query: string): Promise<[number, unknown[]]>;
}

const test = base.extend(
  'scene',
  fixture(async ({ onCleanup }): Promise<Scene> => {
    const [sandbox, issuer] = [await startTestSandbox(), await startIssuer()];
    const layer = await startTestLayer(sandbox.url, { ...settings, ...issuer.settings });
    const leaving = new AbortController();
    onCleanup(async () => {
      leaving.abort();
      await layer.stop();
      issuer.stop();
      await sandbox.stop();
    });
    const send = (token: string, query: string) =>
      fetch(`${layer.url}/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
        body: JSON.stringify({ query }),
        signal: leaving.signal,
      });
    return {
      sandbox,
      issuer,
      layer,
      flood(tokens, queryAt) {
        const statuses: (number | undefined)[] = tokens.map(() => undefined);
        tokens.forEach((token, at) => {
          const told = send(token, queryAt(at)).then(({ status }) => status);
          void told
            .catch(() => 0)
            .then((status) => {
              statuses[at] = status;
            });
        });
        return statuses;
      },
      async ask(token, query) {
        const response = await send(token, query);
        const { errors = [] } = (await response.json()) as { errors?: { extensions: { code: string } }[] };
        return [response.status, errors.map(({ extensions: { code } }) => code)];
      },
    };
  }),
);

const many = 20;
const patience = { interval: 10, timeout: 10_000 };
const refusedOf = (statuses: readonly (number | undefined)[]) => statuses.filter((status) => status === 503);

describe('another caller is served', () => {
  test.for([
    ['slow', { delayMs: 20_000 }, distinct],
    ['throttled', { status: 429, headers: { 'retry-after': '20' } }, distinct],
    ['identical', { delayMs: 20_000 }, () => ofBusiness],
  ] as const)(
    'while one caller fills its share with requests that are %s',
    async ([_what, fault, queryAt], { scene }) => {
      const { sandbox, issuer, flood, ask } = scene;
      const [eager, light] = [await issuer.token('eager'), await issuer.token('light')];
      await sandbox.fault({ path: '/companies', times: 1_000, ...fault });

      const statuses = flood(Array(many).fill(eager), queryAt);
      await expect.poll(() => refusedOf(statuses).length, patience).toBe(many - places / 4);
      const told = [];
      for (let times = 0; times < 10; times++)
        told.push(await ask(light, ofNothing), await ask(light, ofHealth));

      expect(told).toEqual(Array(20).fill([200, []]));
      expect(await ask(eager, ofHealth)).toEqual([503, ['OVERLOADED']]);
    },
  );

  test('whatever number of tokens the other one has', async ({ scene: { sandbox, issuer, flood, ask } }) => {
    const tokens = await Promise.all(Array.from({ length: many }, () => issuer.token('eager')));
    await sandbox.fault({ path: '/companies', times: 1_000, delayMs: 20_000 });

    const statuses = flood(tokens, distinct);
    await expect.poll(() => refusedOf(statuses).length, patience).toBe(many - places / 4);

    expect(await ask(await issuer.token('light'), ofNothing)).toEqual([200, []]);
  });

  test('while an area hangs and many callers query it, half of the slots remain for the other area', async ({
    scene: { sandbox, issuer, flood, ask },
  }) => {
    const tokens = await Promise.all(Array.from({ length: many }, (_, at) => issuer.token(`caller ${at}`)));
    const light = await issuer.token('light');
    await sandbox.fault({ path: '/companies', times: 1_000, delayMs: 20_000 });

    const statuses = flood(tokens, distinct);
    await expect.poll(() => refusedOf(statuses).length, patience).toBe(many - places / 2);

    expect(await ask(light, ofHealth)).toEqual([200, []]);
    expect(await ask(light, ofBusiness)).toEqual([503, ['OVERLOADED']]);
  });

  test('a caller without a slot is rejected after a tenth of a second, and takes none in the meantime', async ({
    scene: { sandbox, issuer, flood, ask },
  }) => {
    const eager = await issuer.token('eager');
    await sandbox.fault({ path: '/companies', times: 1, delayMs: 300 });
    await sandbox.fault({ path: '/companies', times: 1_000, delayMs: 20_000 });
    flood(Array(many).fill(eager), distinct);
    // Of two that are under way one is answered.
    await expect.poll(async () => (await ask(eager, ofNothing))[0], patience).toBe(200);

    flood([eager], () => ofBusiness);
    const startedAt = performance.now();
    const refused = await Promise.all(Array.from({ length: many }, () => ask(eager, distinct(0))));

    expect(refused).toEqual(Array(many).fill([503, ['OVERLOADED']]));
    expect(performance.now() - startedAt).toBeGreaterThan(95);
  });

  test('and the replica stays ready, and reports the limit by which it rejected', async ({ scene }) => {
    const { sandbox, issuer, layer, flood } = scene;
    const eager = await issuer.token('eager');
    await sandbox.fault({ path: '/companies', times: 1_000, delayMs: 20_000 });

    for (let times = 0; times < 8; times++) {
      const statuses = flood(Array(many).fill(eager), distinct);
      // The first ones of the first round keep their slots.
      const refused = times === 0 ? many - places / 4 : many;
      await expect.poll(() => refusedOf(statuses).length, patience).toBe(refused);
    }
    const ready = await fetch(`${layer.adminUrl}/readyz`);
    const { of } = await layer.metrics();

    expect([ready.status, await ready.json()]).toEqual([200, { isReady: true, reasons: [] }]);
    expect(of('tributary_shed_requests_total', { reason: 'caller' })).toBe(8 * many - places / 4);
    expect(of('tributary_shed_requests_total', { reason: 'requests' })).toBe(0);
  });
});

test("a request of many rows takes as many slots of its caller's share as small requests together", async ({
  scene: { sandbox, issuer, flood, ask },
}) => {
  const eager = await issuer.token('eager');
  await sandbox.fault({ path: '/companies', times: 1_000, delayMs: 20_000 });

  flood([eager], () => '{ companies(first: 1000) { totalCount nodes { id } } }');
  await expect.poll(async () => (await sandbox.calls()).length, patience).toBe(1);

  // Of two places it takes both.
  expect(await ask(eager, ofNothing)).toEqual([503, ['OVERLOADED']]);
  expect(await ask(await issuer.token('light'), ofNothing)).toEqual([200, []]);
});

/** The status of a request that leaves from an address of this machine. */
async function askFrom(localAddress: string, url: string, token: string, query: string): Promise<number> {
  const asked = request(`${url}/graphql`, {
    method: 'POST',
    localAddress,
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
  });
  asked.end(JSON.stringify({ query }));
  const [response] = await once(asked, 'response');
  response.resume();
  return response.statusCode;
}

test('unverified callers share by their peer address, whatever tokens they invent', async ({
  scene: { sandbox },
}) => {
  const layer = await startTestLayer(sandbox.url, settings);
  await sandbox.fault({ path: '/companies', times: 1_000, delayMs: 2_000 });
  const slow = Promise.all(
    ['one', 'two'].map((token, at) => askFrom('127.0.0.2', layer.url, token, distinct(at))),
  );
  await expect.poll(async () => (await sandbox.calls()).length, patience).toBe(2);

  const told = [
    await askFrom('127.0.0.2', layer.url, 'three', ofNothing),
    await askFrom('127.0.0.3', layer.url, 'one', ofNothing),
  ];

  expect(told).toEqual([503, 200]);
  expect(await slow).toEqual([200, 200]);
  await layer.stop();
});

test('while one token of an address has its part of the slots, another one is served', async ({
  scene: { sandbox },
}) => {
  // As behind a balancer: all slots are those of one address.
  const layer = await startTestLayer(sandbox.url, { ...settings, MAX_REQUESTS_PER_CALLER: String(places) });
  await sandbox.fault({ path: '/companies', times: 1, delayMs: 5_000 });
  const statuses: number[] = [];
  const flood = Array.from({ length: many }, async () =>
    statuses.push(await askFrom('127.0.0.1', layer.url, 'eager', ofBusiness)),
  );
  // Three quarters of one area's four slots.
  await expect.poll(() => statuses.length, patience).toBe(many - 3);
  expect(refusedOf(statuses)).toHaveLength(many - 3);

  const told = [];
  for (const query of [ofNothing, ofHealth, ofBusiness, ofNothing])
    told.push(await askFrom('127.0.0.1', layer.url, 'light', query));

  expect(told).toEqual([200, 200, 200, 200]);
  await Promise.all(flood);
  expect(statuses.slice(-3)).toEqual([200, 200, 200]);
  await layer.stop();
});

test('where one principal sends all traffic, its share can be all slots', async ({
  scene: { sandbox, issuer },
}) => {
  const layer = await startTestLayer(sandbox.url, {
    ...settings,
    ...issuer.settings,
    MANAGEMENT_URL: '',
    MAX_REQUESTS_PER_CALLER: String(places),
    UPSTREAM_CALLS_PER_CALLER: String(places),
  });
  const authorization = `Bearer ${await issuer.token('gateway')}`;
  await sandbox.fault({ path: '/companies', times: places, delayMs: 3_000 });
  const slow = Promise.all(
    Array.from({ length: places }, (_, at) => layer.query(distinct(at), {}, { authorization })),
  );
  await expect.poll(async () => (await sandbox.calls()).length, patience).toBe(places);

  expect((await layer.query(ofNothing, {}, { authorization })).status).toBe(503);
  expect(await slow).toEqual(Array(places).fill(expect.objectContaining({ status: 200 })));
  await layer.stop();
});
