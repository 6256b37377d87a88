import { describe, expect, test } from 'vitest';
import type { Json } from '../support/json.ts';
import { company, useSandbox } from './caller.ts';

const document = useSandbox();
const dynamics = useSandbox({ dialect: 'dynamics' });

const total = (rows: readonly Json[], field: string): number =>
  rows.reduce((sum, row) => sum + row[field], 0);
const linesOf = (set: string) => `${set.slice(0, -1)}Lines`;
const sets = ['salesQuotes', 'salesShipments', 'purchaseOrders'];

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
    for (const set of ['salesShipments', 'salesInvoices']) {
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
});
