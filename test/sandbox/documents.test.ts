import { describe, expect, test } from 'vitest';
import type { Json } from '../support/json.ts';
import { company, useSandbox } from './caller.ts';

const document = useSandbox();
const dynamics = useSandbox({ dialect: 'dynamics' });

const total = (rows: readonly Json[], field: string): number =>
  rows.reduce((sum, row) => sum + row[field], 0);
const linesOf = (set: string) => `${set.slice(0, -1)}Lines`;
const sets = [
  'salesQuotes',
  'salesInvoices',
  'salesShipments',
  'salesCreditMemos',
  'purchaseOrders',
  'purchaseInvoices',
];

describe.each([
  ['document', document],
  ['dynamics', dynamics],
] as const)('documents of %s', (_dialect, sandbox) => {
  test.each(sets)('A.posted.3 %s expand their partner, their lines and the items of lines', async (set) => {
    const lines = linesOf(set);
    const partner = set.startsWith('sales') ? 'customer' : 'vendor';
    const nested = set === 'salesShipments' ? '' : '?$expand=item';
    const all = await sandbox.list(
      `${company}/${set}?$expand=${partner},${lines}${nested && '($expand=item)'}`,
    );
    const [plain] = await sandbox.list(`${company}/${set}?$top=1`);
    const below = await sandbox.list(`${company}/${set}(${plain.id})/${lines}${nested}`);

    expect(plain).not.toHaveProperty(lines);
    expect(below).toEqual(all.find(({ id }) => id === plain.id)[lines]);
    for (const one of all) {
      expect(one[partner].number).toBe(one[`${partner}Number`]);
      for (const line of one[lines]) expect(line.documentId).toBe(one.id);
      if (set === 'salesShipments') continue;
      expect(one.totalAmountExcludingTax).toBeCloseTo(total(one[lines], 'netAmount'), 2);
      expect(one.totalAmountIncludingTax).toBeCloseTo(total(one[lines], 'netAmountIncludingTax'), 2);
    }
    if (set !== 'salesShipments')
      expect(all.some((one) => one[lines].some(({ item }: Json) => item))).toBe(true);
  });

  test('A.posted.2 No posted document is changed or deleted, and no shipment created', async () => {
    for (const set of ['salesShipments', 'salesInvoices', 'salesCreditMemos', 'purchaseInvoices']) {
      const isShipment = set === 'salesShipments';
      const one = await sandbox.first(set, isShipment ? "number ne ''" : "status eq 'Open'");
      const path = `${company}/${set}(${one.id})`;
      const [line] = await sandbox.list(`${path}/${linesOf(set)}`);
      const replies = [
        await sandbox.patch(path, '*', { postingDate: '2025-01-01' }),
        await sandbox.send('DELETE', path),
        await sandbox.post(`${company}/${linesOf(set)}`, { documentId: one.id, lineType: 'Comment' }),
        await sandbox.patch(`${company}/${linesOf(set)}(${line.id})`, '*', { quantity: 1 }),
      ];

      expect(
        replies.map(({ status }) => status),
        set,
      ).toEqual(Array(4).fill(isShipment ? 405 : 400));
      if (!isShipment) expect(replies[0]?.body.error.message).toContain('has been posted');
      expect(await sandbox.first(set, isShipment ? "number ne ''" : "status eq 'Open'")).toEqual(one);
    }
    expect((await sandbox.post(`${company}/salesShipments`, { customerNumber: 'C10000' })).status).toBe(405);
  });

  test('A.purchase.2 An order is created with its lines, all or nothing, shipped to the company itself', async () => {
    const [own] = await sandbox.list(`${company}/companyInformation`);
    const seller = await sandbox.first('vendors', "number eq 'V10010'");
    const [orders, lines] = [`${company}/purchaseOrders`, 'purchaseOrderLines'];
    const create = (purchaseOrderLines: Json[], vendorNumber = 'V10010') =>
      sandbox.post(`${orders}?$expand=${lines}`, { vendorNumber, purchaseOrderLines });
    const { status, body } = await create([
      { lineType: 'Item', lineObjectNumber: '1000', quantity: 3, directUnitCost: 10, discountPercent: 10 },
      { lineType: 'Account', lineObjectNumber: '6810', quantity: 1, directUnitCost: 5 },
    ]);

    expect(status).toBe(201);
    expect(body).toMatchObject({
      number: 'P-ORD106061',
      status: 'Draft',
      vendorId: seller.id,
      payToVendorId: seller.id,
      buyFromCity: seller.city,
      shipToName: own.displayName,
      totalAmountExcludingTax: 32,
      [lines]: [
        { sequence: 10_000, discountAmount: 3, netAmount: 27, receiveQuantity: 3, receivedQuantity: 0 },
        { sequence: 20_000, netAmount: 5, lineObjectNumber: '6810' },
      ],
    });
    expect((await create([{ lineObjectNumber: 'NONE', quantity: 1 }])).status).toBe(400);
    expect((await create([], '')).status).toBe(400);
    expect(await sandbox.count(orders)).toBe(61);
  });

  test('A.vendor.1 A vendor is created with the next number and the defaults, changed and deleted', async () => {
    const vendors = `${company}/vendors`;
    const { body } = await sandbox.post(vendors, { displayName: 'Timber & Co', country: 'se' });
    const used = await sandbox.first('vendors', "number eq 'V10010'");
    const path = `${vendors}(${body.id})`;

    expect(body).toMatchObject({ number: 'V10400', country: 'SE', balance: 0, currencyCode: 'USD' });
    expect((await sandbox.patch(path, body['@odata.etag'], { blocked: 'Payment' })).body.blocked).toBe(
      'Payment',
    );
    expect((await sandbox.send('DELETE', path)).status).toBe(204);
    for (const wrong of [{}, { displayName: 'A', balance: 5 }, { displayName: 'A', number: 'V10000' }])
      expect((await sandbox.post(vendors, wrong)).status).toBeGreaterThanOrEqual(400);
    expect((await sandbox.send('DELETE', `${vendors}(${used.id})`)).body.error.message).toContain(
      `You cannot delete Vendor ${used.number} because there is at least one outstanding Purchase Order`,
    );
  });
});
