import { describe, expect, test } from 'vitest';
import type { Json } from '../support/json.ts';
import { company, useSandbox } from './caller.ts';

const sandbox = useSandbox();

const filtered = (set: string, filter: string) => `${company}/${set}?$filter=${encodeURIComponent(filter)}`;

describe('filter', () => {
  test('A.filter.1 Only records changed after a time are returned', async () => {
    const all = await sandbox.list(`${company}/customers`);
    const middle = all.map((one) => one.lastModifiedDateTime).sort()[150];

    const later = await sandbox.list(filtered('customers', `lastModifiedDateTime gt ${middle}`));

    expect(later.map((one) => one.id)).toEqual(
      all.filter((one) => one.lastModifiedDateTime > middle).map((one) => one.id),
    );
  });

  test('A.filter.2 Keys joined by "or" find exactly those records', async () => {
    const ids = (await sandbox.list(`${company}/customers?$select=id&$top=148`)).map((one) => one.id);
    const query = new URLSearchParams({ $filter: ids.map((id) => `id eq ${id}`).join(' or ') });

    expect((await sandbox.list(`${company}/customers?${query}`)).map((one) => one.id)).toEqual(ids);
  });

  test('A.filter.3 "or" over different fields is allowed', async () => {
    const found = await sandbox.list(filtered('items', "type eq 'Service' or blocked eq true"));

    expect(found.every((one) => one.type === 'Service' || one.blocked)).toBe(true);
    expect(new Set(found.map((one) => `${one.type === 'Service'}${one.blocked}`)).size).toBeGreaterThan(1);
  });

  test('A.filter.4 An unknown field is 400 and named in the error', async () => {
    const { status, body } = await sandbox.get(filtered('customers', "colour eq 'red'"));

    expect(status).toBe(400);
    expect(body.error.code).toBe('BadRequest');
    expect(body.error.message).toMatch(
      /^Could not find a property named 'colour' on type 'Microsoft\.NAV\.customer'\./,
    );
  });

  test('A.filter.5 A syntax error is 400', async () => {
    expect(await sandbox.get(filtered('customers', "number eq 'C10000"))).toMatchObject({
      status: 400,
      body: { error: { code: 'BadRequest_NotFound' } },
    });
  });

  test('A.filter.6 A quote in a name is doubled', async () => {
    const found = await sandbox.list(filtered('customers', "displayName eq 'O''Dwyer & Sons Outfitters'"));

    expect(found).toHaveLength(1);
  });
});

describe('select', () => {
  test('A.select.1 Only the selected fields are returned, with the entity tag', async () => {
    const [one] = await sandbox.list(`${company}/salesOrders?$select=number,status&$top=1`);

    expect(Object.keys(one)).toEqual(['@odata.etag', 'number', 'status']);
  });

  test('A.select.2 Names are case-insensitive and returned as documented', async () => {
    const [one] = await sandbox.list(`${company}/items?$select=UNITPRICE&$top=1`);

    expect(Object.keys(one)).toEqual(['@odata.etag', 'unitPrice']);
  });

  test.each(['customers', 'items'])('A.select.3 An unknown name on %s is 400', async (set) => {
    expect((await sandbox.get(`${company}/${set}?$select=id,colour`)).status).toBe(400);
  });

  test('A.select.4 The lines of an order are returned only when they are selected or nothing is', async () => {
    const [plain] = await sandbox.list(`${company}/salesOrders?$top=1`);
    const [without] = await sandbox.list(`${company}/salesOrders?$top=1&$select=number`);
    const [selected] = await sandbox.list(`${company}/salesOrders?$top=1&$select=number,documentLines`);

    expect(plain.documentLines.length).toBeGreaterThan(0);
    expect(without).not.toHaveProperty('documentLines');
    expect(selected.documentLines).toEqual(plain.documentLines);
  });
});

