import { expect } from 'vitest';
import { sandboxExamples } from '../../../sandbox/seed.ts';
import type { TestLayer } from '../../support/layer.ts';
import { stopInstance } from '../../support/operations.ts';
import { methodsOf, requestsOf, testDisturbed } from '../../support/proxies/disturbed.ts';
import type { Toxic } from '../../support/proxies/toxics.ts';
import type { TestSandbox } from '../../support/sandbox.ts';

const test = testDisturbed({ WRITE_TIMEOUT_MS: '400', UPSTREAM_BREAKER_FAILURES: '1000000' }).extend(
  'proven',
  async ({ disturbed, sandbox }) => {
    await create(disturbed, 'The first');
    await sandbox.forgetCalls();
    return disturbed;
  },
);

const { customerId: id } = sandboxExamples;

async function create(layer: TestLayer, displayName: string) {
  const { data, errors } = await layer.query(
    `mutation ($input: CreateCustomerInput!) { createCustomer(input: $input) {
      customer { id displayName } userErrors { code }
    } }`,
    { input: { displayName } },
  );
  expect(errors).toBeUndefined();
  return data.createCustomer;
}

/** The ETag of the customer; the connection is kept. */
async function etagOf(layer: TestLayer): Promise<string> {
  const { data } = await layer.query(`{ company { customer(id: "${id}") { etag } } }`);
  return data.company.customer.etag;
}

interface Stored {
  readonly id: string;
  readonly version: number;
  readonly values: Readonly<Record<string, string>>;
}

async function stored(sandbox: TestSandbox): Promise<readonly Stored[]> {
  const response = await sandbox.send('GET', '/sandbox/records?set=customers');
  return ((await response.json()) as { records: Stored[] }).records;
}

/** Every 250th byte of an answer to a write, by turns with a reset and an end; all have some 1,500. */
const cuts: readonly Toxic[] = Array.from({ length: 6 }, (_, place) =>
  place % 2 ? { cutAt: place * 250 + 1 } : { resetAt: place * 250 },
);

test('a create whose response is cut off at any byte is executed once, and found under its id', async ({
  proven,
  proxy,
  sandbox,
}) => {
  for (const [place, toxic] of cuts.entries()) {
    const name = `Brindle ${place}`;
    await sandbox.forgetCalls();
    proxy.next({ ...toxic, on: 'POST' });

    const { customer, userErrors } = await create(proven, name);

    expect(userErrors).toEqual([]);
    const made = (await stored(sandbox)).filter(({ values }) => values.displayName === name);
    expect(made.map((record) => record.id)).toEqual([customer.id]);
    const [first, ...looks] = await methodsOf(sandbox);
    expect(first).toBe('POST');
    expect(looks.every((method) => method === 'GET')).toBe(true);
    proxy.calm();
  }
});

const unheard: readonly (readonly [string, Toxic])[] = [
  ['over a new connection that dies as it comes', { unheard: true }],
  ['over a kept connection that dies at the moment of use', { kept: true, unheard: true }],
];

test.for(unheard)(
  'a create sent %s is OUTCOME_UNKNOWN and not retried where ids are not proven to be kept',
  async ([, toxic], { disturbed, proxy, sandbox }) => {
    if (toxic.kept) await etagOf(disturbed);
    await sandbox.forgetCalls();
    proxy.next({ ...toxic, on: 'POST' });

    const { customer, userErrors } = await create(disturbed, 'Brindle');

    expect(customer).toBeNull();
    expect(userErrors).toEqual([{ code: 'OUTCOME_UNKNOWN' }]);
    expect(requestsOf(proxy).filter((line) => line.startsWith('POST'))).toHaveLength(1);
    expect(await methodsOf(sandbox)).toEqual(['GET']);
  },
);

test.for([
  ['is cut in its head', { cutAt: 40 }],
  ['does not come', { latencyMs: 5_000 }],
  ['never was, as the request was not heard', { unheard: true }],
] as const)(
  'a stop whose response %s is OUTCOME_UNKNOWN, and sent once',
  async ([, toxic], { disturbed, proxy, sandbox }) => {
    proxy.next({ ...toxic, on: 'POST' });

    const { operation, userErrors } = await stopInstance(disturbed, 'app01');

    expect(operation).toBeNull();
    expect(userErrors).toMatchObject([{ code: 'OUTCOME_UNKNOWN' }]);
    expect(requestsOf(proxy).filter((line) => line.startsWith('POST'))).toHaveLength(1);
    const posts = (await methodsOf(sandbox)).filter((method) => method === 'POST');
    expect(posts.length).toBeLessThanOrEqual(1);
  },
);
