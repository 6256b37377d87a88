import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { expect } from 'vitest';
import { startLayerForTest, type TestLayer } from '../../support/layer.ts';
import { app01 } from '../../support/operations.ts';
import { asDeployed, requestsOf, shapeOf, testDisturbed } from '../../support/proxies/disturbed.ts';
import type { Toxic } from '../../support/proxies/toxics.ts';

const test = testDisturbed({ REQUEST_TIMEOUT_MS: '5000' });

/** Every kind of call that can be made again without harm, and what its first line holds. */
const reads = {
  'a list': ['{ company { items(first: 3) { totalCount nodes { number } } } }', 'GET /api'],
  'a batch': [
    `{ company { ${['a', 'b', 'c', 'd', 'e'].map((name, at) => `${name}: items(first: ${at + 1}) { nodes { number } }`).join(' ')} } }`,
    'POST /api',
  ],
  'an instance': [`{ applicationInstance(${app01}) { name status } }`, 'GET /subscriptions'],
} as const;

/** Where a connection can break; the whole answer to each read has more than 300 bytes. */
const breaks: Readonly<Record<string, Toxic>> = {
  'before it is heard': { unheard: true },
  'before any byte of its answer': { resetAt: 0 },
  'in its middle': { cutAt: 300 },
  'by a reset in its middle': { resetAt: 300 },
};

test.for(Object.entries(reads))(
  'a read of %s whose connection breaks is retried as a whole, wherever it broke, and never with Range',
  async ([, [query, on]], { disturbed, proxy, sandbox }) => {
    const { data: expected } = await disturbed.query(query);
    const pages = requestsOf(proxy).length;

    for (const [where, toxic] of Object.entries(breaks)) {
      await sandbox.forgetCalls();
      const before = requestsOf(proxy).length;
      proxy.next({ ...toxic, on });

      const { data, errors } = await disturbed.query(query);

      expect(errors, where).toBeUndefined();
      expect(data, where).toEqual(expected);
      const calls = (await sandbox.calls()).map(shapeOf);
      expect(requestsOf(proxy).length - before, where).toBe(pages + 1);
      expect(calls, where).toHaveLength(where === 'before it is heard' ? pages : pages + 1);
      if (where !== 'before it is heard') expect(calls[1]).toEqual({ ...calls[0], range: undefined });
    }
  },
);

const writes = {
  createCustomer: 'mutation { w: createCustomer(input: { displayName: "Brindle" }) { userErrors { code } } }',
  stopApplicationInstance: `mutation { w: stopApplicationInstance(input: { instance: { names: { ${app01} } } }) {
    userErrors { code }
  } }`,
};

const oneOfEach = [
  ['a list', reads['a list'][0]],
  ['a create', writes.createCustomer],
  ['a stop', writes.stopApplicationInstance],
] as const;

/** Runs a query while nobody listens, and has somebody listen once so many connections were refused. */
async function refused(layer: TestLayer, query: string, afterwards: (failed: number) => unknown) {
  let failed = 0;
  const note = () => {
    failed += 1;
    afterwards(failed);
  };
  subscribe('undici:client:connectError', note);
  try {
    return { ...(await layer.query(query)), failed };
  } finally {
    unsubscribe('undici:client:connectError', note);
  }
}

test.for(oneOfEach)(
  'a refused connection for %s is retried: nothing was sent',
  async ([, query], { disturbed, proxy, sandbox }) => {
    proxy.down();

    const { data, errors } = await refused(disturbed, query, (failed) => failed === 1 && proxy.up());

    expect(errors).toBeUndefined();
    expect(data.w?.userErrors ?? []).toEqual([]);
    expect(await sandbox.calls()).toHaveLength(1);
  },
);

test('for a create, a name that does not resolve is looked up three times, and the response does not reveal it', async () => {
  const layer = await startLayerForTest('http://upstream.invalid', asDeployed);

  const { errors, failed } = await refused(layer, writes.createCustomer, () => {});

  expect(errors).toMatchObject([{ extensions: { code: 'UPSTREAM_UNAVAILABLE' } }]);
  expect(JSON.stringify(errors)).not.toContain('upstream.invalid');
  expect(failed).toBe(3);
});
