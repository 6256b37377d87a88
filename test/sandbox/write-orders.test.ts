import { describe, expect, test } from 'vitest';
import type { Json } from '../support/json.ts';
import { company, useSandbox } from './caller.ts';

const document = useSandbox();
const dynamics = useSandbox({ dialect: 'dynamics' });

const orders = `${company}/salesOrders`;
const expanded = '$expand=salesOrderLines';
const refused = { status: 400, body: { error: { code: 'Application_DialogException' } } };

describe.each([
  ['document', document],
  ['dynamics', dynamics],
] as const)('side effects of order updates in %s', (_dialect, sandbox) => {
  const read = async (path: string): Promise<Json> => (await sandbox.get(path)).body;
  const customersWhere = (filter: string): Promise<Json[]> =>
    sandbox.list(`${company}/customers?$top=2&$filter=${filter}`);
  const count = () => sandbox.count(orders);

  /** An order of a customer who pays taxes, with lines of so many pieces at 10 each. */
  async function order(quantities: readonly number[], more: Json = {}) {
    const [customer] = await customersWhere('taxLiable eq true');
    const [item] = await sandbox.list(`${company}/items?$top=1&$filter=taxGroupCode eq 'FURNITURE'`);
    const lines = quantities.map((quantity) => ({ itemId: item.id, quantity, unitPrice: 10 }));
    const body = { customerId: customer.id, salesOrderLines: lines, ...more };
    const made = await sandbox.post(`${orders}?${expanded}`, body);
    return { ...made, path: `${orders}(${made.body.id})`, customer };
  }

  test('A.recalc.15 A discount requires an amount; without one, returns may exceed sales', async () => {
    const before = await count();

    expect(await order([], { discountAmount: 1 })).toMatchObject(refused);
    expect(await order([2], { discountAmount: 20.01 })).toMatchObject(refused);
    expect(await order([-1], { discountAmount: 1 })).toMatchObject(refused);
    expect(await count()).toBe(before);
    const empty = await order([]);
    expect(await sandbox.patch(empty.path, '*', { discountAmount: 1 })).toMatchObject(refused);
    expect(await order([2], { discountAmount: 20 })).toMatchObject({
      status: 201,
      body: { totalAmountExcludingTax: 0, totalAmountIncludingTax: 0 },
    });
    expect(await order([1, -2])).toMatchObject({
      status: 201,
      body: { totalAmountExcludingTax: -10, totalTaxAmount: -0.6, totalAmountIncludingTax: -10.6 },
    });
  });

  test('A.recalc.16 A PATCH with the current customer copies no fields', async () => {
    const { path, customer } = await order([1]);
    const other = `$filter=id ne ${customer.shipmentMethodId}`;
    const [method] = await sandbox.list(`${company}/shipmentMethods?$top=1&${other}`);
    const own = { sellToCity: 'Bergen', shipToName: 'Warehouse 4', shipmentMethodId: method.id };
    const before = (await sandbox.patch(path, '*', own)).body;

    for (const again of [{ customerId: customer.id }, { customerNumber: customer.number.toLowerCase() }]) {
      expect((await sandbox.patch(path, '*', again)).body).toMatchObject(own);
    }
    const { '@odata.etag': _tag, lastModifiedDateTime: _time, documentLines: _lines, ...kept } = before;
    expect(await read(path)).toMatchObject(kept);
  });

  test('A.recalc.17 A new bill-to customer changes the billing fields only, and a new customer replaces it', async () => {
    const { path, customer } = await order([1]);
    const [payer] = await customersWhere(`id ne ${customer.id}`);
    const [another] = await customersWhere(`id ne ${customer.id} and id ne ${payer.id}`);
    const paid = (await sandbox.patch(path, '*', { billToCustomerId: payer.id })).body;
    const moved = (await sandbox.patch(path, '*', { customerNumber: another.number })).body;

    expect(paid).toMatchObject({
      customerName: customer.displayName,
      sellToCity: customer.city,
      billToCustomerNumber: payer.number,
      billToName: payer.displayName,
      billToCity: payer.city,
    });
    expect(moved).toMatchObject({ customerName: another.displayName, billToName: another.displayName });
    const both = { customerId: customer.id, billToCustomerId: payer.id };
    expect((await sandbox.patch(path, '*', both)).body).toMatchObject({
      ...both,
      customerName: customer.displayName,
      billToName: payer.displayName,
    });
  });

  test('A.recalc.18 Taxes of an order follow a new customer, not changes of the current one', async () => {
    const { path, body, customer } = await order([2]);
    await sandbox.patch(`${company}/customers(${customer.id})`, '*', { taxLiable: false });
    const changed = (await sandbox.patch(path, '*', { externalDocumentNumber: 'PO-1' })).body;
    const [untaxed] = await customersWhere(`taxLiable eq false and id ne ${customer.id}`);
    const moved = (await sandbox.patch(path, '*', { customerId: untaxed.id })).body;

    expect(body).toMatchObject({ totalTaxAmount: 1.2, totalAmountIncludingTax: 21.2 });
    expect(changed).toMatchObject({ totalTaxAmount: 1.2, totalAmountIncludingTax: 21.2 });
    expect(moved).toMatchObject({ totalTaxAmount: 0, totalAmountIncludingTax: 20 });
  });

  test('A.recalc.20 An amount that overflows is rejected, and nothing is written', async () => {
    const { path, body, customer } = await order([1]);
    const before = await count();
    const line = `{"itemId":"${body.salesOrderLines[0].itemId}","quantity":1e200,"unitPrice":1e200}`;
    const reply = await sandbox.send('POST', orders, {
      headers: { 'content-type': 'application/json' },
      body: `{"customerId":"${customer.id}","salesOrderLines":[${line}]}`,
    });

    expect(reply).toMatchObject(refused);
    expect(await count()).toBe(before);
    expect(await sandbox.patch(path, '*', { discountAmount: 1e300 })).toMatchObject(refused);
    expect((await read(`${path}?${expanded}`))['@odata.etag']).toBe(body['@odata.etag']);
  });
});
