import { describe, expect, test } from 'vitest';
import { compileListQuery, type ListArguments } from '../../../../src/business/reading/filters.ts';
import { getDialect } from '../../../../src/business/record-sets/dialect.ts';

const fields = {
  id: 'uuid',
  number: 'text',
  name: 'text',
  orderDate: 'date',
  changedAt: 'dateTime',
  price: 'decimal',
  count: 'safeInt',
  isOpen: 'boolean',
  status: 'word',
  blocked: 'wordOrBlank',
} as const;

const shape = { type: 'Thing', fields };
const id = '5d115c9c-44e3-ea11-bb43-000d3a2feca1';
const document = getDialect('document');
const dynamics = getDialect('dynamics');
const compile = (
  filter: ListArguments['filter'],
  dialect = document,
  nullable: ReadonlySet<string> = new Set(),
) => compileListQuery({ ...shape, nullable }, dialect, { filter });

describe('a comparison', () => {
  test.each([
    [{ number: { eq: "O'Dwyer" } }, "number eq 'O''Dwyer'"],
    [{ number: { contains: "') or (1 eq 1" } }, "contains(number,''') or (1 eq 1')"],
    [{ name: { startsWith: 'A' } }, "startswith(name,'A')"],
    [{ id: { eq: id } }, `id eq ${id}`],
    [{ price: { gt: '12345678901234567.89' } }, 'price gt 12345678901234567.89'],
    [{ status: { eq: 'In Review' } }, "status eq 'In Review'"],
    [{ blocked: { ne: 'All' } }, "blocked ne 'All' and blocked ne ' '"],
    [{ blocked: { eq: null } }, "blocked eq ' '"],
    [{ blocked: { ne: null } }, "blocked ne ' '"],
    [{ changedAt: { gt: '2026-01-01T00:00:00.123Z' } }, 'changedAt gt 2026-01-01T00:00:00.123Z'],
  ])('%j is %s', (filter, text) => {
    expect(compile(filter).filter).toBe(text);
  });

  test.each([
    [{ orderDate: { lt: '2026-01-01' } }, 'orderDate lt 2026-01-01 and orderDate ne 0001-01-01'],
    [{ orderDate: { ge: '0001-01-01' } }, 'orderDate ge 0001-01-01 and orderDate ne 0001-01-01'],
    [{ name: { contains: '' } }, "contains(name,'') and name ne ''"],
    [{ name: { ne: 'A' } }, "name ne 'A' and name ne ''"],
    [{ name: { lt: 'A' } }, "name lt 'A' and name ne ''"],
    [{ name: { ge: 'A' } }, "name ge 'A'"],
    [{ id: { ne: id } }, `id ne ${id} and id ne 00000000-0000-0000-0000-000000000000`],
    [
      { changedAt: { lt: '2026-01-01T00:00:00Z' } },
      'changedAt lt 2026-01-01T00:00:00Z and changedAt ne 0001-01-01T00:00:00Z',
    ],
  ])('leaves out what is not set: %j is %s', (filter, text) => {
    expect(compile(filter).filter).toBe(text);
  });

  test.each([
    [{ name: { eq: null } }, "name eq ''"],
    [{ name: { ne: null } }, "name ne ''"],
  ])('with null means what is not set: %j is %s', (filter, text) => {
    expect(compile(filter).filter).toBe(text);
  });

  test.each([
    [{ name: { eq: null } }, "(name eq null or name eq '')"],
    [{ name: { ne: null } }, "name ne null and name ne ''"],
    [{ not: { name: { ne: null } } }, "(name eq null or name eq '')"],
    [{ name: { eq: null }, price: { eq: '5' } }, "(name eq null or name eq '') and price eq 5"],
    [
      { not: { name: { eq: null }, price: { eq: '5' } } },
      "(name ne null and name ne '') or (price ne 5 and price ne null)",
    ],
    [{ price: { eq: null } }, 'price eq null'],
    [{ price: { ne: '5' } }, 'price ne 5 and price ne null'],
    [{ name: { ne: 'A' } }, "name ne 'A' and name ne '' and name ne null"],
    [{ name: { lt: 'A' } }, "name lt 'A' and name ne ''"],
  ])('in columns that may be null: %j is %s', (filter, text) => {
    expect(compile(filter, document, new Set(['name', 'price', 'status'])).filter).toBe(text);
  });

  test.each([
    [{ price: { eq: null } }, '`filter.price.eq` is null, but `price` always has a value.'],
    [{ status: { ne: null } }, '`filter.status.ne` is null, but `status` always has a value.'],
  ])('that can never be meant, %j, is refused', (filter, message) => {
    expect(() => compile(filter)).toThrow(message);
  });
});

