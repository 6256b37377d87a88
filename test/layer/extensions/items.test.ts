import { expect } from 'vitest';
import { testWith } from '../../support/layer.ts';

const test = testWith({}, { EXTENSIONS: 'test/fixtures/item-extension' });

interface Item {
  readonly number: string;
  readonly unitPrice: string;
  readonly priceTag: string;
}

const tagOf = ({ number, unitPrice }: Item) => `${number}: ${unitPrice}`;

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
