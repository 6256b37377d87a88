import { describe, expect } from 'vitest';
import type { Json } from '../../support/json.ts';
import { startBeforeStub, startTestLayer, test } from '../../support/layer.ts';
import { endWithTest } from '../../support/runner/end-with-test.ts';
import type { StubAnswer, StubRequest } from '../../support/stub.ts';

const unknown = '11111111-2222-4333-8444-555555555555';
const query = `{ company { salesOrders(first: 60) { nodes {
  number customer { id displayName } documentLines { lineType item { number displayName } }
} } } }`;

type Answer = (request: StubRequest, forward: () => Promise<StubAnswer>) => StubAnswer | Promise<StubAnswer>;

/** A layer over the sandbox behind a server that changes what it responds. */
async function startOver(sandbox: { url: string }, answer: Answer) {
  const { stub, layer } = await startBeforeStub((request) =>
    answer(request, async () => {
      const { method, target, headers, body } = request;
      const { authorization = '', prefer = '' } = headers as Record<string, string>;
      const response = await fetch(sandbox.url + target, {
        method,
        headers: { authorization, prefer, 'content-type': 'application/json' },
        ...(body && { body }),
      });
      return { status: response.status, body: await response.json() };
    }),
  );
  return {
    ...layer,
    /** The result and the number of calls of a query. */
    async count(token = '') {
      const before = stub.requests.length;
      const { data, errors } = await layer.query(
        query,
        {},
        token ? { authorization: `Bearer ${token}` } : {},
      );
      return { data, errors, calls: stub.requests.length - before };
    },
  };
}

const refusal = (status: number, message: string, code = 'BadRequest'): StubAnswer => ({
  status,
  body: { error: { code, message } },
});

const expands = ({ target }: StubRequest, navigation: string) =>
  new RegExp(`[=,(;]${navigation}\\(`).test(decodeURIComponent(target));

const mapRows = async (forward: () => Promise<StubAnswer>, change: (row: Json) => Json) => {
  const answer = await forward();
  const body = answer.body as { value?: Json[] };
  return { ...answer, body: { ...body, ...(body.value && { value: body.value.map(change) }) } };
};

describe('an expansion that the upstream refuses', () => {
  test.for([
    [400, "Could not find a property named 'customer' on type 'NAV.salesOrder'."],
    [501, "The navigation property 'customer' cannot be expanded."],
  ] as const)(
    'with %i and its name is tried once, and said once in the log',
    async ([status, message], { sandbox, layer }) => {
      const refusing = await startOver(sandbox, (request, forward) =>
        expands(request, 'customer') ? refusal(status, message) : forward(),
      );

      const first = await refusing.count();
      expect(first.errors).toBeUndefined();
      expect(first.data).toEqual((await layer.query(query)).data);
      // The refused read, the read without optional expansions, then customers and items by key.
      expect(first.calls).toBe(4);
      // Items are expanded; customers are loaded by key.
      expect((await refusing.count()).calls).toBe(2);
      expect((await refusing.count()).calls).toBe(2);
      const lines = refusing.lines().filter(({ msg }) => String(msg).includes('does not expand'));
      expect(lines).toMatchObject([{ expansion: 'salesOrders/customer', status }]);
    },
  );

  test('without a name costs no more calls than loading by key', async ({ sandbox }) => {
    const refusing = await startOver(sandbox, (request, forward) =>
      expands(request, 'item') || expands(request, 'customer') ? refusal(400, 'No.') : forward(),
    );

    for (let round = 0; round < 3; round++) await refusing.count();
    expect((await refusing.count()).calls).toBe(3);
  });

  test.for([[403], [500]])(
    'with %i to one caller is expanded for the others',
    async ([status = 0], { sandbox }) => {
      const isDenied = ({ headers }: StubRequest) => headers.authorization === 'Bearer clerk';
      const guarded = await startOver(sandbox, (request, forward) =>
        isDenied(request) && request.target.includes('customer(')
          ? refusal(status, 'You do not have permission.', 'Internal_ServerError')
          : isDenied(request) && request.target.includes('/customers?')
            ? refusal(403, 'You do not have permission.', 'Internal_ServerError')
            : forward(),
      );

      for (let round = 0; round < 2; round++) {
        const { data, errors } = await guarded.count('clerk');
        const { nodes } = data.company.salesOrders;
        expect(nodes).toHaveLength(60);
        for (const { number, customer, documentLines } of nodes) {
          expect(number).toMatch(/^S-ORD/);
          expect(customer).toBeNull();
          expect(documentLines.length).toBeGreaterThan(0);
        }
        expect(new Set(errors?.map(({ extensions }) => extensions?.code))).toEqual(new Set(['FORBIDDEN']));
      }
      expect(await guarded.count('manager')).toMatchObject({ calls: 1, errors: undefined });
      // The clerk's reads do without the expansions at once: orders, customers, items.
      expect((await guarded.count('clerk')).calls).toBe(3);
    },
  );

  test.for<[string, StubAnswer]>([
    ['a broken connection', { isCut: true }],
    ['a 200 with an error', { body: { error: { code: 'Internal', message: 'No customers today.' } } }],
  ])(
    'with %s does not fail its owner, and is loaded by key from then on',
    async ([, answer], { sandbox, layer }) => {
      const failing = await startOver(sandbox, (request, forward) =>
        expands(request, 'customer') ? answer : forward(),
      );

      const { errors, data } = await failing.count();

      expect(errors).toBeUndefined();
      expect(data).toEqual((await layer.query(query)).data);
      expect((await failing.count()).calls).toBe(3);
    },
  );

  test('and a read that fails without it fail with the error of the latter', async ({ sandbox }) => {
    const failing = await startOver(sandbox, () => refusal(400, 'The filter is not valid.'));

    const { errors, calls } = await failing.count();

    expect(calls).toBe(2);
    expect(errors?.[0]?.extensions?.code).toBe('UPSTREAM_REJECTED');
  });
});

