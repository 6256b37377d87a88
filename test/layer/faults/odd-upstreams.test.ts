import { expect, test as plain } from 'vitest';
import { sandboxExamples } from '../../../sandbox/seed.ts';
import { startBeforeStub, test } from '../../support/layer.ts';
import { stopInstance } from '../../support/operations.ts';

test('an updated item is returned although it cannot be read again', async ({ layer, sandbox }) => {
  await sandbox.fault({ method: 'GET', path: '/items', status: 503, times: 9 });
  const { data } = await layer.query(
    `mutation { updateItem(input: { id: "${sandboxExamples.itemId}", ifMatch: "*", patch: { displayName: "Chair" } }) { item { displayName category { code } } userErrors { code } } }`,
  );
  expect(data.updateItem.item?.displayName).toBe('Chair');
  expect(data.updateItem.userErrors).toEqual([]);
});

const idOf = (n: number) => `5d115c9c-44e3-4a11-bb43-${n.toString(16).padStart(12, '0')}`;
const customersById = (ids: readonly string[]) =>
  `{ company { ${ids.map((id, index) => `c${index}: customer(id: "${id}") { number }`).join(' ')} } }`;

plain('an id that the upstream writes in upper case matches the requested one', async () => {
  const { layer, stub } = await startBeforeStub(() => ({
    body: { value: [1, 10].map((n) => ({ id: idOf(n).toUpperCase(), number: `${n}` })) },
  }));
  const { data } = await layer.query(customersById([idOf(10), idOf(1), idOf(2)]));
  expect(data.company).toEqual({ c0: { number: '10' }, c1: { number: '1' }, c2: null });
  expect(stub.requests).toHaveLength(1);
});

plain('a record without its id is an error of that record alone', async () => {
  const { layer } = await startBeforeStub(({ target }) => ({
    body: target.includes('/items')
      ? { value: [{ id: idOf(1), number: '1001' }, { number: '1002' }] }
      : { value: [{ id: idOf(5), salesOrderLines: [{ itemNo: '1001' }, { itemNo: '1002' }] }] },
  }));
  const { data, errors } = await layer.query(
    '{ company { salesOrders { nodes { documentLines { item { number } } } } } }',
  );
  expect(data.company.salesOrders.nodes[0].documentLines).toEqual([
    { item: { number: '1001' } },
    { item: null },
  ]);
  expect(errors?.map(({ extensions }) => extensions.code)).toEqual(['UPSTREAM_BAD_RESPONSE']);
});

plain.each([
  [404, 'UPSTREAM_NOT_FOUND'],
  [400, 'UPSTREAM_REJECTED'],
])('records combined into one read that is answered %i are %s', async (status, code) => {
  const { layer } = await startBeforeStub(() => ({ status, body: {} }));
  const { data, errors } = await layer.query(customersById([idOf(1), idOf(2)]));
  expect(data.company).toEqual({ c0: null, c1: null });
  expect(errors?.[0]?.extensions.code).toBe(code);
});

plain('endless empty pages are an error, not an endless list', async () => {
  const { layer } = await startBeforeStub(({ target }) => ({
    body: {
      value: [],
      '@odata.nextLink': `customers?$skiptoken=${(target.match(/x/g) ?? []).length}x${'x'.repeat(target.length % 7)}`,
    },
  }));
  const { data, errors } = await layer.query(
    '{ company { customers { nodes { id } pageInfo { hasNextPage } } } }',
  );
  expect(data.company.customers).toBeNull();
  expect(errors?.[0]?.extensions.code).toBe('UPSTREAM_BAD_RESPONSE');
});

plain('a 202 whose body is not JSON is accepted, and its status URL is polled', async () => {
  const { layer } = await startBeforeStub(({ method }) =>
    method === 'POST'
      ? { status: 202, headers: { 'vendor-asyncoperation': '/operations/1' }, body: '<html>Accepted</html>' }
      : { body: { status: 'Succeeded' } },
  );
  const { operation, userErrors } = await stopInstance(layer, 'app01');
  const { data } = await layer.query('query ($id: ID!) { instanceOperation(id: $id) { state } }', operation);
  expect(userErrors).toEqual([]);
  expect(operation.state).toBe('RUNNING');
  expect(data.instanceOperation.state).toBe('SUCCEEDED');
});
