import { describe, expect } from 'vitest';
import type { Json } from '../../support/json.ts';
import { test as documented, testWith } from '../../support/layer.ts';

describe.each([
  ['document', documented],
  ['dynamics', testWith({ dialect: 'dynamics' }, { BUSINESS_DIALECT: 'dynamics' })],
] as const)('shipments in the dialect %s', (_dialect, test) => {
  test('the items of all lines are loaded by their numbers, in one call', async ({ layer, sandbox }) => {
    const { data, errors } = await layer.query(`{ company { salesShipments(first: 20) { nodes {
      number currencyCode paymentTermsCode
      salesShipmentLines { documentNo lineType itemNo currencyCode unitPrice quantity item { number } }
    } } } }`);

    expect(errors).toBeUndefined();
    const shipments: Json[] = data.company.salesShipments.nodes;
    const lines = shipments.flatMap(({ salesShipmentLines }) => salesShipmentLines);
    for (const { number, currencyCode, paymentTermsCode, salesShipmentLines } of shipments) {
      expect(paymentTermsCode).toMatch(/\w/);
      for (const line of salesShipmentLines) expect(line).toMatchObject({ documentNo: number, currencyCode });
    }
    for (const { lineType, itemNo, item } of lines)
      expect(item).toEqual(lineType === 'Item' ? { number: itemNo } : null);
    expect(new Set(lines.map(({ lineType }) => lineType))).toEqual(new Set(['Item', 'G/L Account', null]));
    const [list, items, ...others] = (await sandbox.calls()).map(({ path }) => decodeURIComponent(path));
    expect(list).toContain('$expand=salesShipmentLines(');
    expect(items).toMatch(/\/items\?.*number eq '/);
    expect(others).toEqual([]);
  });

  test("an order's number is text in the filter of its shipments, whatever it contains", async ({
    layer,
    sandbox,
  }) => {
    const value = [{ id: '11111111-0000-4000-8000-000000000000', number: "S' or 1 eq 1" }];
    await sandbox.fault({ path: '/salesOrders', status: 200, body: { value } });

    const { data, errors } = await layer.query(
      '{ company { salesOrders { nodes { salesShipments { totalCount nodes { id } } } } } }',
    );

    expect(errors).toBeUndefined();
    expect(data.company.salesOrders.nodes).toEqual([{ salesShipments: { totalCount: 0, nodes: [] } }]);
    const [, shipments] = await sandbox.calls();
    expect(new URLSearchParams(shipments?.path.split('?')[1]).get('$filter')).toBe(
      "orderNumber eq 'S'' or 1 eq 1'",
    );
  });

  test('an order without a number has no shipments, and none are asked for', async ({ layer, sandbox }) => {
    const value = [{ id: '11111111-0000-4000-8000-000000000000', number: '' }];
    await sandbox.fault({ path: '/salesOrders', status: 200, body: { value } });

    const { data, errors } = await layer.query(
      '{ company { salesOrders { nodes { salesShipments { totalCount nodes { id } pageInfo { hasNextPage } } } } } }',
    );

    expect(errors).toBeUndefined();
    expect(data.company.salesOrders.nodes).toEqual([
      { salesShipments: { totalCount: 0, nodes: [], pageInfo: { hasNextPage: false } } },
    ]);
    expect(await sandbox.calls()).toHaveLength(1);
  });
});
