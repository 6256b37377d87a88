import { expect } from 'vitest';
import { sandboxExamples } from '../../../sandbox/seed/seed.ts';
import { test } from '../../support/layer.ts';

const { customerId, itemId } = sandboxExamples;

const list = (set: string, list: string) => `{ company { ${set}(${list}) { nodes { id } } } }`;

test('an invalid value of a filter or an order is rejected like that of any other variable', async ({
  layer,
  sandbox,
}) => {
  const query = `query ($filter: SalesOrderFilter, $orderBy: [SalesOrderOrder!]) {
    company { salesOrders(filter: $filter, orderBy: $orderBy) { nodes { id } } }
  }`;

  for (const variables of [
    { filter: { customerId: { eq: "x' or 'a" } } },
    { filter: { orderDate: { gt: '2026-02-30' } } },
    { filter: { partialShipping: { eq: true } } },
    { orderBy: ['CURRENCY_CODE_ASC'] },
  ]) {
    const { status, errors } = await layer.query(query, variables);
    expect(status).toBe(400);
    expect(errors).toMatchObject([{ extensions: { code: 'BAD_USER_INPUT' } }]);
  }
  expect(await sandbox.calls()).toEqual([]);
});

test('a cursor whose page the upstream no longer has is UPSTREAM_REJECTED with its message', async ({
  layer,
  sandbox,
}) => {
  const page = (after: string | null) =>
    layer.query(
      'query ($after: String) { company { customers(first: 2, after: $after) { pageInfo { endCursor } } } }',
      { after },
    );
  const { data } = await page(null);
  await sandbox.reset();

  const { errors } = await page(data.company.customers.pageInfo.endCursor);

  expect(errors).toMatchObject([
    {
      extensions: {
        code: 'UPSTREAM_REJECTED',
        upstreamError: { code: expect.stringMatching(/^BadRequest/) },
      },
    },
  ]);
});

test.for([[414], [431]])(
  'a query that is too long for the upstream (%i) is UPSTREAM_REJECTED and says so',
  async ([status], { layer, sandbox }) => {
    await sandbox.fault({ status, body: {} });

    const { errors } = await layer.query(list('customers', 'first: 1'));

    expect(errors).toMatchObject([
      { message: expect.stringContaining('too long'), extensions: { code: 'UPSTREAM_REJECTED' } },
    ]);
  },
);

test('a list that is throttled without Retry-After is UPSTREAM_THROTTLED without retryAfterSeconds', async ({
  layer,
  sandbox,
}) => {
  await sandbox.fault({ status: 429, body: {} });

  const { errors } = await layer.query(list('customers', 'first: 1'));

  expect(errors?.[0]?.extensions.code).toBe('UPSTREAM_THROTTLED');
  expect(errors?.[0]?.extensions).not.toHaveProperty('retryAfterSeconds');
});

// Five different reads of one turn go as one batch.
const five = `{ company {
  name customer(id: "${customerId}") { number } item(id: "${itemId}") { number }
  customers(first: 1) { nodes { number } } employees(first: 1) { nodes { number } }
} }`;

test.for([
  ['half a body', { cutAt: 10 }, 'UPSTREAM_UNAVAILABLE'],
  ['text that is not JSON', { status: 200, body: '<html>' }, 'UPSTREAM_BAD_RESPONSE'],
  ['no list of answers', { status: 200, body: {} }, 'UPSTREAM_BAD_RESPONSE'],
] as const)(
  'a batch answered with %s is %s at every field that was in it, and no record appears to be missing',
  async ([_what, fault, code], { layer, sandbox }) => {
    await sandbox.fault({ path: '$batch', ...fault });

    const { errors } = await layer.query(five);

    expect(errors).toHaveLength(5);
    for (const { extensions } of errors ?? [])
      expect(extensions).toMatchObject({ code, upstream: 'business' });
    expect(await sandbox.calls()).toHaveLength(1);
  },
);

test.for([
  ['403', { status: 403, body: {} }, 'FORBIDDEN'],
  ['414', { status: 414, body: {} }, 'UPSTREAM_REJECTED'],
  ['429', { status: 429, headers: { 'retry-after': '4' }, body: {} }, 'UPSTREAM_THROTTLED'],
  ['500', { status: 500, body: {} }, 'UPSTREAM_UNAVAILABLE'],
  ['504', { status: 504, body: {} }, 'UPSTREAM_TIMEOUT'],
  ['text that is not JSON', { status: 200, body: '<html>' }, 'UPSTREAM_BAD_RESPONSE'],
] as const)(
  'a part of a batch answered with %s is %s, and the other parts succeed',
  async ([_what, fault, code], { layer, sandbox }) => {
    await sandbox.fault({ part: true, path: '/customers?', ...fault });

    const { data, errors } = await layer.query(five);

    const number = expect.stringMatching(/\w/);
    expect(data.company).toMatchObject({
      customer: { number },
      item: { number },
      customers: null,
      employees: { nodes: [{ number }] },
    });
    expect(errors).toMatchObject([{ path: ['company', 'customers'], extensions: { code } }]);
    if (code === 'UPSTREAM_THROTTLED') expect(errors?.[0]?.extensions.retryAfterSeconds).toBe(4);
    expect(await sandbox.calls()).toHaveLength(1);
  },
);