test('an expanded record that is another than the id beside it names is loaded by the id', async ({
  sandbox,
  layer,
}) => {
  const changed = await startOver(sandbox, (_request, forward) =>
    mapRows(forward, (row) => {
      const { customer } = row;
      return customer ? { ...row, customer: { ...customer, id: unknown, displayName: 'Another' } } : row;
    }),
  );

  expect((await changed.count()).data).toEqual((await layer.query(query)).data);
});

test('a page with expansions that takes too long is read without them', async ({ sandbox }) => {
  const slow = await startOver(sandbox, (request, forward) =>
    expands(request, 'customer') ? refusal(504, 'Timed out.') : forward(),
  );

  const first = await slow.count();
  expect(first.errors).toBeUndefined();
  expect(first.calls).toBe(4);
  expect((await slow.count()).calls).toBe(3);
});

test('expansions that make the address too long are left out', async ({ layer, sandbox }) => {
  const numbers = Array.from({ length: 200 }, (_, index) => `ORDER-NUMBER-${index}`);
  const { errors } = await layer.query(
    `query ($numbers: [String!]!) { company { salesOrders(filter: { number: { in: $numbers } }) { nodes {
      customer { id number displayName addressLine1 addressLine2 city state country postalCode phoneNumber email website
        salespersonCode balanceDue creditLimit taxLiable taxAreaId taxAreaDisplayName taxRegistrationNumber currencyId
        currencyCode paymentTermsId shipmentMethodId paymentMethodId lastModifiedDateTime }
    } } } }`,
    { numbers },
  );

  expect(errors).toBeUndefined();
  const [orders] = (await sandbox.calls()).map(({ path }) => path);
  expect(orders?.length).toBeLessThan(8200);
  expect(orders).not.toContain('$expand');
});

test('explain tells of every relation whether it was expanded or loaded', async ({ sandbox }) => {
  const layer = await startTestLayer(sandbox.url);
  endWithTest(layer.stop);
  await sandbox.fault({ path: 'customer(', status: 501 });
  const answer = await layer.query(
    `{ company { salesOrders(first: 9) { nodes {
      customer { city } billToCustomer { id } documentLines { item { number } }
    } } } }`,
    {},
    { 'tributary-explain': '1' },
  );

  const [refused, orders, customers] = (answer.extensions as Json).upstream;
  expect(refused.relations).toEqual([
    { path: 'salesOrders/customer', plan: 'EXPANDED' },
    { path: 'salesOrders/salesOrderLines', plan: 'EXPANDED' },
    { path: 'salesOrders/salesOrderLines/item', plan: 'EXPANDED' },
  ]);
  expect(orders.relations).toEqual([
    { path: 'salesOrders/salesOrderLines', plan: 'EXPANDED' },
    { path: 'salesOrders/salesOrderLines/item', plan: 'LOADED' },
    { path: 'salesOrders/customer', plan: 'LOADED' },
  ]);
  expect(orders).toMatchObject({ rows: 9, bytes: expect.any(Number) });
  expect(orders.bytes).toBeGreaterThan(1000);
  expect(customers.keys).toBe(customers.rows);
});

test('explain tells of the relations of a part of a batch, too', async ({ sandbox }) => {
  const layer = await startTestLayer(sandbox.url);
  endWithTest(layer.stop);
  const lists = [1, 2, 3, 4, 5].map(
    (first) => `of${first}: salesOrders(first: ${first}) { nodes { customer { city } } }`,
  );
  const answer = await layer.query(`{ company { ${lists.join(' ')} } }`, {}, { 'tributary-explain': '1' });

  const [batch] = (answer.extensions as Json).upstream;
  expect(batch.parts).toHaveLength(5);
  for (const part of batch.parts)
    expect(part.relations).toEqual([{ path: 'salesOrders/customer', plan: 'EXPANDED' }]);
});
