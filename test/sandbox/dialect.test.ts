import { describe, expect, test } from 'vitest';
import type { Json } from '../support/json.ts';
import { company, companyV1, useSandbox } from './caller.ts';

const sandbox = useSandbox({ dialect: 'dynamics' });

const filtered = (set: string, filter: string, rest = '') =>
  `${company}/${set}?$filter=${encodeURIComponent(filter)}${rest}`;
const wordsOf = async (set: string, field: string) =>
  [...new Set((await sandbox.list(`${company}/${set}`)).map((one) => one[field]))].sort();

describe('enum values', () => {
  test.each([
    ['customers', 'blocked', ['All', 'Invoice', 'Ship', '_x0020_']],
    ['items', 'type', ['Inventory', 'Non_x002D_Inventory', 'Service']],
    ['salesOrders', 'status', ['Draft', 'In_x0020_Review', 'Open']],
    ['salesQuotes', 'status', ['Accepted', 'Draft', 'Expired_x0020_', 'Sent']],
    ['employees', 'status', ['Active', 'Inactive', 'Terminated']],
    ['taxAreas', 'taxType', ['Sales_x0020_Tax']],
    ['accounts', 'accountType', ['Begin_x002D_Total', 'End_x002D_Total', 'Heading', 'Posting', 'Total']],
  ])('A.option.1 Values of %s.%s are returned as XML names', async (set, field, words) => {
    expect(await wordsOf(set, field)).toEqual(words);
  });

  test.each([
    ['items', 'type', 'Non_x002D_Inventory'],
    ['salesOrders', 'status', 'In_x0020_Review'],
    ['customers', 'blocked', '_x0020_'],
  ])('A.dialect.1 A filter of %s.%s writes its values the same way', async (set, field, word) => {
    const all = await sandbox.list(`${company}/${set}`);
    const some = await sandbox.list(filtered(set, `${field} eq '${word}'`));
    const rest = await sandbox.list(filtered(set, `${field} ne '${word}'`));

    expect(some).toEqual(all.filter((one) => one[field] === word));
    expect(rest).toEqual(all.filter((one) => one[field] !== word));
    expect(some.length * rest.length).toBeGreaterThan(0);
  });

  test.each([
    ['items', "type eq 'Non-Inventory'"],
    ['salesOrders', "status eq 'In Review'"],
    ['customers', "blocked eq ' '"],
    ['customers', "blocked eq 'Sometimes'"],
    ['customers', "blocked eq 'all'"],
  ])('A.dialect.2 A filter of %s with an unknown value is 400: %s', async (set, filter) => {
    const { status, body } = await sandbox.get(filtered(set, filter));

    expect(status).toBe(400);
    expect(body.error.message).toMatch(/^The string '.*' is not a valid enumeration type constant\./);
  });

  test('A.dialect.3 Bodies write values the same way', async () => {
    const [item] = await sandbox.list(`${company}/items?$top=1`);
    const path = `${company}/items(${item.id})`;

    expect((await sandbox.patch(path, '*', { type: 'Non_x002D_Inventory' })).body.type).toBe(
      'Non_x002D_Inventory',
    );
    expect(await sandbox.patch(path, '*', { type: 'Non-Inventory' })).toMatchObject({
      status: 400,
      body: { error: { code: 'Unknown' } },
    });
  });

  test('A.dialect.4 The v1.0 shape of items writes its values without encoding', async () => {
    const items = await sandbox.list(`${companyV1}/items?$filter=type eq 'Non-Inventory'`);

    expect(items.length).toBeGreaterThan(0);
    expect(new Set(items.map((one) => one.type))).toEqual(new Set(['Non-Inventory']));
  });
});

