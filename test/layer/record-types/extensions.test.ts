import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import { testWith } from '../../support/layer.ts';

const files = fileURLToPath(new URL('../../fixtures/keyed-records/item-extensions.json', import.meta.url));
const test = testWith({}, { RECORD_TYPES: files });

const setsOf = (calls: readonly { path: string }[]) =>
  calls.map(({ path }) =>
    /api\/(.+?)\/companies\(.*?\)\/(\w+)/.exec(decodeURIComponent(path))?.slice(1).join(' '),
  );

test('a built-in type has the fields of another API, read only where they are selected', async ({
  layer,
  sandbox,
}) => {
  const read = async (fields: string) => {
    await sandbox.forgetCalls();
    const { data, errors } = await layer.query(`{ company { items(first: 5) { nodes { ${fields} } } } }`);
    expect(errors).toBeUndefined();
    return { nodes: data.company.items.nodes, sets: setsOf(await sandbox.calls()) };
  };

  expect((await read('number displayName')).sets).toEqual(['v2.0 items']);
  const both = await read('number countryOfOrigin hazardClass hazardClassRaw shelfLifeDays');
  expect(both.sets).toEqual(['v2.0 items', 'contoso/app/v1.0 itemExtensions']);
  expect(both.nodes.map(({ hazardClass }: { hazardClass: string }) => hazardClass).join(' ')).toMatch(
    /^[A-Z ]+$/,
  );
  expect(
    both.nodes.filter(({ countryOfOrigin }: { countryOfOrigin: string | null }) => countryOfOrigin),
  ).not.toEqual([]);
});

test('its lists are filtered and sorted by them, and by both kinds of columns not at once', async ({
  layer,
  sandbox,
}) => {
  await sandbox.forgetCalls();
  const { data, errors } = await layer.query(
    '{ company { items(first: 4, filter: { shelfLifeDays: { gt: 0 } }, orderBy: [{ field: SHELF_LIFE_DAYS }]) { nodes { displayName shelfLifeDays } } } }',
  );
  expect(errors).toBeUndefined();
  const days = data.company.items.nodes.map(({ shelfLifeDays }: { shelfLifeDays: number }) => shelfLifeDays);
  expect(days).toHaveLength(4);
  expect(days).toEqual([...days].sort((one, other) => one - other));
  expect(data.company.items.nodes.every(({ displayName }: { displayName: string }) => displayName)).toBe(
    true,
  );
  expect(setsOf(await sandbox.calls())).toEqual(['contoso/app/v1.0 itemExtensions', 'v2.0 items']);

  const mixed = await layer.query(
    '{ company { items(filter: { shelfLifeDays: { gt: 0 }, displayName: { startsWith: "A" } }) { nodes { id } } } }',
  );
  expect(mixed.errors?.[0]?.extensions.code).toBe('BAD_USER_INPUT');
});

test('items of order lines have them, too', async ({ layer }) => {
  const { data, errors } = await layer.query(
    '{ company { salesOrders(first: 3) { nodes { documentLines { item { number countryOfOrigin } } } } } }',
  );

  expect(errors).toBeUndefined();
  const items = data.company.salesOrders.nodes
    .flatMap(
      ({ documentLines }: { documentLines: { item: { countryOfOrigin: string } | null }[] }) => documentLines,
    )
    .flatMap(({ item }: { item: object | null }) => (item === null ? [] : [item]));
  expect(items.length).toBeGreaterThan(0);
  expect(
    items.filter(({ countryOfOrigin }: { countryOfOrigin: string | null }) => countryOfOrigin),
  ).not.toEqual([]);
});

test('an update writes each column where it lives, in one payload', async ({ layer, sandbox }) => {
  const { data } = await layer.query(
    '{ company { items(first: 1) { nodes { id etag displayName warehouseNote } } } }',
  );
  const [item] = data.company.items.nodes;
  await sandbox.forgetCalls();

  const { data: updated, errors } = await layer.query(
    `mutation ($input: UpdateItemInput!) {
      updateItem(input: $input) { item { displayName warehouseNote hazardClass } userErrors { code message path } }
    }`,
    {
      input: {
        id: item.id,
        ifMatch: item.etag,
        patch: { displayName: 'Renamed', warehouseNote: 'Handle with care', hazardClass: 'TOXIC' },
      },
    },
  );

  expect(errors).toBeUndefined();
  expect(updated.updateItem).toEqual({
    item: { displayName: 'Renamed', warehouseNote: 'Handle with care', hazardClass: 'TOXIC' },
    userErrors: [],
  });
  const writes = (await sandbox.calls()).filter(({ method }) => method === 'PATCH');
  expect(setsOf(writes)).toEqual(['v2.0 items', 'contoso/app/v1.0 itemExtensions']);
});