describe('comparisons together', () => {
  test.each([
    [{ number: { gt: 'A', lt: 'B' } }, "number gt 'A' and (number lt 'B' and number ne '')"],
    [{ and: [{ number: { eq: 'A' } }, { name: { eq: 'B' } }] }, "number eq 'A' and name eq 'B'"],
    [{ or: [{ number: { eq: 'A' } }, { name: { eq: 'B' } }] }, "number eq 'A' or name eq 'B'"],
    [
      { isOpen: { eq: true }, or: [{ number: { eq: 'A' } }, { name: { eq: 'B' } }] },
      "isOpen eq true and (number eq 'A' or name eq 'B')",
    ],
    [{ number: { in: ['A', 'B'] } }, "number eq 'A' or number eq 'B'"],
  ])('%j is %s', (filter, text) => {
    expect(compile(filter).filter).toBe(text);
  });

  test.each([
    [{ not: { number: { eq: 'A' } } }, "number ne 'A' and number ne ''"],
    [{ not: { price: { gt: '5' } } }, 'price le 5'],
    [{ not: { and: [{ price: { gt: '5' } }, { count: { eq: 1 } }] } }, 'price le 5 or count ne 1'],
    [{ not: { or: [{ price: { gt: '5' } }, { count: { eq: 1 } }] } }, 'price le 5 and count ne 1'],
    [{ not: { price: { gt: '5', lt: '9' } } }, 'price le 5 or price ge 9'],
    [{ not: { name: { contains: 'A' } } }, "not contains(name,'A') and name ne ''"],
  ])('`not` comes down to them: %j is %s', (filter, text) => {
    expect(compile(filter).filter).toBe(text);
  });

  test.each([
    [{}, false],
    [{ name: { in: [] } }, true],
    [{ or: [] }, true],
    [{ not: { name: { in: [] } } }, false],
    [{ number: { eq: 'A' }, or: [] }, true],
  ])('that decide by themselves need no upstream: %j', (filter, isEmpty) => {
    expect(compile(filter)).toMatchObject({ filter: null, isEmpty });
  });

  test('may be nested, but not without end', () => {
    const nested = (depth: number): Record<string, unknown> =>
      depth === 0 ? { number: { eq: 'A' } } : { not: nested(depth - 1) };

    expect(compile(nested(16)).filter).toBe("number eq 'A'");
    expect(() => compile(nested(17))).toThrow('`filter` is nested more than 16 deep.');
  });
});

