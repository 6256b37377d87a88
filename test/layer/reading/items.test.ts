import { expect } from 'vitest';
import { sandboxExamples } from '../../../sandbox/seed.ts';
import { test } from '../../support/layer.ts';

const { itemId: id } = sandboxExamples;
const item = (fields: string) => `query ($id: UUID!) { company { item(id: $id) { ${fields} } } }`;

test('a list of v1.0 fields takes one call, and its cursors continue in that shape', async ({
  layer,
  sandbox,
}) => {
  const list = `query ($after: String) {
    company { items(first: 7, after: $after) { nodes { number baseUnitOfMeasure { unitName } } pageInfo { endCursor } } }
  }`;

  const first = await layer.query(list);
  const second = await layer.query(list, { after: first.data.company.items.pageInfo.endCursor });

  const numbers = [...first.data.company.items.nodes, ...second.data.company.items.nodes].map(
    ({ number }) => number,
  );
  expect(new Set(numbers).size).toBe(14);
  const calls = await sandbox.calls();
  expect(calls).toHaveLength(2);
  for (const call of calls) expect(call.path).toContain('/api/v1.0/');
});

test('where the v1.0 shape fails, its fields fail and the others are returned', async ({
  layer,
  sandbox,
}) => {
  await sandbox.fault({ path: '/api/v1.0/', status: 404, body: {} });
  await sandbox.fault({ path: '/api/v1.0/', status: 503, body: {} });
  const query = item('itemCategoryCode baseUnitOfMeasure { unitName }');

  const gone = await layer.query(query, { id });
  const failed = await layer.query(query, { id });

  expect(gone.errors).toMatchObject([
    { path: ['company', 'item', 'baseUnitOfMeasure'], extensions: { code: 'UPSTREAM_NOT_FOUND' } },
  ]);
  expect(failed.data.company.item).toMatchObject({
    itemCategoryCode: expect.stringMatching(/\w/),
    baseUnitOfMeasure: null,
  });
  expect(failed.errors).toMatchObject([
    { path: ['company', 'item', 'baseUnitOfMeasure'], extensions: { code: 'UPSTREAM_UNAVAILABLE' } },
  ]);
});

test('a change of an item returns the fields of both shapes as a read does', async ({ layer }) => {
  const fields = 'itemCategoryCode baseUnitOfMeasure { unitName }';
  const before = await layer.query(item(`etag ${fields}`), { id });
  const { etag, ...expected } = before.data.company.item;
  const patch = { displayName: 'Ash Chair' };

  const { data } = await layer.query(
    `mutation ($input: UpdateItemInput!) { updateItem(input: $input) { item { displayName ${fields} } userErrors { code } } }`,
    { input: { id, ifMatch: etag, patch } },
  );

  expect(data.updateItem).toEqual({ item: { ...patch, ...expected }, userErrors: [] });
  expect(expected.baseUnitOfMeasure.unitName).toMatch(/\w/);
});

test('a cursor of one shape is not valid for the other', async ({ layer, sandbox }) => {
  const list = (fields: string) =>
    `query ($after: String) { company { items(first: 2, after: $after) { nodes { ${fields} } pageInfo { endCursor } } } }`;
  const v1 = await layer.query(list('baseUnitOfMeasure { unitName }'));
  const v2 = await layer.query(list('itemCategoryCode'));
  await sandbox.forgetCalls();

  const inV2 = await layer.query(list('itemCategoryCode'), {
    after: v1.data.company.items.pageInfo.endCursor,
  });
  const inV1 = await layer.query(list('baseUnitOfMeasure { unitName }'), {
    after: v2.data.company.items.pageInfo.endCursor,
  });

  for (const { errors } of [inV1, inV2])
    expect(errors).toMatchObject([{ extensions: { code: 'BAD_USER_INPUT' } }]);
  expect(await sandbox.calls()).toEqual([]);
});
