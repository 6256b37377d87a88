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
