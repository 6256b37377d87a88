import { expect, test } from 'vitest';
import { startTestLayer } from '../../support/layer.ts';
import { startStub } from '../../support/stub.ts';

const idOf = (n: number) => `5d115c9c-44e3-4a11-bb43-${String(n).padStart(12, '0')}`;
const items = [1, 2].map((n) => ({ id: idOf(n), number: `100${n}`, displayName: `Item ${n}` }));

/** An upstream with one order, one quote and two items, in v2.0 alone where said so. It expands nothing but lines. */
async function withLines(lines: object[], settings = {}, isInV2 = true) {
  const upstream = await startStub(({ target }) => {
    if (target.includes('/items')) return { body: { value: isInV2 || target.includes('v1.0') ? items : [] } };
    if (target.includes('/currencies')) return { body: { id: idOf(7), code: 'NOK' } };
    if (target.includes('/sales'))
      return {
        body: {
          value: [{ id: idOf(5), currencyId: idOf(7), salesOrderLines: lines, salesQuoteLines: lines }],
        },
      };
    return { body: { value: [] } };
  });
  const layer = await startTestLayer(upstream.url, settings);
  return {
    ...layer,
    stop: async () => {
      await layer.stop();
      upstream.stop();
    },
  };
}

test('a line without a type finds its item by number', async () => {
  const layer = await withLines([{ itemNo: '1001' }, { itemNo: '1002' }]);
  const { data } = await layer.query(
    '{ company { salesOrders { nodes { documentLines { item { displayName } } } } } }',
  );
  await layer.stop();
  expect(data.company.salesOrders.nodes[0].documentLines.map(({ item }: { item: unknown }) => item)).toEqual([
    { displayName: 'Item 1' },
    { displayName: 'Item 2' },
  ]);
});

test('lines of quotes find their items by number, too', async () => {
  const layer = await withLines([{ lineType: 'Item', itemNo: '1002' }]);
  const { data } = await layer.query(
    '{ company { salesQuotes { nodes { salesQuoteLines { item { displayName } } } } } }',
  );
  await layer.stop();
  expect(data.company.salesQuotes.nodes[0].salesQuoteLines).toEqual([{ item: { displayName: 'Item 2' } }]);
});

test('in the dialect dynamics the number of a line never names an item', async () => {
  const layer = await withLines(
    [
      {
        lineType: 'Item',
        lineObjectNumber: '1002',
        itemId: idOf(0).replace(/.*/, '00000000-0000-0000-0000-000000000000'),
      },
    ],
    { BUSINESS_DIALECT: 'dynamics' },
  );
  const { data } = await layer.query(
    '{ company { salesOrders { nodes { documentLines { lineType itemNo item { displayName } } } } } }',
  );
  await layer.stop();
  expect(data.company.salesOrders.nodes[0].documentLines).toEqual([
    { lineType: 'Item', itemNo: '1002', item: null },
  ]);
});

test("a currency that was not returned with its order is read by the order's currencyId", async () => {
  const layer = await withLines([]);
  const { data } = await layer.query('{ company { salesOrders { nodes { currency { code } } } } }');
  await layer.stop();
  expect(data.company.salesOrders.nodes[0].currency).toEqual({ code: 'NOK' });
});

test('an item that v2.0 does not have is null, whatever v1.0 returns', async () => {
  const layer = await withLines([{ lineType: 'Item', itemNo: '1002' }], {}, false);
  const { data } = await layer.query(
    '{ company { salesOrders { nodes { documentLines { item { number itemCategoryCode baseUnitOfMeasure { unitName } } } } } } }',
  );
  await layer.stop();
  expect(data.company.salesOrders.nodes[0].documentLines).toEqual([{ item: null }]);
});
