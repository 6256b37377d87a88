import { describe, expect, test } from 'vitest';
import type { Json } from '../support/json.ts';
import { company, useSandbox } from './caller.ts';

const document = useSandbox();
const dynamics = useSandbox({ dialect: 'dynamics' });

const refused = (code: string) => ({ status: 400, body: { error: { code } } });

const changes = [
  ['customers', { phoneNumber: '+1 555 0100' }],
  ['items', { unitPrice: 12.5 }],
  ['salesOrders', { externalDocumentNumber: 'PO-1' }],
  ['employees', { jobTitle: 'Chief' }],
] as const;

describe.each([
  ['document', document, { missing: 428, stale: 412, taken: 409 }],
  ['dynamics', dynamics, { missing: 400, stale: 409, taken: 400 }],
] as const)('updates in %s', (_dialect, sandbox, statuses) => {
  const read = async (path: string): Promise<Json> => (await sandbox.get(path)).body;

  /** The first record that passes a filter, with its address. */
  async function pick(set: string, filter = ''): Promise<{ path: string; record: Json }> {
    const [first] = await sandbox.list(`${company}/${set}?$top=1${filter && `&$filter=${filter}`}`);
    const path = `${company}/${set}(${first.id})`;
    return { path, record: await read(path) };
  }

  test.each(changes)(
    'A.update.12 A PATCH of %s needs the current tag and changes it',
    async (set, change) => {
      const { path, record } = await pick(set);
      const etag = record['@odata.etag'];

      expect((await sandbox.patch(path, undefined, change)).status).toBe(statuses.missing);
      expect((await sandbox.patch(path, 'W/abc', change)).status).toBe(400);
      expect((await read(path))['@odata.etag']).toBe(etag);
      const reply = await sandbox.patch(path, etag, change);
      expect(reply).toMatchObject({ status: 200, body: change });
      expect((await sandbox.patch(path, etag, change)).status).toBe(statuses.stale);
      expect(await read(path)).toEqual(reply.body);
    },
  );

  test("A.recalc.9 An order's totals and those of its lines follow the changes, in the response and afterwards", async () => {
    const { path, record } = await pick('salesOrders', 'totalTaxAmount gt 50 and discountAmount eq 0');
    const expanded = `${path}?$expand=salesOrderLines`;
    const sum = (body: Json, name: string) =>
      body.salesOrderLines.reduce((total: number, line: Json) => total + line[name], 0);
    const discounted = await sandbox.patch(expanded, '*', { discountAmount: 10 });
    const { body } = discounted;

    expect(body.totalAmountExcludingTax).toBeCloseTo(record.totalAmountExcludingTax - 10, 2);
    expect(body.totalTaxAmount).toBeLessThan(record.totalTaxAmount);
    expect(body.totalAmountIncludingTax).toBeCloseTo(body.totalAmountExcludingTax + body.totalTaxAmount, 2);
    expect(sum(body, 'netAmount')).toBeCloseTo(body.totalAmountExcludingTax, 2);
    expect(sum(body, 'netTaxAmount')).toBeCloseTo(body.totalTaxAmount, 2);
    expect(await read(expanded)).toEqual(body);

    const [untaxed] = await sandbox.list(`${company}/customers?$top=1&$filter=taxLiable eq false`);
    const moved = (await sandbox.patch(expanded, '*', { customerId: untaxed.id })).body;
    expect(moved).toMatchObject({ customerNumber: untaxed.number, totalTaxAmount: 0, discountAmount: 10 });
    expect(moved.totalAmountIncludingTax).toBe(moved.totalAmountExcludingTax);
    expect(moved.salesOrderLines.every((line: Json) => line.taxPercent === 0)).toBe(true);
  });

  test('A.recalc.10 Prices that include tax have a lower amount without it', async () => {
    const { path, record } = await pick(
      'salesOrders',
      'totalTaxAmount gt 50 and discountAmount eq 0 and pricesIncludeTax eq false',
    );
    const { body } = await sandbox.patch(path, '*', { pricesIncludeTax: true });

    expect(body.totalAmountIncludingTax).toBeCloseTo(record.totalAmountExcludingTax, 0);
    expect(body.totalAmountExcludingTax).toBeLessThan(record.totalAmountExcludingTax);
  });

  test('A.recalc.11 A discount above the amount, an unknown customer or unknown terms change nothing of an order', async () => {
    const { path, record } = await pick('salesOrders');

    for (const body of [
      { discountAmount: record.totalAmountExcludingTax + 1, externalDocumentNumber: 'PO-9' },
      { discountAmount: -1 },
      { customerNumber: 'NOBODY' },
      { customerId: '00000000-0000-0000-0000-000000000000' },
      { paymentTermsId: record.id },
    ]) {
      expect(await sandbox.patch(path, '*', body)).toMatchObject(refused('Application_DialogException'));
    }
    expect(await read(path)).toEqual(record);
  });

  test.each(['number', 'status', 'customerName', 'billToCity', 'totalAmountIncludingTax', 'fullyShipped'])(
    'A.recalc.12 The read-only %s of an order cannot be changed',
    async (name) => {
      const { path, record } = await pick('salesOrders');

      expect(await sandbox.patch(path, '*', { [name]: record[name] })).toMatchObject(
        refused('BadRequest_InvalidOperation'),
      );
    },
  );

  test('A.recalc.13 Lines cannot be changed through their order, under any name', async () => {
    const { path, record } = await pick('salesOrders');

    for (const name of ['documentLines', 'salesOrderLines']) {
      expect((await sandbox.patch(path, '*', { [name]: [] })).status).toBe(400);
    }
    expect(await read(path)).toEqual(record);
  });

  test("A.recalc.14 An employee's displayName follows a changed name, and a taken number is refused", async () => {
    const { path, record } = await pick('employees');
    const [other] = await sandbox.list(`${company}/employees?$top=1&$filter=id ne ${record.id}`);
    const reply = await sandbox.patch(path, record['@odata.etag'], { givenName: 'Anthony' });

    expect(reply.body).toMatchObject({
      givenName: 'Anthony',
      surname: record.surname,
      displayName: `Anthony ${record.surname}`,
    });
    expect(await sandbox.patch(path, '*', { number: other.number })).toMatchObject({
      status: statuses.taken,
      body: { error: { code: 'Internal_EntityWithSameKeyExists' } },
    });
  });
});
