import { expect } from 'vitest';
import { sandboxExamples } from '../../src/sandbox/seed/seed.ts';
import { startTestLayer, test } from '../support/layer.ts';
import type { TestSandbox } from '../support/sandbox.ts';

// Every customer's own orders: as many different reads as there are customers.
const ownOrders = (customers: number) =>
  `{ company { customers(first: ${customers}) { nodes { id salesOrders(first: 2) { nodes { customerId } } } } } }`;

interface Customer {
  readonly id: string;
  readonly salesOrders: { readonly nodes: readonly { readonly customerId: string }[] } | null;
}

const batchesOf = async (sandbox: TestSandbox) =>
  (await sandbox.calls()).filter(({ path }) => path.endsWith('/$batch'));

function expectOwn(customers: readonly Customer[]) {
  for (const { id, salesOrders } of customers) {
    for (const { customerId } of salesOrders?.nodes ?? []) expect(customerId).toBe(id);
  }
  expect(customers.some(({ salesOrders }) => salesOrders?.nodes.length)).toBe(true);
}

test('a batch that takes the upstream too long is halved until it does not', async ({ layer, sandbox }) => {
  await sandbox.fault({ path: '$batch', status: 504, times: 3 });

  const { data, errors } = await layer.query(ownOrders(16));

  expect(errors).toBeUndefined();
  expectOwn(data.company.customers.nodes);
  const sizes = (await batchesOf(sandbox)).map(({ body }) => JSON.parse(body).requests.length);
  expect(sizes).toEqual([16, 8, 8, 4, 4, 4, 4]);
});

test('a batch whose answer is too long to read is halved', async ({ sandbox }) => {
  const layer = await startTestLayer(sandbox.url, { MAX_RESPONSE_BYTES: '6000' });

  const { data, errors } = await layer.query(ownOrders(20));
  await layer.stop();

  expect(errors).toBeUndefined();
  expectOwn(data.company.customers.nodes);
  expect((await batchesOf(sandbox)).length).toBeGreaterThan(1);
});

test('a single read that takes the upstream too long is told, not repeated', async ({ layer, sandbox }) => {
  await sandbox.fault({ path: '/customers', status: 504 });

  const { errors } = await layer.query('{ company { customers { nodes { id } } } }');

  expect(errors?.[0]?.extensions.code).toBe('UPSTREAM_TIMEOUT');
  expect(await sandbox.calls()).toHaveLength(1);
});

test('parts left out of an answer are asked for again', async ({ layer, sandbox }) => {
  await sandbox.fault({ part: true, path: '/salesOrders', missing: true, times: 3 });

  const { data, errors } = await layer.query(ownOrders(12));

  expect(errors).toBeUndefined();
  expectOwn(data.company.customers.nodes);
  expect((await batchesOf(sandbox)).map(({ parts }) => parts?.length)).toEqual([12, 3]);
});

test('an answer without any of the parts is no answer', async ({ layer, sandbox }) => {
  await sandbox.fault({ part: true, path: '/salesOrders', missing: true, times: 100 });

  const { errors } = await layer.query(ownOrders(6));

  expect(errors).toHaveLength(6);
  for (const { extensions } of errors ?? []) expect(extensions.code).toBe('UPSTREAM_BAD_RESPONSE');
  expect(await batchesOf(sandbox)).toHaveLength(1);
});

test('a part refused leaves the others standing', async ({ layer, sandbox }) => {
  await sandbox.fault({
    part: true,
    path: '/salesOrders',
    status: 403,
    body: { error: { code: 'Authorization_RequestDenied', message: 'names of people' } },
  });

  const { data, errors } = await layer.query(ownOrders(12));

  expect(errors).toHaveLength(1);
  expect(errors?.[0]).toMatchObject({
    path: ['company', 'customers', 'nodes', 0, 'salesOrders'],
    extensions: {
      code: 'FORBIDDEN',
      upstream: 'business',
      upstreamError: { code: 'Authorization_RequestDenied' },
    },
  });
  expect(JSON.stringify(errors)).not.toContain('names of people');
  const [refused, ...others] = data.company.customers.nodes;
  expect(refused.salesOrders).toBeNull();
  expect(others.every(({ salesOrders }: Customer) => salesOrders !== null)).toBe(true);
});