describe('lines', () => {
  test('A.dialect.5 An order returns lines only when they are expanded, with sequence and lineObjectNumber', async () => {
    const [order] = await sandbox.list(`${company}/salesOrders?$top=1`);
    const { body } = await sandbox.get(`${company}/salesOrders(${order.id})?$expand=salesOrderLines`);
    const [line] = body.salesOrderLines;

    expect(Object.keys(order).filter((name) => /lines$/i.test(name))).toEqual([]);
    expect(line).toMatchObject({ sequence: 10_000, lineObjectNumber: expect.stringMatching(/^\d{4}/) });
    expect(line).not.toHaveProperty('lineNo');
    expect(line).not.toHaveProperty('itemNo');
  });

  test.each([
    '$expand=documentLines',
    '$select=documentLines',
    '$expand=salesOrderLines($select=lineNo)',
    "$expand=salesOrderLines($filter=itemNo eq 'X')",
  ])('A.dialect.6 The documented names are unknown: %s is 400', async (query) => {
    const { status, body } = await sandbox.get(`${company}/salesOrders?$top=1&${query}`);

    expect(status).toBe(400);
    expect(body.error.message).toMatch(/^Could not find a property named/);
  });

  test('A.dialect.7 An order is created with salesOrderLines and returned without them', async () => {
    const [customer] = await sandbox.list(`${company}/customers?$top=1`);
    const [item] = await sandbox.list(`${company}/items?$top=1`);
    const [account] = await sandbox.list(`${company}/accounts?$filter=number eq '4090'`);
    const orders = `${company}/salesOrders`;
    const lines = [
      { lineObjectNumber: item.number, quantity: 2, sequence: 5_000 },
      { lineType: 'Account', lineObjectNumber: account.number, quantity: 1, unitPrice: 7 },
    ];
    const made = await sandbox.post(orders, { customerId: customer.id, salesOrderLines: lines });
    const { body } = await sandbox.get(`${orders}(${made.body.id})?$expand=salesOrderLines`);

    expect(made.status).toBe(201);
    expect(Object.keys(made.body).filter((name) => /lines$/i.test(name))).toEqual([]);
    expect(body.salesOrderLines).toMatchObject([
      { sequence: 5_000, itemId: item.id, lineObjectNumber: item.number, lineType: 'Item' },
      { sequence: 15_000, accountId: account.id, lineObjectNumber: '4090', lineType: 'Account' },
    ]);
  });

  test.each([
    ['documentLines', (line: Json) => ({ documentLines: [line] })],
    ['itemNo', (line: Json) => ({ salesOrderLines: [{ ...line, itemNo: 'X' }] })],
    ['lineNo', (line: Json) => ({ salesOrderLines: [{ ...line, lineNo: 1 }] })],
  ])('A.dialect.8 Creating an order with %s is 400', async (name, bodyOf) => {
    const [customer] = await sandbox.list(`${company}/customers?$top=1`);
    const body = { customerId: customer.id, ...bodyOf({ lineType: 'Comment' }) };
    const reply = await sandbox.post(`${company}/salesOrders`, body);

    expect(reply.status).toBe(400);
    expect(reply.body.error.message).toContain(`'${name}'`);
  });
});

describe('entity tags', () => {
  async function anItem(): Promise<{ path: string; etag: string }> {
    const [item] = await sandbox.list(`${company}/items?$top=1`);
    return { path: `${company}/items(${item.id})`, etag: item['@odata.etag'] };
  }

  test('A.dialect.9 A PATCH without If-Match is 400 and changes nothing', async () => {
    const { path, etag } = await anItem();
    const reply = await sandbox.patch(path, undefined, { blocked: true });

    expect(reply).toMatchObject({ status: 400, body: { error: { code: 'BadRequest_InvalidToken' } } });
    expect(reply.body.error.message).toMatch(/^Could not validate the client concurrency token/);
    expect((await sandbox.get(path)).body['@odata.etag']).toBe(etag);
  });

  test('A.dialect.10 A stale If-Match is 409 and changes nothing', async () => {
    const { path, etag } = await anItem();
    const current = await sandbox.patch(path, etag, { unitPrice: 1 });
    const reply = await sandbox.patch(path, etag, { unitPrice: 2 });

    expect(reply).toMatchObject({ status: 409, body: { error: { code: 'Request_EntityChanged' } } });
    expect(reply.body.error.message).toMatch(/^Another user has already changed the record\./);
    expect((await sandbox.get(path)).body).toEqual(current.body);
  });

  test('A.dialect.11 No response has the header ETag', async () => {
    const { path, etag } = await anItem();

    expect((await sandbox.get(path)).headers.has('etag')).toBe(false);
    expect((await sandbox.patch(path, etag, { unitPrice: 2 })).headers.has('etag')).toBe(false);
  });
});

test('A.dialect.12 Times have as many decimals as they need, at most three', async () => {
  const seen: string[] = [];
  for (const set of ['customers', 'items', 'salesQuotes', 'accounts']) {
    for (const record of await sandbox.list(`${company}/${set}`)) {
      seen.push(record.lastModifiedDateTime, ...(record.sentDate ? [record.sentDate] : []));
    }
  }
  const decimals = new Set(seen.map((time) => /\.(\d+)Z$/.exec(time)?.[1]?.length ?? 0));

  expect(seen.filter((time) => !/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{0,2}[1-9])?Z$/.test(time))).toEqual([]);
  expect(decimals).toEqual(new Set([0, 1, 2, 3]));
  expect(seen).toContain('0001-01-01T00:00:00Z');
});