describe('in the dialect of the real service', () => {
  test('alternatives of one field are allowed', () => {
    expect(compile({ price: { in: ['1', '2'] } }, dynamics).filter).toBe('price eq 1 or price eq 2');
    expect(compile({ or: [{ price: { lt: '1' } }, { price: { gt: '2' } }] }, dynamics).filter).toBe(
      'price lt 1 or price gt 2',
    );
  });

  test.each([
    [{ or: [{ number: { eq: 'A' }, name: { eq: 'B' } }] }, "number eq 'A' and name eq 'B'"],
    [{ not: { or: [{ price: { lt: '1' } }, { count: { eq: 1 } }] } }, 'price ge 1 and count ne 1'],
    [{ or: [{ number: { eq: 'A' } }, { name: { in: [] } }] }, "number eq 'A'"],
    [{ not: { name: { eq: 'A' } } }, "name ne 'A' and name ne ''"],
  ])('%j, which leaves no choice between fields, is %s', (filter, text) => {
    expect(compile(filter, dynamics).filter).toBe(text);
  });

  test.each([
    [
      { or: [{ number: { eq: 'A' } }, { name: { eq: 'B' } }] },
      '`filter.or` requires `or` between conditions on `number` and `name`',
    ],
    [
      { not: { number: { eq: 'A' }, name: { eq: 'B' } } },
      '`filter.not` requires `or` between conditions on `number` and `name`',
    ],
    [
      { and: [{ or: [{ price: { eq: '1' } }, { count: { eq: 1 } }] }] },
      '`filter.and.or` requires `or` between',
    ],
    [
      { not: { name: { contains: 'A' } } },
      '`filter.not.name.contains`: this upstream cannot negate `contains`, `startsWith` or `endsWith`.',
    ],
  ])('%j is refused before any call', (filter, message) => {
    expect(() => compile(filter, dynamics)).toThrow(message);
  });
});

describe('a list of a relation', () => {
  test('holds the records of its owner that pass the filter', () => {
    const query = compileListQuery(shape, dynamics, { filter: { price: { in: ['1', '2'] } } }, { id });

    expect(query.filter).toBe(`id eq ${id} and (price eq 1 or price eq 2)`);
  });

  test('is empty where its owner has no value to find its records by', () => {
    const query = compileListQuery(shape, document, { filter: { number: { eq: 'A' } } }, { number: null });

    expect(query).toMatchObject({ filter: null, isEmpty: true });
  });
});

describe('the list of an entity set', () => {
  const set = {
    type: 'Line',
    entitySet: 'lines',
    route: 'v2.0',
    fields: { id: 'uuid', order: 'int', price: 'decimal', isOpen: 'boolean', date: 'date', text: 'text' },
  } as const;

  test('is refused where no address has room for its filter', () => {
    const filter = { text: { in: Array.from({ length: 900 }, (_, at) => String(at)) } };

    expect(() => compileListQuery(set, document, { filter })).toThrow('too long for the upstream');
  });

  test('of one record compares with a literal of the kind of its column, and finds nothing for another kind', () => {
    const queryOf = (owner: Readonly<Record<string, string | number | boolean>>) => {
      const { filter, isEmpty } = compileListQuery(set, document, {}, owner);
      return isEmpty ? null : filter;
    };

    expect(queryOf({ order: 10248 })).toBe('order eq 10248');
    expect(queryOf({ price: '1.50' })).toBe('price eq 1.50');
    expect(queryOf({ isOpen: true, date: '2026-03-01' })).toBe('isOpen eq true and date eq 2026-03-01');
    expect(queryOf({ text: "a' or 1 eq 1" })).toBe("text eq 'a'' or 1 eq 1'");
    for (const column of ['id', 'order', 'price', 'isOpen', 'date'])
      expect(queryOf({ [column]: '1 or 1 eq 1' })).toBeNull();
  });
});

test('columns are filtered and sorted by their own names', () => {
  const columnNames = { status: 'State', name: 'Its_Name' };
  const { filter, orderBy } = compileListQuery({ ...shape, columnNames }, document, {
    filter: { status: { eq: 'Open' }, name: { contains: 'x' } },
    orderBy: ['NAME_DESC', 'NUMBER_ASC'],
  });

  expect(filter).toBe("State eq 'Open' and contains(Its_Name,'x')");
  expect(orderBy).toBe('Its_Name desc,number');
});

describe('an order', () => {
  const order = (...terms: string[]) => compileListQuery(shape, document, { orderBy: terms });

  test('names columns, the first decides', () => {
    expect(order('ORDER_DATE_DESC', 'NUMBER_ASC').orderBy).toBe('orderDate desc,number');
    expect(order().orderBy).toBeNull();
  });
});
