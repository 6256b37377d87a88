import { describe, expect, test } from 'vitest';
import type { Json } from '../support/json.ts';
import { company, useSandbox } from './caller.ts';

const sandbox = useSandbox();

const sets = ['customers', 'items', 'salesOrders', 'employees'];
const total = (lines: readonly Json[], name: string): number =>
  lines.reduce((sum, line) => sum + line[name], 0);
const valuesOf = async (set: string, field: string) =>
  [...new Set((await sandbox.list(`${company}/${set}`)).map((one) => one[field]))].sort();

describe('values', () => {
  test('A.values.1 Identifiers, dates and date-times have the documented formats', async () => {
    const formats: [RegExp, RegExp][] = [
      [/^id$|Id$/, /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/],
      [/Date$/, /^\d{4}-\d\d-\d\d$/],
      [/DateTime$/, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/],
    ];
    const wrong: string[] = [];
    for (const set of sets)
      for (const record of await sandbox.list(`${company}/${set}`))
        for (const [name, value] of Object.entries(record)) {
          const format = formats.find(([names]) => names.test(name))?.[1];
          if (value === null || format?.test(String(value)) === false) wrong.push(`${set}.${name}: ${value}`);
        }
    expect(wrong).toEqual([]);
  });
});

describe('seed', () => {
  test('S.seed.1 There are two companies with the documented records', async () => {
    const sizes: number[][] = [];
    for (const { id } of await sandbox.list('/api/v2.0/companies'))
      sizes.push(await Promise.all(sets.map((set) => sandbox.count(`/api/v2.0/companies(${id})/${set}`))));

    expect(sizes).toEqual([
      [300, 120, 240, 40],
      [100, 40, 80, 13],
    ]);
  });

  test('S.seed.2 Orders refer to existing customers and items, and their totals are those of their lines', async () => {
    const idsOf = async (set: string) =>
      new Set((await sandbox.list(`${company}/${set}?$select=id`)).map(({ id }) => id));
    const [customers, items] = [await idsOf('customers'), await idsOf('items')];

    for (const order of await sandbox.list(`${company}/salesOrders`)) {
      const lines: Json[] = order.documentLines;
      expect(customers.has(order.customerId) && customers.has(order.billToCustomerId)).toBe(true);
      expect(lines.map(({ lineNo }) => lineNo)).toEqual(lines.map((_, index) => (index + 1) * 10_000));
      expect(lines.every((line) => line.lineType !== 'Item' || items.has(line.itemId))).toBe(true);
      expect(order.totalAmountExcludingTax).toBeCloseTo(total(lines, 'netAmount'), 2);
      expect(order.totalTaxAmount).toBeCloseTo(total(lines, 'netTaxAmount'), 2);
      expect(order.totalAmountIncludingTax).toBeCloseTo(total(lines, 'netAmountIncludingTax'), 2);
      expect(total(lines, 'invoiceDiscountAllocation')).toBeCloseTo(order.discountAmount, 2);
    }
  });

  test.each([
    ['items', 'type', ['Inventory', 'Non-Inventory', 'Service']],
    ['items', 'blocked', [false, true]],
    ['customers', 'blocked', [' ', 'All', 'Invoice', 'Ship']],
    ['salesOrders', 'status', ['Draft', 'In Review', 'Open']],
    ['salesQuotes', 'status', ['Accepted', 'Draft', 'Expired ', 'Sent']],
    ['employees', 'status', ['Active', 'Inactive', 'Terminated']],
    ['accounts', 'accountType', ['Begin-Total', 'End-Total', 'Heading', 'Posting', 'Total']],
  ])('S.seed.3 Every known %s.%s occurs', async (set, field, values) => {
    expect(await valuesOf(set, field)).toEqual(values);
  });
});

describe('long numbers', () => {
  const seeded = '1234567890123456.789';
  const items = `${company}/items`;
  const change = (id: string, body: string) =>
    sandbox.send('PATCH', `${items}(${id})`, {
      headers: { 'if-match': '*', 'content-type': 'application/json' },
      body,
    });

  test.each(['98765432109876543.21', '12345678901234567890', '-9007199254740993'])(
    'A.number.2 A PATCH with %s stores every digit',
    async (digits) => {
      const { id } = await sandbox.first('items', `unitPrice eq ${seeded}`);
      const reply = await change(id, `{"unitPrice":${digits},"unitCost":2.5}`);

      expect(reply.text).toContain(`"unitPrice":${digits},`);
      expect(reply.body.unitCost).toBe(2.5);
      expect((await sandbox.get(`${items}(${id})`)).text).toContain(`"unitPrice":${digits},`);
    },
  );

  test('A.number.3 A filter and $orderby compare every digit', async () => {
    const near = '1234567890123456.788';
    const count = async (filter: string) =>
      (await sandbox.list(`${items}?$filter=unitPrice ${filter}`)).length;
    // Both are the same double.
    expect(Number(near)).toBe(Number(seeded));
    expect([await count(`eq ${seeded}`), await count(`eq ${near}`), await count(`gt ${near}`)]).toEqual([
      1, 0, 1,
    ]);

    const [one, other] = await sandbox.list(`${items}?$filter=blocked eq false&$top=2`);
    await change(one.id, `{"unitPrice":${near}}`);
    await change(other.id, '{"unitPrice":1234567890123456.790}');
    const dearest = await sandbox.list(`${items}?$orderby=unitPrice desc&$top=3`);
    expect(dearest.map(({ id }) => id)).toEqual([other.id, expect.any(String), one.id]);
  });
});
