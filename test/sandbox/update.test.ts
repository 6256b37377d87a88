import { describe, expect, test } from 'vitest';
import type { Json } from '../support/json.ts';
import { company, useSandbox } from './caller.ts';

const sandbox = useSandbox();

const unset = '00000000-0000-0000-0000-000000000000';

async function pick(set: string, filter = ''): Promise<{ path: string; record: Json; etag: string }> {
  const [first] = await sandbox.list(`${company}/${set}?$top=1${filter && `&$filter=${filter}`}`);
  const path = `${company}/${set}(${first.id})`;
  const { body } = await sandbox.get(path);
  return { path, record: body, etag: body['@odata.etag'] };
}

const changes = [
  ['customers', { displayName: 'Renamed' }],
  ['items', { unitPrice: 12.5 }],
  ['salesOrders', { externalDocumentNumber: 'PO-1' }],
  ['employees', { jobTitle: 'Chief' }],
] as const;

describe.each(changes)('update of %s', (set, change) => {
  test('A.update.1 Fields omitted from a PATCH keep their values', async () => {
    const { path, record, etag } = await pick(set);
    const reply = await sandbox.patch(path, etag, change);
    const moved = {
      '@odata.etag': expect.any(String),
      lastModifiedDateTime: expect.any(String),
      ...(set === 'salesOrders' ? { documentLines: expect.any(Array) } : {}),
    };

    expect(reply.status).toBe(200);
    expect(reply.body).toEqual({ ...record, ...change, ...moved });
    expect((await sandbox.get(path)).body).toEqual(reply.body);
  });

  test('A.update.2 The response has a new entity tag and a later time of change', async () => {
    const { path, record, etag } = await pick(set);
    const first = await sandbox.patch(path, etag, change);
    const second = await sandbox.patch(path, first.body['@odata.etag'], change);

    expect(first.body['@odata.etag']).not.toBe(etag);
    expect(second.status).toBe(200);
    expect(first.body.lastModifiedDateTime > record.lastModifiedDateTime).toBe(true);
    expect(second.body.lastModifiedDateTime > first.body.lastModifiedDateTime).toBe(true);
  });

  test('A.update.3 A stale If-Match leaves the record unchanged', async () => {
    const { path, etag } = await pick(set);
    const current = await sandbox.patch(path, etag, change);
    const reply = await sandbox.patch(path, etag, change);

    expect(reply).toMatchObject({ status: 412, body: { error: { code: 'PreconditionFailed' } } });
    expect(reply.body.error.message).toMatch(/^Another user has already changed the record\./);
    expect((await sandbox.get(path)).body).toEqual(current.body);
  });

  test('A.update.4 A PATCH without If-Match is 428 and changes nothing', async () => {
    const { path, record } = await pick(set);

    expect(await sandbox.patch(path, undefined, change)).toMatchObject({
      status: 428,
      body: { error: { code: 'PreconditionRequired' } },
    });
    expect((await sandbox.get(path)).body).toEqual(record);
  });

  test('A.update.5 If-Match * always matches', async () => {
    const { path } = await pick(set);

    expect((await sandbox.patch(path, '*', change)).status).toBe(200);
  });

  test.each(['abc', 'W/abc', 'W/"a'])('A.update.6 A malformed entity tag (%s) is 400', async (tag) => {
    const { path } = await pick(set);

    expect(await sandbox.patch(path, tag, change)).toMatchObject({
      status: 400,
      body: { error: { code: 'BadRequest_InvalidToken' } },
    });
  });

  test('A.update.7 A body that is not declared as JSON is 415', async () => {
    const { path, etag } = await pick(set);
    const headers = { 'if-match': etag, 'content-type': 'text/plain' };

    expect((await sandbox.send('PATCH', path, { headers, body: JSON.stringify(change) })).status).toBe(415);
  });

  test.each([
    ['not JSON', '{"a":'],
    ['a list', '[]'],
    ['a word', '"x"'],
    ['nothing', ''],
  ])('A.update.8 A body that is %s is 400', async (_what, body) => {
    const { path, etag } = await pick(set);
    const headers = { 'if-match': etag, 'content-type': 'application/json' };

    expect(await sandbox.send('PATCH', path, { headers, body })).toMatchObject({
      status: 400,
      body: { error: { code: 'BadRequest' } },
    });
  });

  test.each(['id', 'lastModifiedDateTime'])(
    'A.update.9 Writing the read-only %s is 400 and changes nothing',
    async (name) => {
      const { path, record, etag } = await pick(set);

      expect(await sandbox.patch(path, etag, { ...change, [name]: record[name] })).toMatchObject({
        status: 400,
        body: { error: { code: 'BadRequest_InvalidOperation' } },
      });
      expect((await sandbox.get(path)).body).toEqual(record);
    },
  );

  test('A.update.10 A property that does not exist is 400', async () => {
    const { path, etag } = await pick(set);

    expect(await sandbox.patch(path, etag, { colour: 'red' })).toMatchObject({
      status: 400,
      body: { error: { code: 'BadRequest' } },
    });
  });
});