test('a batch refused is told at each of its reads', async ({ layer, sandbox }) => {
  await sandbox.fault({ path: '$batch', status: 429, headers: { 'retry-after': '7' } });

  const { errors } = await layer.query(ownOrders(6));

  expect(errors).toHaveLength(6);
  for (const { extensions } of errors ?? []) {
    expect(extensions).toMatchObject({ code: 'UPSTREAM_THROTTLED', retryAfterSeconds: 7 });
  }
  expect(await batchesOf(sandbox)).toHaveLength(1);
});

test.for([[404], [405], [501]])(
  'an upstream that has no batches (%i) gets the reads one by one',
  async ([status], { layer, sandbox }) => {
    await sandbox.fault({ path: '$batch', status });
    await sandbox.fault({ path: '/salesOrders', status: 403 });

    const { data, errors } = await layer.query(ownOrders(8));

    expect(errors).toHaveLength(1);
    expectOwn(data.company.customers.nodes);
    const calls = await sandbox.calls();
    expect(calls.map(({ method }) => method)).toEqual(['GET', 'POST', ...Array(8).fill('GET')]);
    expect(calls.slice(2).every(({ headers }) => headers.prefer === 'odata.maxpagesize=2')).toBe(true);
  },
);

test.for([['{}'], ['{"responses":{}}'], ['[]'], ['null'], ['{"responses":[{"id":"x"}]}']])(
  'a batch answered with %s is a bad response',
  async ([body], { layer, sandbox }) => {
    await sandbox.fault({
      path: '$batch',
      status: 200,
      headers: { 'content-type': 'application/json' },
      body,
    });

    const { errors } = await layer.query(ownOrders(5));

    expect(errors).toHaveLength(5);
    for (const { extensions } of errors ?? []) expect(extensions.code).toBe('UPSTREAM_BAD_RESPONSE');
  },
);

test('a record absent from its set is null in a batch, too', async ({ layer }) => {
  const lists = ['items', 'salesOrders', 'employees', 'salesQuotes'].map(
    (name) => `${name}(first: 1) { nodes { id } }`,
  );

  const { data, errors } = await layer.query(
    `{ company { customer(id: "11111111-2222-4333-8444-555555555555") { id } ${lists.join(' ')} } }`,
  );

  expect(errors).toBeUndefined();
  expect(data.company.customer).toBeNull();
  expect(data.company.salesQuotes.nodes).toHaveLength(1);
});

test('a read begun before a write is not joined after it', async ({ layer, sandbox }) => {
  const name = async () =>
    (await layer.query(`{ company { customer(id: "${sandboxExamples.customerId}") { city } } }`)).data.company
      .customer.city;
  // The first read is answered late, with what was there before the change.
  await sandbox.fault({ method: 'GET', path: '/customers', delayMs: 400 });
  const before = name();
  while ((await sandbox.calls()).length === 0) await new Promise((resolve) => setTimeout(resolve, 5));

  const { data } = await layer.query(
    `mutation { updateCustomer(input: {
      id: "${sandboxExamples.customerId}", ifMatch: "*", patch: { city: "Newly built" }
    }) { userErrors { code } } }`,
  );
  const after = await name();

  expect(data.updateCustomer.userErrors).toEqual([]);
  expect(after).toBe('Newly built');
  expect(await before).not.toBe('Newly built');
});

test('a failed read is not kept for the next', async ({ layer, sandbox }) => {
  const query = `{ company { customer(id: "${sandboxExamples.customerId}") { city } } }`;
  await sandbox.fault({ path: '/customers', status: 503 });

  expect((await layer.query(query)).errors).toHaveLength(1);
  expect((await layer.query(query)).errors).toBeUndefined();
});