describe('expand', () => {
  test('A.expand.1 The documented example works, nested and with a filter', async () => {
    const query = new URLSearchParams({
      $filter: 'orderDate ge 2025-06-01',
      $expand: 'paymentTerm,salesOrderLines($expand=account,item($expand=itemCategory))',
    });
    const orders = await sandbox.list(`${company}/salesOrders?${query}`);
    const lines: Json[] = orders.flatMap((order) => order.salesOrderLines);

    expect(orders.length).toBeGreaterThan(0);
    expect(orders.every((order) => order.orderDate >= '2025-06-01')).toBe(true);
    expect(orders.every((order) => order.paymentTerm.id === order.paymentTermsId)).toBe(true);
    expect(lines.some((line) => line.account?.number === '4090' && line.item === null)).toBe(true);
    expect(lines.some((line) => line.item?.number === line.itemNo && line.item.itemCategory?.code)).toBe(
      true,
    );
  });

  test.each(['documentLines', 'salesOrderLines'])(
    'A.expand.2 Lines are returned under the requested name, %s',
    async (name) => {
      const [order] = await sandbox.list(`${company}/salesOrders?$top=1&$select=number&$expand=${name}`);
      const [whole] = await sandbox.list(`${company}/salesOrders?$top=1`);

      expect(Object.keys(order)).toEqual(['@odata.etag', 'number', name]);
      expect(order[name]).toEqual(whole.documentLines);
      expect(order[name][0]['@odata.etag']).toMatch(/^W\//);
    },
  );

  test('A.expand.3 Nested options select, filter, order and limit the lines', async () => {
    const nested = '$select=lineNo,quantity;$filter=quantity gt 1;$orderby=quantity desc;$top=2';
    const query = new URLSearchParams({ $expand: `documentLines(${nested})`, $select: 'id' });

    for (const { documentLines } of await sandbox.list(`${company}/salesOrders?${query}`)) {
      expect(documentLines.length).toBeLessThanOrEqual(2);
      for (const line of documentLines) {
        expect(Object.keys(line)).toEqual(['@odata.etag', 'lineNo', 'quantity']);
        expect(line.quantity).toBeGreaterThan(1);
      }
      expect(documentLines[0]?.quantity ?? 0).toBeGreaterThanOrEqual(documentLines[1]?.quantity ?? 0);
    }
  });

  test('A.expand.4 The customer of an order is returned whole, or as selected', async () => {
    const [order] = await sandbox.list(`${company}/salesOrders?$top=1&$expand=customer($select=number)`);

    expect(order.customer).toEqual({ '@odata.etag': expect.any(String), number: order.customerNumber });
  });

  test.each([
    'vendor',
    'documentLines($expand=vendor)',
    'documentLines($select=x)',
    'documentLines(',
    'customer($top=1)',
  ])('A.expand.5 Expanding %s is 400', async (expand) => {
    expect((await sandbox.get(`${company}/salesOrders?$expand=${expand}`)).status).toBe(400);
  });
});

describe('order and count', () => {
  test('A.order.1 Records are sorted as requested, first term first', async () => {
    const rows = await sandbox.list(
      `${company}/customers?$orderby=city,creditLimit desc&$select=city,creditLimit,id`,
    );
    const sorted = [...rows].sort((a, b) =>
      a.city === b.city ? b.creditLimit - a.creditLimit || (a.id < b.id ? -1 : 1) : a.city < b.city ? -1 : 1,
    );

    expect(rows).toEqual(sorted);
  });

  test('A.order.2 Without $orderby records are in the order of their ids', async () => {
    const ids = (await sandbox.list(`${company}/customers?$select=id`)).map((one) => one.id);

    expect(ids).toEqual([...ids].sort());
  });

  test.each(['$orderby=colour', '$orderby=city up', '$top=-1', '$top=x', '$skip=1.5', '$count=yes'])(
    'A.order.3 A collection with %s is 400',
    async (option) => {
      expect((await sandbox.get(`${company}/customers?${option}`)).status).toBe(400);
    },
  );

  test('A.order.4 Collection options on a single record are 400', async () => {
    const [one] = await sandbox.list(`${company}/customers?$top=1`);

    expect((await sandbox.get(`${company}/customers(${one.id})?$filter=number eq 'X'`)).status).toBe(400);
  });

  test('A.count.1 $count=true counts the records that match the filter, whatever $top and $skip are', async () => {
    const query = "$filter=blocked eq 'All'&$count=true";
    const all = await sandbox.get(`${company}/customers?${query}`);
    const cut = await sandbox.get(`${company}/customers?${query}&$top=3&$skip=2`);

    expect(all.body['@odata.count']).toBe(all.body.value.length);
    expect(cut.body['@odata.count']).toBe(all.body['@odata.count']);
    expect(cut.body.value).toEqual(all.body.value.slice(2, 5));
  });
});

describe('pages', () => {
  const prefer = (size: number) => ({ headers: { prefer: `odata.maxpagesize=${size}` } });

  test('A.page.1 Continuation links lead through all records once, keeping filter, order, select and count', async () => {
    const query = "$filter=type eq 'Company'&$orderby=city desc&$select=id,city&$count=true";
    const whole = await sandbox.get(`${company}/customers?${query}`);
    const records: Json[] = [];
    let next: string | undefined = `${company}/customers?${query}`;
    let calls = 0;
    while (next !== undefined) {
      const page = await sandbox.get(next, prefer(40));
      expect(page.headers.get('preference-applied')).toBe('odata.maxpagesize=40');
      expect(page.body['@odata.count']).toBe(whole.body['@odata.count']);
      records.push(...page.body.value);
      next = page.body['@odata.nextLink'];
      calls += 1;
    }

    expect(records).toEqual(whole.body.value);
    expect(calls).toBe(Math.ceil(whole.body.value.length / 40));
  });

  test('A.page.2 A continuation link is absolute and opaque', async () => {
    const { body } = await sandbox.get(`${company}/items?$select=id`, prefer(5));
    const link: string = body['@odata.nextLink'];

    expect(link.startsWith(`${sandbox.url}${company}/items?aid=FIN&$skiptoken=`)).toBe(true);
    expect(link).not.toContain('$select');
  });

  test('A.page.3 A full last page is followed by an empty page', async () => {
    const first = await sandbox.get(`${company}/employees`, prefer(40));
    const second = await sandbox.get(first.body['@odata.nextLink'], prefer(40));

    expect(first.body.value).toHaveLength(40);
    expect(second.body.value).toEqual([]);
    expect(second.body).not.toHaveProperty('@odata.nextLink');
  });

  test('A.page.4 A response to $top never has a continuation link', async () => {
    const reply = await sandbox.get(`${company}/customers?$top=20`, prefer(5));

    expect(reply.body.value).toHaveLength(20);
    expect(reply.body).not.toHaveProperty('@odata.nextLink');
  });

  test('A.page.5 $skip is applied once, not on every page', async () => {
    const ids = (await sandbox.list(`${company}/items?$select=id`)).map((one) => one.id);
    const first = await sandbox.get(`${company}/items?$skip=10`, prefer(10));
    const second = await sandbox.get(first.body['@odata.nextLink'], prefer(10));

    expect(second.body.value.map((one: Json) => one.id)).toEqual(ids.slice(20, 30));
  });

  test('A.page.6 An unknown continuation token is 400', async () => {
    expect((await sandbox.get(`${company}/items?$skiptoken=x`)).status).toBe(400);
  });
});
