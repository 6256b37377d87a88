import { describe, expect, test } from 'vitest';
import type { Json } from '../support/json.ts';
import { company, useSandbox } from './caller.ts';

const sandbox = useSandbox({ dialect: 'dynamics' });

const filtered = (set: string, filter: string) => `${company}/${set}?$filter=${encodeURIComponent(filter)}`;
const notImplemented = { status: 501, body: { error: { code: 'BadRequest_MethodNotImplemented' } } };

describe('unsupported filters', () => {
  test.each([
    "number eq 'A' or displayName eq 'B'",
    "(city eq 'Lille' and number gt 'C') or city eq 'Ghent'",
    "taxLiable eq true and (number eq 'A' or contains(displayName,'B'))",
  ])('A.or.1 "or" over different fields is 501: %s', async (filter) => {
    const reply = await sandbox.get(filtered('customers', filter));

    expect(reply).toMatchObject(notImplemented);
    expect(reply.body.error.message).toMatch(
      /^The 'OR' operator is not supported on distinct fields on an OData filter\./,
    );
  });

  test('A.dialect.13 "or" over one field is supported, also next to "and"', async () => {
    const filter = "(city eq 'Lille' or city eq 'Ghent') and taxLiable eq true";
    const found = await sandbox.list(filtered('customers', filter));
    const all = await sandbox.list(`${company}/customers`);

    expect(found).toEqual(all.filter((one) => ['Lille', 'Ghent'].includes(one.city) && one.taxLiable));
    expect(found.length).toBeGreaterThan(0);
  });

  test('A.in.1 "in" is 501', async () => {
    const ids = (await sandbox.list(`${company}/customers?$select=id&$top=3`)).map((one) => one.id);

    expect(await sandbox.get(filtered('customers', `id in (${ids.join(',')})`))).toMatchObject(
      notImplemented,
    );
  });

  test.each(["not contains(displayName,'Oak')", "city eq 'Lille' and not (taxLiable eq true)"])(
    'A.dialect.15 "not" is 501: %s',
    async (filter) => {
      expect(await sandbox.get(filtered('customers', filter))).toMatchObject(notImplemented);
    },
  );

  test('A.dialect.17 The rules apply inside $expand too', async () => {
    const expand = (inner: string) =>
      `${company}/salesOrders?$top=1&$expand=salesOrderLines($filter=${inner})`;

    expect(await sandbox.get(expand('quantity eq 1 or sequence eq 10000'))).toMatchObject(notImplemented);
    expect(await sandbox.get(expand('quantity in (1,2)'))).toMatchObject(notImplemented);
  });
});

const computed = [
  ['customers', 'taxAreaDisplayName', "'x'"],
  ['customers', 'taxRegistrationNumber', "'x'"],
  ['customers', 'currencyCode', "'x'"],
  ['items', 'inventory', '0'],
  ['salesOrders', 'currencyCode', "'x'"],
  ['salesOrders', 'partialShipping', 'true'],
  ['salesQuotes', 'currencyCode', "'x'"],
  ['employees', 'displayName', "'x'"],
] as const;

describe('computed fields', () => {
  test.each(computed)('A.computed.1 %s cannot be filtered or sorted by %s', async (set, field, value) => {
    for (const query of [`$filter=${field} eq ${value}`, `$orderby=number,${field} desc`]) {
      const { status, body } = await sandbox.get(`${company}/${set}?${query}`);

      expect(status, query).toBe(400);
      expect(body.error.message, query).toContain(`'${field}'`);
    }
  });

  test.each(computed)('A.dialect.18 %s still returns %s', async (set, field) => {
    const [one] = await sandbox.list(`${company}/${set}?$top=1&$select=${field}`);

    expect(Object.keys(one)).toEqual(['@odata.etag', field]);
  });
});

describe('what both dialects support', () => {
  test('A.expand.7 The documented example works', async () => {
    const query = new URLSearchParams({
      $filter: 'orderDate ge 2025-06-01',
      $expand: 'paymentTerm,salesOrderLines($expand=account,item($expand=itemCategory))',
    });
    const orders = await sandbox.list(`${company}/salesOrders?${query}`);
    const lines: Json[] = orders.flatMap((order) => order.salesOrderLines);

    expect(orders.length).toBeGreaterThan(0);
    expect(orders.every((order) => order.paymentTerm.id === order.paymentTermsId)).toBe(true);
    expect(lines.some((line) => line.account?.number === '4090')).toBe(true);
    expect(lines.some((line) => line.item?.itemCategory?.code === line.item?.itemCategoryCode)).toBe(true);
  });

  test('A.page.7 Pages, their links and counts are the same', async () => {
    const prefer = { headers: { prefer: 'odata.maxpagesize=200' } };
    const first = await sandbox.get(`${company}/salesOrders?$count=true&$select=id`, prefer);
    const second = await sandbox.get(first.body['@odata.nextLink'], prefer);

    expect(first.body['@odata.nextLink']).toContain('?aid=FIN&$skiptoken=');
    expect(first.body['@odata.count']).toBe(240);
    expect(second.body.value).toHaveLength(40);
  });

  test('A.ignore.1 Unknown options have no effect', async () => {
    const plain = await sandbox.get(`${company}/customers?$top=5`);

    expect(await sandbox.get(`${company}/customers?$top=5&$search=Oak&$invented=(`)).toMatchObject({
      status: 200,
      body: { value: plain.body.value },
    });
  });
});
