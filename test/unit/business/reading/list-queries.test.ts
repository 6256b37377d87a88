import { expect, test } from 'vitest';
import { type Dialect, getDialect } from '../../../../src/business/dialect.ts';
import { createListQueryCompiler } from '../../../../src/business/reading/filters.ts';
import type { RecordSet } from '../../../../src/business/record-set.ts';
import { unsetUuid } from '../../../../src/graph/scalars.ts';

const set = {
  type: 'Thing',
  entitySet: 'things',
  route: 'v2.0',
  fields: { id: 'uuid', number: 'text', status: 'word' },
} as const satisfies RecordSet;

/** A dialect that counts the words it has written: one for each comparison that is compiled. */
function counting() {
  const written: string[] = [];
  const dialect: Dialect = {
    ...getDialect('document'),
    encodeWord(word) {
      written.push(word);
      return word;
    },
  };
  return { dialect, written };
}

test('the filter and order of one place are compiled once, whatever record their lists belong to', () => {
  const { dialect, written } = counting();
  const queryOf = createListQueryCompiler();
  const given = { filter: { status: { in: ['Open'] } }, orderBy: ['NUMBER_DESC'] };

  const ids = ['1', '2', '3'].map((digit) => unsetUuid.replaceAll('0', digit));

  const queries = ids.map((id) => queryOf(set, dialect, { ...given }, { id }));

  expect(queries.map(({ filter }) => filter)).toEqual(ids.map((id) => `id eq ${id} and status eq 'Open'`));
  expect(queries.map(({ orderBy }) => orderBy)).toEqual(Array(3).fill('number desc'));
  expect(written).toEqual(['Open']);
  queryOf(set, dialect, { filter: { status: { ne: 'Open' } } });
  expect(written).toEqual(['Open', 'Open']);
});

test('what cannot be compiled is not tried again', () => {
  const { dialect, written } = counting();
  const queryOf = createListQueryCompiler();
  const filter = { and: [{ status: { eq: 'Open' } }, { status: { eq: null } }] };

  for (let time = 0; time < 3; time++)
    expect(() => queryOf(set, dialect, { filter })).toThrow('always has a value');

  expect(written).toEqual(['Open']);
});

test('a filter that no address has room for is refused before any list of it is read', () => {
  const { dialect } = counting();
  const filter = { number: { in: Array.from({ length: 900 }, (_, at) => String(at)) } };

  expect(() => createListQueryCompiler()(set, dialect, { filter })).toThrow('too long for the upstream');
});

test('a list of one record compares with a literal of the kind of its column, and finds nothing for another kind', () => {
  const kinds = {
    type: 'Line',
    entitySet: 'lines',
    route: 'v2.0',
    fields: { id: 'uuid', order: 'int', price: 'decimal', isOpen: 'boolean', date: 'date', text: 'text' },
  } as const satisfies RecordSet;
  const queryOf = (owner: Readonly<Record<string, string | number | boolean>>) => {
    const { filter, isEmpty } = createListQueryCompiler()(kinds, getDialect('document'), {}, owner);
    return isEmpty ? null : filter;
  };

  expect(queryOf({ order: 10248 })).toBe('order eq 10248');
  expect(queryOf({ price: '1.50' })).toBe('price eq 1.50');
  expect(queryOf({ isOpen: true, date: '2026-03-01' })).toBe('isOpen eq true and date eq 2026-03-01');
  expect(queryOf({ text: "a' or 1 eq 1" })).toBe("text eq 'a'' or 1 eq 1'");
  for (const column of ['id', 'order', 'price', 'isOpen', 'date'])
    expect(queryOf({ [column]: '1 or 1 eq 1' })).toBeNull();
});