describe('an unknown record', () => {
  test('A.update.11 PATCH of an unknown id is 404 and creates nothing', async () => {
    const path = `${company}/items(11111111-1111-4111-8111-111111111111)`;

    expect((await sandbox.patch(path, '*', { unitPrice: 1 })).status).toBe(404);
    expect((await sandbox.get(path)).status).toBe(404);
  });
});

describe('recalculation', () => {
  test('A.state.2 Updating an item with blocked true sets blocked to true in the returned item', async () => {
    const { path, etag } = await pick('items', 'blocked eq false');

    expect((await sandbox.patch(path, etag, { blocked: true })).body.blocked).toBe(true);
  });

  test("A.recalc.1 An employee's displayName is derived from the names and cannot be written", async () => {
    const { path, etag } = await pick('employees');
    const reply = await sandbox.patch(path, etag, { givenName: 'Ada', surname: 'Byron' });

    expect(reply.body.displayName).toBe('Ada Byron');
    expect((await sandbox.patch(path, '*', { displayName: 'X' })).status).toBe(400);
  });

  test('A.recalc.2 Category and unit of an item can be changed by id or by code', async () => {
    const [chair] = await sandbox.list(`${company}/items?$filter=itemCategoryCode eq 'CHAIR'&$top=1`);
    const { path, etag } = await pick('items', "itemCategoryCode eq 'TABLE'");

    const byCode = await sandbox.patch(path, etag, {
      itemCategoryCode: 'chair',
      baseUnitOfMeasureCode: 'SET',
    });
    const cleared = await sandbox.patch(path, '*', { itemCategoryId: unset });
    const byId = await sandbox.patch(path, '*', { itemCategoryId: chair.itemCategoryId });

    expect(byCode.body).toMatchObject({ itemCategoryId: chair.itemCategoryId, itemCategoryCode: 'CHAIR' });
    expect(byCode.body.baseUnitOfMeasureId).not.toBe(unset);
    expect(cleared.body).toMatchObject({ itemCategoryId: unset, itemCategoryCode: '' });
    expect(byId.body.itemCategoryCode).toBe('CHAIR');
  });

  test('A.recalc.3 The currency of a customer can be changed by id or by code; the local currency has no id', async () => {
    const [euro] = await sandbox.list(`${company}/customers?$filter=currencyCode eq 'EUR'&$top=1`);
    const { path, etag } = await pick('customers', "currencyCode eq 'USD'");

    const byId = await sandbox.patch(path, etag, { currencyId: euro.currencyId });
    const local = await sandbox.patch(path, '*', { currencyCode: '' });

    expect(byId.body.currencyCode).toBe('EUR');
    expect(local.body).toMatchObject({ currencyId: unset, currencyCode: 'USD' });
  });

  test('A.recalc.4 A reference to a missing record, or two contradictory references, are 400', async () => {
    const { path, record } = await pick('customers', "currencyCode eq 'USD'");

    for (const body of [
      { paymentTermsId: record.id },
      { currencyCode: 'XYZ' },
      { currencyCode: 'EUR', currencyId: unset },
    ]) {
      expect(await sandbox.patch(path, '*', body)).toMatchObject({
        status: 400,
        body: { error: { code: 'Application_DialogException' } },
      });
    }
  });

  test("A.recalc.5 An order's discount is distributed over its lines and deducted from its totals", async () => {
    const { path, record, etag } = await pick(
      'salesOrders',
      'totalAmountExcludingTax gt 100 and discountAmount eq 0',
    );
    const { body } = await sandbox.patch(path, etag, { discountAmount: 10 });
    const net = body.documentLines.reduce((sum: number, line: Json) => sum + line.netAmount, 0);

    expect(body.totalAmountExcludingTax).toBeCloseTo(record.totalAmountExcludingTax - 10, 2);
    expect(net).toBeCloseTo(body.totalAmountExcludingTax, 2);
    expect(body.documentLines[0]['@odata.etag']).not.toBe(record.documentLines[0]['@odata.etag']);
  });

  test('A.recalc.6 Another customer changes the names, address and terms of an order', async () => {
    const { path, record, etag } = await pick('salesOrders');
    const [other] = await sandbox.list(
      `${company}/customers?$filter=number ne '${record.customerNumber}'&$top=1`,
    );
    const { body } = await sandbox.patch(path, etag, { customerId: other.id });

    expect(body).toMatchObject({
      customerNumber: other.number,
      customerName: other.displayName,
      sellToCity: other.city,
      billToName: other.displayName,
      paymentTermsId: other.paymentTermsId,
      currencyCode: other.currencyCode,
    });
  });

  test('A.recalc.7 A customer number that is taken is 409', async () => {
    const { record: order } = await pick('salesOrders');
    const path = `${company}/customers(${order.customerId})`;
    const [other] = await sandbox.list(`${company}/customers?$filter=id ne ${order.customerId}&$top=1`);

    expect(await sandbox.patch(path, '*', { number: other.number })).toMatchObject({
      status: 409,
      body: { error: { code: 'Internal_EntityWithSameKeyExists' } },
    });
    expect((await sandbox.patch(path, '*', { number: 'x-9' })).body.number).toBe('X-9');
  });

  test('A.recalc.8 Lines of an order cannot be changed through the order', async () => {
    const { path } = await pick('salesOrders');

    expect((await sandbox.patch(path, '*', { documentLines: [] })).status).toBe(400);
    expect((await sandbox.patch(path, '*', { status: 'Open' })).status).toBe(400);
  });
});

