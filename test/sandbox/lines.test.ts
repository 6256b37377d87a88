import { describe, expect, test } from 'vitest';
import type { Json } from '../support/json.ts';
import { company, useSandbox } from './caller.ts';

const document = useSandbox();
const dynamics = useSandbox({ dialect: 'dynamics' });

describe.each([
  ['document', document, 'itemNo'],
  ['dynamics', dynamics, 'lineObjectNumber'],
] as const)('lines as their own set, %s', (_dialect, sandbox, object) => {
  describe.each([
    ['salesOrderLines', 'salesOrders'],
    ['salesQuoteLines', 'salesQuotes'],
  ])('%s', (set, owners) => {
    const lines = `${company}/${set}`;
    const some = () => sandbox.list(`${company}/${owners}?$expand=${set}&$filter=number ne ''&$top=9`);
    const withSeveral = async () => (await some()).filter((one) => one[set].length > 1);

    test.each(['', '?$filter=quantity gt 1', '?$top=1'])(
      'A.lines.1 Lines cannot be listed without their document (%s)',
      async (rest) => {
        const { status, body } = await sandbox.get(lines + rest);

        expect(status).toBe(400);
        expect(body.error.message).toMatch(
          /^You must specify an Id or a Document Id to get the lines\. {2}Corr/,
        );
      },
    );

    test('A.lines.4 One line is found by its id in the path', async () => {
      const [owner] = await withSeveral();
      const line = owner[set][1];

      expect((await sandbox.get(`${lines}(${line.id})`)).body).toMatchObject(line);
      expect((await sandbox.get(`${lines}(${owner.id})`)).status).toBe(404);
    });

    test('A.lines.9 Items, accounts and comments occur, each with its fields', async () => {
      const all: Json[] = (
        await sandbox.list(`${company}/${owners}?$expand=${set}($expand=account,item)`)
      ).flatMap((owner) => owner[set]);
      const ofType = (type: string) => all.filter((line) => line.lineType === type);
      const itemNumber = (line: Json) => line[object];

      expect(new Set(all.map((line) => line.lineType))).toEqual(new Set(['Item', 'Account', 'Comment']));
      expect(ofType('Item').every((line) => itemNumber(line) === line.item.number && !line.account)).toBe(
        true,
      );
      expect(ofType('Account').every((line) => line.account.id === line.accountId && !line.item)).toBe(true);
      expect(ofType('Account').every((line) => line.description === 'Freight')).toBe(true);
      expect(ofType('Comment').every((line) => line.quantity === 0 && itemNumber(line) === '')).toBe(true);
    });
  });
});

describe('line fields', () => {
  test('A.lines.10 Each line returns its share of the discount of an order', async () => {
    const [order] = await document.list(`${company}/salesOrders?$filter=discountAmount gt 0&$top=1`);
    const shares = order.documentLines.map((line: Json) => line.invoiceDiscountAllocation);

    expect(shares.reduce((sum: number, share: number) => sum + share, 0)).toBeCloseTo(
      order.discountAmount,
      2,
    );
    for (const line of order.documentLines) {
      expect(line.netAmount).toBeCloseTo(line.amountExcludingTax - line.invoiceDiscountAllocation, 2);
    }
  });

  test('A.lines.11 lineObjectNumber of a line of an account is the number of the account', async () => {
    const lines: Json[] = (
      await dynamics.list(`${company}/salesOrders?$expand=salesOrderLines($expand=account)`)
    ).flatMap((order) => order.salesOrderLines);
    const ofAccounts = lines.filter((line) => line.lineType === 'Account');

    expect(ofAccounts.length).toBeGreaterThan(0);
    expect(ofAccounts.every((line) => line.lineObjectNumber === line.account.number)).toBe(true);
  });

  test('A.lines.12 Some lines name a variant, a location and a second description', async () => {
    const orders = await document.list(`${company}/salesOrders?$expand=salesOrderLines`);
    const lines: Json[] = orders.flatMap((order) => order.salesOrderLines);
    const unset = '00000000-0000-0000-0000-000000000000';

    for (const [field, blank] of [
      ['itemVariantId', unset],
      ['locationId', unset],
      ['description2', ''],
    ] as const) {
      expect(lines.some((line) => line[field] === blank) && lines.some((line) => line[field] !== blank)).toBe(
        true,
      );
    }
  });

  test('A.expand.6 Lines, items, categories and orders expand to several levels', async () => {
    const inner = 'item($expand=itemCategory,unitOfMeasure,inventoryPostingGroup,generalProductPostingGroup)';
    const [order] = await document.list(
      `${company}/salesOrders?$top=1&$filter=currencyId ne 00000000-0000-0000-0000-000000000000&$expand=currency,shipmentMethod,customer($expand=paymentMethod,currency),salesOrderLines($expand=${inner},unitOfMeasure,salesOrder($expand=customer))`,
    );
    const [line] = order.salesOrderLines;

    expect(order.customer.currency.code).toBe(order.currency.code);
    expect(line.salesOrder.customer.id).toBe(order.customerId);
    expect(line.item.unitOfMeasure.code).toBe(line.item.baseUnitOfMeasureCode);
    expect(line.item.generalProductPostingGroup.code).toBe(line.item.generalProductPostingGroupCode);
    expect(line.item.inventoryPostingGroup?.code ?? '').toBe(line.item.inventoryPostingGroupCode);
  });
});
