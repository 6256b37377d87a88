import { describe, expect, test } from 'vitest';
import type { Json } from '../support/json.ts';
import { company, useSandbox } from './caller.ts';

const sandbox = useSandbox();

const filtered = (set: string, filter: string) => `${company}/${set}?$filter=${encodeURIComponent(filter)}`;
const find = (set: string, filter: string) => sandbox.list(filtered(set, filter));
const numbers = (records: Json[]) => records.map((one) => one.number).sort();

/** The records of a set that a test of their fields lets through, told by their numbers. */
async function those(set: string, passes: (record: Json) => boolean): Promise<string[]> {
  const found = (await sandbox.list(`${company}/${set}`)).filter(passes);
  expect(found.length).toBeGreaterThan(0);
  return numbers(found);
}

describe('operators', () => {
  test('A.filter.7 "and" binds before "or", and parentheses before both', async () => {
    const [a, b, c] = ["type eq 'Service'", "itemCategoryCode eq 'TABLE'", 'blocked eq true'];
    const isA = (one: Json) => one.type === 'Service';
    const isB = (one: Json) => one.itemCategoryCode === 'TABLE';

    expect(numbers(await find('items', `${a} or ${b} and ${c}`))).toEqual(
      await those('items', (one) => isA(one) || (isB(one) && one.blocked)),
    );
    expect(numbers(await find('items', `(${a} or ${b}) and ${c}`))).toEqual(
      await those('items', (one) => (isA(one) || isB(one)) && one.blocked),
    );
  });

  test('A.filter.8 "not" negates what follows: a call or parentheses', async () => {
    const unblocked = await those('items', (one) => !one.blocked);

    expect(numbers(await find('items', 'not (blocked eq true)'))).toEqual(unblocked);
    expect(numbers(await find('items', "not contains(displayName,'Oak')"))).toEqual(
      await those('items', (one) => !one.displayName.includes('Oak')),
    );
    expect((await sandbox.get(filtered('items', "not number eq '1000'"))).status).toBe(400);
  });

  test.each([
    ['contains', (name: string) => name.includes('Oak')],
    ['startswith', (name: string) => name.startsWith('Oak')],
    ['endswith', (name: string) => name.endsWith('Oak')],
  ] as const)('A.filter.9 %s compares text exactly', async (name, passes) => {
    const found = await find('items', `${name}(displayName,'Oak')`);
    const all = await sandbox.list(`${company}/items`);

    expect(numbers(found)).toEqual(numbers(all.filter((one) => passes(one.displayName))));
    expect(await find('items', `${name}(displayName,'oAK')`)).toEqual([]);
  });

  test('A.filter.11 A date, a time and a GUID are written without quotes', async () => {
    const [order] = await sandbox.list(`${company}/salesOrders?$top=1`);

    for (const field of ['orderDate', 'lastModifiedDateTime', 'customerId']) {
      const bare = await find('salesOrders', `${field} eq ${order[field]}`);

      expect(numbers(bare), field).toEqual(await those('salesOrders', (one) => one[field] === order[field]));
      expect((await sandbox.get(filtered('salesOrders', `${field} eq '${order[field]}'`))).status).toBe(400);
    }
  });

  test.each([
    ['A.filter.12', 'a word in capitals', "number EQ 'C10000'"],
    ['A.filter.13', 'words that touch a literal', "number eq'C10000'"],
    ['A.filter.14', 'a quote that is not doubled', "displayName eq 'O'Dwyer & Sons Outfitters'"],
    ['A.filter.15', 'an operator without an operand', "number eq 'C10000' and"],
    ['A.filter.16', 'parentheses that stay open', "(number eq 'C10000'"],
    ['A.filter.17', 'a day that is not in the calendar', 'lastModifiedDateTime gt 2025-02-30T00:00:00Z'],
    ['A.filter.18', 'a function nobody has', "substringof('a',number)"],
    ['A.filter.21', 'a value that is no condition', 'number'],
    ['A.filter.19', 'a condition on lines', 'documentLines/any(line:line/quantity gt 1)'],
  ])('%s %s is 400 BadRequest_NotFound', async (_id, _what, filter) => {
    const set = filter.startsWith('documentLines') ? 'salesOrders' : 'customers';

    expect(await sandbox.get(filtered(set, filter))).toMatchObject({
      status: 400,
      body: { error: { code: 'BadRequest_NotFound' } },
    });
  });

  test.each([
    ['A.filter.20', 'types that do not fit', "creditLimit eq '5'"],
    ['A.filter.22', 'a way to another record', "currency/code eq 'EUR'"],
    ['A.filter.23', 'a function of a number', "contains(creditLimit,'5')"],
    ['A.filter.24', 'nesting without end', `${'('.repeat(2_000)}taxLiable eq true`],
  ])('%s %s is 400 BadRequest', async (_id, _what, filter) => {
    expect(await sandbox.get(filtered('customers', filter))).toMatchObject({
      status: 400,
      body: { error: { code: 'BadRequest' } },
    });
  });

  test('A.filter.25 Computed fields can be filtered and sorted by', async () => {
    const [first] = await sandbox.list(`${company}/items?$orderby=inventory desc&$top=1`);

    expect(numbers(await find('items', `inventory ge ${first.inventory}`))).toEqual(
      await those('items', (one) => one.inventory >= first.inventory),
    );
  });

  test('A.ignore.1 Unknown options have no effect', async () => {
    const plain = await sandbox.get(`${company}/customers?$top=5`);
    const reply = await sandbox.get(`${company}/customers?$top=5&$search=Oak&$apply=x&$invented=(`);

    expect(reply).toMatchObject({ status: 200, body: { value: plain.body.value } });
  });
});
