import { fileURLToPath } from 'node:url';
import { describe, expect } from 'vitest';
import type { Json } from '../../support/json.ts';
import { testWith } from '../../support/layer.ts';

const files = fileURLToPath(
  new URL('../../fixtures/custom-records/item-extensions.graphql', import.meta.url),
);
const test = testWith({}, { RECORD_TYPES: files });
const inDynamics = testWith({ dialect: 'dynamics' }, { BUSINESS_DIALECT: 'dynamics', RECORD_TYPES: files });

test('records of another API lead to the records with their id, and back', async ({ layer, sandbox }) => {
  await sandbox.forgetCalls();
  const data = await layer.read(
    `{ company { itemExtensions(first: 4, filter: { shelfLifeDays: { gt: 0 } }, orderBy: [SHELF_LIFE_DAYS_ASC]) {
      nodes { id shelfLifeDays hazardClass item { id number } }
    } } }`,
  );

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

describe('changes of records of several APIs', () => {
  const batch = `mutation ($input: BatchInput!) {
    batch(input: $input) { results { record { __typename ... on ItemExtension { id } } userErrors { code message } } }
  }`;
  const entriesFor = async (query: (text: string) => Promise<{ data: Json }>) => {
    const { data } = await query('{ company { itemExtensions(first: 2) { nodes { id } } } }');
    const [one, other] = data.company.itemExtensions.nodes.map(({ id }: { id: string }) => ({
      updateItemExtension: { id, ifMatch: '*', patch: { shelfLifeDays: 7 } },
    }));
    return [
      { createEmployee: { givenName: 'Ada', surname: 'Berg' } },
      one,
      { createEmployee: { givenName: 'Bo', surname: 'Dahl' } },
      other,
    ];
  };

  test('are a batch of each, and their outcomes stand in the order of the entries', async ({
    layer,
    sandbox,
  }) => {
    const entries = await entriesFor((text) => layer.query(text));
    await sandbox.forgetCalls();

    const data = await layer.read(batch, { input: { entries } });

    expect(data.batch.results.flatMap(({ userErrors }: { userErrors: object[] }) => userErrors)).toEqual([]);
    expect(data.batch.results[3].record).toEqual({
      __typename: 'ItemExtension',
      id: entries[3].updateItemExtension.id,
    });
    expect((await sandbox.calls()).map(({ method, path }) => `${method} ${path}`)).toEqual([
      'POST /api/v2.0/$batch',
      'POST /api/contoso/app/v1.0/$batch',
    ]);
  });

  inDynamics('are no transaction: nothing is sent', async ({ layer, sandbox }) => {
    const entries = await entriesFor((text) => layer.query(text));
    await sandbox.forgetCalls();

    const { errors } = await layer.query(batch, { input: { entries, atomic: true } });

    expect(errors).toMatchObject([{ extensions: { code: 'BAD_USER_INPUT' } }]);
    expect(errors?.[0]?.message).toContain('`v2.0` and `contoso/app/v1.0`');
    expect(await sandbox.calls()).toEqual([]);
  });
});
