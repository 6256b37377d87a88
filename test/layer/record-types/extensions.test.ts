import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import { testWith } from '../../support/layer.ts';

const files = fileURLToPath(new URL('../../fixtures/keyed-records/item-extensions.json', import.meta.url));
const test = testWith({}, { RECORD_TYPES: files });

test('records of another API lead to the records with their id, and back', async ({ layer, sandbox }) => {
  await sandbox.forgetCalls();
  const { data, errors } = await layer.query(
    `{ company { itemExtensions(first: 4, filter: { shelfLifeDays: { gt: 0 } }, orderBy: [{ field: SHELF_LIFE_DAYS }]) {
      nodes { id shelfLifeDays hazardClassRaw item { id number } }
    } } }`,
  );

  expect(errors).toBeUndefined();
  const { nodes } = data.company.itemExtensions;
  expect(nodes).toHaveLength(4);
  for (const { id, item } of nodes) expect(item).toMatchObject({ id, number: expect.any(String) });
  expect((await sandbox.calls()).map(({ path }) => path)).toEqual([
    expect.stringMatching(/^\/api\/contoso\/app\/v1\.0\/companies\(.*\/itemExtensions\?/),
    expect.stringMatching(/^\/api\/v2\.0\/companies\(.*\/items\?/),
  ]);
  const { data: back } = await layer.query(
    `query ($id: UUID!) { company { item(id: $id) { itemExtensions { nodes { shelfLifeDays } } } } }`,
    { id: nodes[0].id },
  );
  expect(back.company.item.itemExtensions.nodes).toEqual([{ shelfLifeDays: nodes[0].shelfLifeDays }]);
});

test('a record of another API is changed at its API', async ({ layer, sandbox }) => {
  const { data } = await layer.query('{ company { itemExtensions(first: 1) { nodes { id etag } } } }');
  const [{ id, etag }] = data.company.itemExtensions.nodes;
  await sandbox.forgetCalls();

  const { data: updated, errors } = await layer.query(
    `mutation ($input: UpdateItemExtensionInput!) {
      updateItemExtension(input: $input) { itemExtension { warehouseNote hazardClass } userErrors { code } }
    }`,
    { input: { id, ifMatch: etag, patch: { warehouseNote: 'Handle with care', hazardClass: 'TOXIC' } } },
  );

  expect(errors).toBeUndefined();
  expect(updated.updateItemExtension).toEqual({
    itemExtension: { warehouseNote: 'Handle with care', hazardClass: 'TOXIC' },
    userErrors: [],
  });
  const [write] = (await sandbox.calls()).filter(({ method }) => method === 'PATCH');
  expect(write?.path).toMatch(/^\/api\/contoso\/app\/v1\.0\//);
});
