import { expect } from 'vitest';
import { sandboxExamples } from '../../../sandbox/seed/seed.ts';
import type { Json } from '../../support/json.ts';
import { startTestLayer, testWith } from '../../support/layer.ts';
import { startTestSandbox, type TestSandbox } from '../../support/sandbox.ts';

const test = testWith({ itemV1: false }, { BUSINESS_ITEM_V1: 'off' });

const { itemId: id } = sandboxExamples;

const fields = `id number itemCategory { categoryId code description }
  baseUnitOfMeasure { unitCode unitName symbol unitConversion { toUnitOfMeasure fromToConversionRate } }`;

const paths = async (sandbox: TestSandbox) =>
  (await sandbox.calls()).map(
    ({ method, path }) => `${method} ${path.replace(/.*\/companies\([^)]*\)/, '')}`,
  );

const expand = '$expand=itemCategory($select=id,displayName),unitOfMeasure($select=id,displayName,symbol)';

test('a list returns for every item what both shapes would, except the conversion, in one call', async ({
  layer,
  sandbox,
}) => {
  const query = `{ company { items(first: 200) { nodes { ${fields} } } } }`;
  const sandboxOfBoth = await startTestSandbox();
  const layerOfBoth = await startTestLayer(sandboxOfBoth.url);
  const inFull: Json[] = (await layerOfBoth.query(query)).data.company.items.nodes;
  await layerOfBoth.stop();
  await sandboxOfBoth.stop();

  const { data, errors } = await layer.query(query);

  expect(errors).toBeUndefined();
  expect(inFull).toHaveLength(120);
  expect(inFull.some((item) => item.baseUnitOfMeasure.unitConversion !== null)).toBe(true);
  expect(inFull.some((item) => item.itemCategory === null)).toBe(true);
  expect(data.company.items.nodes).toEqual(
    inFull.map((item) => ({
      ...item,
      baseUnitOfMeasure: { ...item.baseUnitOfMeasure, unitConversion: null },
    })),
  );
  expect(await paths(sandbox)).toEqual([
    `GET /items?$select=id,number,itemCategoryId,itemCategoryCode,baseUnitOfMeasureId,baseUnitOfMeasureCode&${expand}`,
  ]);
});

test.for([
  ['an item', 'query ($id: UUID!) { company { item(id: $id, version: V1) { number } } }'],
  ['a list', '{ company { items(version: V1) { nodes { number } } } }'],
] as const)(
  '%s in the v1.0 shape is UPSTREAM_NOT_CONFIGURED and names the setting',
  async ([, query], { layer, sandbox }) => {
    const { data, errors } = await layer.query(query, { id });

    expect(Object.values(data.company)).toEqual([null]);
    expect(errors).toMatchObject([
      {
        message: expect.stringContaining('BUSINESS_ITEM_V1'),
        extensions: { code: 'UPSTREAM_NOT_CONFIGURED', upstream: 'business' },
      },
    ]);
    expect(await sandbox.calls()).toEqual([]);
  },
);
