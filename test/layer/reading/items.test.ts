import { expect } from 'vitest';
import { sandboxCompanyId, sandboxExamples } from '../../../sandbox/seed/seed.ts';
import { test } from '../../support/layer.ts';

const { itemId: id } = sandboxExamples;
const item = (fields: string, version = '') =>
  `query ($id: UUID!) { company { item(id: $id ${version}) { ${fields} } } }`;
const path = (version: string) => `/api/${version}/companies(${sandboxCompanyId})/items(${id})`;

test('both shapes are merged into one item', async ({ layer }) => {
  const fields = `id etag number itemCategoryCode itemCategory { categoryId code description }
    baseUnitOfMeasureCode baseUnitOfMeasure { unitCode unitName symbol }`;

  const { data } = await layer.query(item(fields), { id });

  const merged = data.company.item;
  expect(merged.etag).toMatch(/^W\/"/);
  expect(merged.itemCategory).toEqual({
    categoryId: merged.itemCategoryCode,
    code: merged.itemCategoryCode,
    description: expect.stringMatching(/\w/),
  });
  expect(merged.baseUnitOfMeasure).toEqual({
    unitCode: merged.baseUnitOfMeasureCode,
    unitName: expect.stringMatching(/\w/),
    symbol: expect.anything(),
  });
});

test('a pinned shape is read alone, and fields it lacks are null', async ({ layer, sandbox }) => {
  const fields = 'number etag itemCategoryCode baseUnitOfMeasure { unitCode unitName }';

  const v1 = await layer.query(item(fields, ', version: V1'), { id });
  const v2 = await layer.query(item(fields, ', version: V2'), { id });

  expect(v1.data.company.item).toMatchObject({ etag: null, itemCategoryCode: null });
  expect(v1.data.company.item.baseUnitOfMeasure.unitName).toMatch(/\w/);
  expect(v2.data.company.item.itemCategoryCode).toMatch(/\w/);
  expect(v2.data.company.item.baseUnitOfMeasure).toEqual({
    unitCode: expect.stringMatching(/\w/),
    unitName: null,
  });
  expect((await sandbox.calls()).map((call) => call.path.split('?')[0])).toEqual([
    path('v1.0'),
    path('v2.0'),
  ]);
});

test('two versions of one item in one operation each read their own shape', async ({ layer, sandbox }) => {
  const { data } = await layer.query(
    `query ($id: UUID!, $version: ItemVersion = V1) {
      company {
        old: item(id: $id, version: $version) { baseUnitOfMeasure { unitName } }
        new: item(id: $id, version: V2) { itemCategoryCode }
      }
    }`,
    { id },
  );

  expect(data.company.old.baseUnitOfMeasure.unitName).toMatch(/\w/);
  expect(data.company.new.itemCategoryCode).toMatch(/\w/);
  const calls = (await sandbox.calls()).map((call) => call.path).sort();
  expect(calls).toEqual([
    `${path('v1.0')}?$select=id,baseUnitOfMeasure`,
    `${path('v2.0')}?$select=id,itemCategoryCode`,
  ]);
});

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

test('blocking an item returns it blocked, in the selected shapes', async ({ layer, sandbox }) => {
  const { data, errors } = await layer.query(
    `mutation ($input: UpdateItemInput!) {
      updateItem(input: $input) {
        item { id etag blocked unitPrice itemCategoryCode baseUnitOfMeasure { unitName } }
        userErrors { code message }
      }
    }`,
    { input: { id, ifMatch: '*', patch: { blocked: true, unitPrice: '12.50' } } },
  );

  expect(errors).toBeUndefined();
  expect(data.updateItem.userErrors).toEqual([]);
  expect(data.updateItem.item).toMatchObject({ id, blocked: true, unitPrice: '12.5' });
  expect(data.updateItem.item.baseUnitOfMeasure.unitName).toMatch(/\w/);
  expect((await sandbox.calls()).map(({ method }) => method)).toEqual(['PATCH', 'GET']);
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
