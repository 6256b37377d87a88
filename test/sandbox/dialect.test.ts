import { describe, expect, test } from 'vitest';
import { company, companyV1, useSandbox } from './caller.ts';

const sandbox = useSandbox({ dialect: 'dynamics' });

const filtered = (set: string, filter: string) => `${company}/${set}?$filter=${encodeURIComponent(filter)}`;

describe('enum values of the real service', () => {
  test.each([
    ['customers', 'blocked', ['All', 'Invoice', 'Ship', '_x0020_']],
    ['salesQuotes', 'status', ['Accepted', 'Draft', 'Expired_x0020_', 'Sent']],
  ])(
    'A.dialect.1 Values of %s.%s are returned as XML names, and filters write them so',
    async (set, field, words) => {
      const all = await sandbox.list(`${company}/${set}`);
      expect([...new Set(all.map((one) => one[field]))].sort()).toEqual(words);

      for (const word of words)
        expect(await sandbox.list(filtered(set, `${field} eq '${word}'`))).toEqual(
          all.filter((one) => one[field] === word),
        );
    },
  );

  test('A.dialect.3 Bodies write values the same way, and the v1.0 shape of items without encoding', async () => {
    const path = `${company}/items(${(await sandbox.first('items')).id})`;
    const change = (type: string) => sandbox.patch(path, '*', { type });
    const old = await sandbox.list(`${companyV1}/items?$filter=type eq 'Non-Inventory'`);

    expect((await change('Non_x002D_Inventory')).body.type).toBe('Non_x002D_Inventory');
    expect(await change('Non-Inventory')).toMatchObject({
      status: 400,
      body: { error: { code: 'Unknown' } },
    });
    expect(new Set(old.map(({ type }) => type))).toEqual(new Set(['Non-Inventory']));
  });
});

test.each([
  ['A.or.1', "(city eq 'Lille' and number gt 'C') or city eq 'Ghent'"],
  ['A.dialect.15', "not contains(displayName,'Oak')"],
])('%s A filter of the real service is 501: %s', async (_id, filter) => {
  expect(await sandbox.get(filtered('customers', filter))).toMatchObject({
    status: 501,
    body: { error: { code: 'BadRequest_MethodNotImplemented' } },
  });
});
