import { expect } from 'vitest';
import { sandboxExamples } from '../../../sandbox/seed.ts';
import { testWith } from '../../support/layer.ts';
import type { TestSandbox } from '../../support/sandbox.ts';

const test = testWith({ itemV1: false }, { BUSINESS_ITEM_V1: 'off' });

const { itemId: id } = sandboxExamples;

const paths = async (sandbox: TestSandbox) =>
  (await sandbox.calls()).map(
    ({ method, path }) => `${method} ${path.replace(/.*\/companies\([^)]*\)/, '')}`,
  );

test('a list has what the v1.0 shape describes, except the conversion, in one call', async ({
  layer,
  sandbox,
}) => {
  const data = await layer.read(
    `{ company { items(first: 2) { nodes { itemCategory { code description }
      baseUnitOfMeasure { unitCode unitName unitConversion { fromToConversionRate } } } } } }`,
  );

  const word = expect.stringMatching(/\w/);
  expect(data.company.items.nodes[0]).toEqual({
    itemCategory: { code: word, description: word },
    baseUnitOfMeasure: { unitCode: word, unitName: word, unitConversion: null },
  });
  expect(await paths(sandbox)).toEqual([
    expect.stringContaining('$expand=itemCategory($select=id,displayName),unitOfMeasure($select='),
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
