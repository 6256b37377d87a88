import { expect } from 'vitest';
import { startBeforeStub, startTestLayer, test } from '../../support/layer.ts';
import type { TestSandbox } from '../../support/sandbox.ts';

// Every customer's own orders: as many different reads as there are customers.
const ownOrders = (customers: number, rows = 2) =>
  `{ company { customers(first: ${customers}) { nodes { id salesOrders(first: ${rows}) { nodes { customerId } } } } } }`;

interface Customer {
  readonly id: string;
  readonly salesOrders: { readonly nodes: readonly { readonly customerId: string }[] } | null;
}

const idEnd = '-4e33-4a11-8b43-000000000000';

const batchesOf = async (sandbox: TestSandbox) =>
  (await sandbox.calls()).filter(({ path }) => path.endsWith('/$batch'));

function expectOwn(customers: readonly Customer[]) {
  for (const { id, salesOrders } of customers) {
    for (const { customerId } of salesOrders?.nodes ?? []) expect(customerId).toBe(id);
  }
  expect(customers.some(({ salesOrders }) => salesOrders?.nodes.length)).toBe(true);
}

/** An upstream with so many customers, that answers batches with a certain part with 504; and the layer before it. */
async function startSlow(customers: number, slow: string) {
  const ids = Array.from({ length: customers }, (_, n) => n.toString().padStart(8, '0') + idEnd);
  const sizes: number[] = [];
  const before = await startBeforeStub(({ target, body }) => {
    if (!target.endsWith('$batch')) return { body: { value: ids.map((id) => ({ id })) } };
    const { requests } = JSON.parse(body) as { requests: { id: string; url: string }[] };
    sizes.push(requests.length);
    if (requests.some(({ url }) => url.includes(slow))) return { status: 504, body: {} };
    return { body: { responses: requests.map(({ id }) => ({ id, status: 200, body: { value: [] } })) } };
  });
  return { ...before, sizes };
}

test.for([
  [100, 2, [100, 50, 50]],
  [100, 10, [100, 100, 50, 50, 50, 50]],
  [5, 2, [5, 3, 2]],
] as const)(
  'batches of %i lists of %i rows that the upstream never answers in time are halved once for each page size',
  async ([customers, rows, expected]) => {
    const { layer, stub, sizes } = await startSlow(customers, idEnd);

    const { errors } = await layer.query(ownOrders(customers, rows));

    expect(errors).toHaveLength(customers);
    for (const { extensions } of errors ?? []) expect(extensions.code).toBe('UPSTREAM_TIMEOUT');
    expect(sizes.sort((a, b) => b - a)).toEqual(expected);
    expect(stub.requests).toHaveLength(1 + expected.length);
  },
);

test('a batch with one read that times out upstream fails those of its half alone', async () => {
  const { layer, sizes } = await startSlow(100, `00000070${idEnd}`);

  const { data, errors } = await layer.query(ownOrders(100));

  expect(errors).toHaveLength(50);
  expect(data.company.customers.nodes.filter(({ salesOrders }: Customer) => salesOrders)).toHaveLength(50);
  expect(sizes).toEqual([100, 50, 50]);
});

test('a batch whose response is too long to read is halved', async ({ sandbox }) => {
  const layer = await startTestLayer(sandbox.url, { MAX_RESPONSE_BYTES: '6000' });

  const data = await layer.read(ownOrders(20));
  await layer.stop();

  expectOwn(data.company.customers.nodes);
  expect((await batchesOf(sandbox)).length).toBeGreaterThan(1);
});

test('parts missing from a response are requested again, once', async ({ layer, sandbox }) => {
  await sandbox.fault({ part: true, path: '/salesOrders', missing: true, times: 3 });

  const { data, errors } = await layer.query(ownOrders(12));

  expect(errors).toBeUndefined();
  expectOwn(data.company.customers.nodes);
  expect((await batchesOf(sandbox)).map(({ parts }) => parts?.length)).toEqual([12, 3]);

  await sandbox.forgetCalls();
  const { id } = data.company.customers.nodes[0];
  await sandbox.fault({ part: true, path: id, missing: true, times: 9 });
  const missing = await layer.query(ownOrders(12));

  expect(missing.errors?.map(({ extensions }) => extensions.code)).toEqual(['UPSTREAM_BAD_RESPONSE']);
  expect((await batchesOf(sandbox)).map(({ parts }) => parts?.length)).toEqual([12, 1]);
});

test.for([[404], [501]])(
  'an upstream without batches (%i) gets the reads one by one',
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

test('the only read at its root is sent by itself, beside the batch of another root', async ({
  layer,
  sandbox,
}) => {
  const lists = [1, 2, 3, 4].map((first) => `a${first}: customers(first: ${first}) { nodes { id } }`);

  await layer.read(
    `{ company { ${lists.join(' ')} items(first: 1) { nodes { baseUnitOfMeasure { unitName } } } } }`,
  );

  expect(
    (await sandbox.calls()).map(({ method, path }) => `${method} ${path.replace(/companies.*/, '')}`).sort(),
  ).toEqual(['GET /api/v1.0/', 'POST /api/v2.0/$batch']);
});
