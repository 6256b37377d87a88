import { expect, test } from 'vitest';
import { type Dialect, getDialect } from '../../../../src/business/dialect.ts';
import { createListQueryCompiler } from '../../../../src/business/reading/list-queries.ts';
import type { RecordSet } from '../../../../src/business/record-set.ts';

const set = {
  type: 'Thing',
  entitySet: 'things',
  apiVersion: 'v2.0',
  fields: { id: 'uuid', number: 'text', status: { names: { Open: 'OPEN' } } },
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

test('filters and orders of the same values are compiled once, whatever record their lists belong to', () => {
  const { dialect, written } = counting();
  const queryOf = createListQueryCompiler();
  const given = () => ({
    filter: { status: { in: ['OPEN'] } },
    orderBy: [{ field: 'NUMBER', direction: 'DESC' as const }],
  });

  const queries = ['a', 'b', 'c'].map((id) => queryOf(set, dialect, given(), { id }));

  expect(queries.map(({ filter }) => filter)).toEqual(
    ['a', 'b', 'c'].map((id) => `id eq ${id} and status eq 'Open'`),
  );
  expect(queries.map(({ orderBy }) => orderBy)).toEqual(Array(3).fill('number desc'));
  expect(written).toEqual(['Open']);
  queryOf(set, dialect, { filter: { status: { ne: 'OPEN' } } });
  expect(written).toEqual(['Open', 'Open']);
});

test('what cannot be compiled is not tried again', () => {
  const { dialect, written } = counting();
  const queryOf = createListQueryCompiler();
  const filter = { and: [{ status: { eq: 'OPEN' } }, { status: { eq: null } }] };

  for (let time = 0; time < 3; time++)
    expect(() => queryOf(set, dialect, { filter })).toThrow('always has a value');

  expect(written).toEqual(['Open']);
});

test('a filter that no address has room for is refused before any list of it is read', () => {
  const { dialect } = counting();
  const filter = { number: { in: Array.from({ length: 900 }, (_, at) => String(at)) } };

  expect(() => createListQueryCompiler()(set, dialect, { filter })).toThrow('too long for the upstream');
});
