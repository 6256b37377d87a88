import { expect } from 'vitest';
import { type TestLayer, test } from '../../support/layer.ts';
import type { TestSandbox } from '../../support/sandbox.ts';

const orders = `query Orders($first: Int) {
  company { salesOrders(first: $first) { nodes { number billToCustomer { displayName } } } }
}`;
const three = { first: 3 };
const first = 'salesOrders';
const second = 'customers';

const callsOf = async (sandbox: TestSandbox) =>
  (await sandbox.calls()).map(({ path }) => /companies\([^)]*\)\/(\w+)/.exec(path)?.[1]);

/** Asks for the orders, and comes back while the second of the two calls is on its way, with what is to come. */
async function beginSlowly(
  layer: TestLayer,
  sandbox: TestSandbox,
  fault: object = {},
  headers: Readonly<Record<string, string>> = {},
) {
  await sandbox.fault({ method: 'GET', path: '/customers', delayMs: 500, ...fault });
  const answer = layer.query(orders, three, headers);
  await expect.poll(() => callsOf(sandbox)).toEqual([first, second]);
  return { answer };
}

test('a query that its caller repeats while it is in progress is executed once', async ({
  layer,
  sandbox,
}) => {
  const { answer } = await beginSlowly(layer, sandbox);
  const all = await Promise.all([answer, ...Array.from({ length: 20 }, () => layer.query(orders, three))]);

  const [told] = all;
  expect(told?.data.company.salesOrders.nodes).toHaveLength(3);
  for (const { data, errors } of all)
    expect({ data, errors }).toEqual({ data: told?.data, errors: undefined });
  expect(new Set(all.map(({ headers }) => headers.get('x-request-id'))).size).toBe(all.length);
  expect(await callsOf(sandbox)).toEqual([first, second]);
});

test.for([
  ['another token', orders, three, { authorization: 'Bearer somebody-else-entirely' }],
  ['other variables', orders, { first: 4 }, {}],
  ['another document', `${orders} `, three, {}],
  ['a wish to see its calls', orders, three, { 'tributary-explain': '1' }],
] as const)(
  'a query is executed for itself with %s',
  async ([, query, variables, headers], { layer, sandbox }) => {
    const { answer } = await beginSlowly(layer, sandbox);
    const own = await layer.query(query, variables, headers);

    expect((await answer).data.company.salesOrders.nodes).toHaveLength(3);
    expect(own.errors).toBeUndefined();
    expect((await callsOf(sandbox)).filter((set) => set === first)).toHaveLength(2);
    expect(own.extensions?.upstream !== undefined).toBe('tributary-explain' in headers);
  },
);

test('each response has errors with its own request id', async ({ layer, sandbox }) => {
  const { answer } = await beginSlowly(layer, sandbox, { status: 500, times: 9 });
  const again = layer.query(orders, three, { 'x-request-id': 'the-second' });
  const [told, toldAgain] = await Promise.all([answer, again]);

  const id = told.headers.get('x-request-id');
  expect(told.errors?.map(({ extensions }) => extensions.requestId)).toEqual([id, id, id]);
  expect(toldAgain.errors).toEqual(
    told.errors?.map((error) => ({ ...error, extensions: { ...error.extensions, requestId: 'the-second' } })),
  );
  expect(toldAgain.data).toEqual(told.data);
  expect((await callsOf(sandbox)).filter((set) => set === first)).toHaveLength(1);
});

test('a request does not share a query that began before a write was answered', async ({
  layer,
  sandbox,
}) => {
  const { answer } = await beginSlowly(layer, sandbox);
  const created = await layer.query(
    'mutation { createCustomer(input: { displayName: "New" }) { userErrors { code } } }',
  );
  const after = await layer.query(orders, three);

  expect(created.data.createCustomer.userErrors).toEqual([]);
  expect((await answer).errors).toBeUndefined();
  expect(after.errors).toBeUndefined();
  expect((await callsOf(sandbox)).filter((set) => set === first)).toHaveLength(2);
});