describe('values', () => {
  test.each([
    ['A.value.1', 'customers', { displayName: 5 }, 'BadRequest'],
    ['A.value.2', 'customers', { taxLiable: 'true' }, 'BadRequest'],
    ['A.value.3', 'customers', { creditLimit: '5' }, 'BadRequest'],
    ['A.value.4', 'customers', { displayName: null }, 'BadRequest'],
    ['A.value.5', 'customers', { paymentTermsId: 'abc' }, 'BadRequest'],
    ['A.value.6', 'employees', { birthDate: '2001-02-30' }, 'BadRequest'],
    ['A.value.7', 'customers', { city: 'x'.repeat(31) }, 'Application_StringExceededLength'],
    ['A.value.8', 'customers', { blocked: 'Sometimes' }, 'Unknown'],
    ['A.value.9', 'customers', { displayName: '' }, 'Application_DialogException'],
    ['A.value.10', 'customers', { email: 'nobody' }, 'Application_DialogException'],
  ])('%s A PATCH of %s with %j is 400 %s', async (_id, set, body, code) => {
    const { path, etag } = await pick(set);

    expect(await sandbox.patch(path, etag, body)).toMatchObject({ status: 400, body: { error: { code } } });
    expect((await sandbox.get(path)).body['@odata.etag']).toBe(etag);
  });

  test('A.value.11 The error for a wrong enum value lists the valid ones', async () => {
    const { path } = await pick('employees');
    const { body } = await sandbox.patch(path, '*', { status: 'Away' });

    expect(body.error.message).toContain('Active,Inactive,Terminated');
  });

  test('A.value.12 Codes are stored in upper case, and text without trailing blanks', async () => {
    const { path } = await pick('customers');
    const { body } = await sandbox.patch(path, '*', { country: 'de', displayName: ' Two  words  ' });

    expect(body).toMatchObject({ country: 'DE', displayName: ' Two  words' });
  });
});
