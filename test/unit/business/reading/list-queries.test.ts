import { expect, test } from 'vitest';
import { compileListQuery } from '../../../../src/business/reading/filters.ts';
import { getDialect } from '../../../../src/business/record-sets/dialect.ts';
import type { RecordSet } from '../../../../src/business/record-sets/record-set.ts';

const set = {
  type: 'Thing',
  entitySet: 'things',
  route: 'v2.0',
  fields: { id: 'uuid', number: 'text', status: 'word' },
} as const satisfies RecordSet;

test('a filter that no address has room for is refused before any list of it is read', () => {
  const filter = { number: { in: Array.from({ length: 900 }, (_, at) => String(at)) } };

  expect(() => compileListQuery(set, getDialect('document'), { filter })).toThrow(
    'too long for the upstream',
  );
});

test('a list of one record compares with a literal of the kind of its column, and finds nothing for another kind', () => {
  const kinds = {
    type: 'Line',
    entitySet: 'lines',
    route: 'v2.0',
    fields: { id: 'uuid', order: 'int', price: 'decimal', isOpen: 'boolean', date: 'date', text: 'text' },
  } as const satisfies RecordSet;
  const queryOf = (owner: Readonly<Record<string, string | number | boolean>>) => {
    const { filter, isEmpty } = compileListQuery(kinds, getDialect('document'), {}, owner);
    return isEmpty ? null : filter;
  };

  expect(queryOf({ order: 10248 })).toBe('order eq 10248');
  expect(queryOf({ price: '1.50' })).toBe('price eq 1.50');
  expect(queryOf({ isOpen: true, date: '2026-03-01' })).toBe('isOpen eq true and date eq 2026-03-01');
  expect(queryOf({ text: "a' or 1 eq 1" })).toBe("text eq 'a'' or 1 eq 1'");
  for (const column of ['id', 'order', 'price', 'isOpen', 'date'])
    expect(queryOf({ [column]: '1 or 1 eq 1' })).toBeNull();
});
