import { expect } from 'vitest';
import { testWith } from '../../support/layer.ts';

const test = testWith({}, { EXTENSIONS: 'test/fixtures/item-extension' });

interface Item {
  readonly number: string;
  readonly unitPrice: string;
  readonly priceTag: string;
}

const tagOf = ({ number, unitPrice }: Item) => `${number}: ${unitPrice}`;

test.for([['number unitPrice'], ['number unitPrice baseUnitOfMeasure { unitName }']])(
  'items beside `%s` have the columns that a field reads',
  async ([fields], { layer }) => {
    const list = (more: string) => `{ company { items(first: 5) { nodes { ${fields} ${more} } } } }`;
    const { data, errors } = await layer.query(list('priceTag'));
    const alone = await layer.query(
      '{ company { items(first: 5) { nodes { baseUnitOfMeasure { unitName } priceTag } } } }',
    );

    expect(errors).toBeUndefined();
    const wanted = data.company.items.nodes.map(tagOf);
    expect(data.company.items.nodes.map(({ priceTag }: Item) => priceTag)).toEqual(wanted);
    expect(alone.data.company.items.nodes.map(({ priceTag }: Item) => priceTag)).toEqual(wanted);
  },
);

test('lines, their items and companies have them, too', async ({ layer }) => {
  const { data, errors } =
    await layer.query(`{ company { id ownId salesOrders(first: 3) { nodes { documentLines {
    quantity half item { number unitPrice priceTag } other: item { priceTag baseUnitOfMeasure { unitName } }
  } } } } }`);

  expect(errors).toBeUndefined();
  expect(data.company.ownId).toBe(data.company.id);
  const lines = data.company.salesOrders.nodes.flatMap(
    ({ documentLines }: { readonly documentLines: readonly unknown[] }) => documentLines,
  );
  expect(lines.length).toBeGreaterThan(2);
  for (const { quantity, half, item, other } of lines) {
    expect(half).toBe(Number(quantity) / 2);
    if (item) expect([item.priceTag, other.priceTag]).toEqual([tagOf(item), tagOf(item)]);
  }
});
