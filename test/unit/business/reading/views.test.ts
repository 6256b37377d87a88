import { buildSchema, type OperationDefinitionNode, parse } from 'graphql';
import { describe, expect, test } from 'vitest';
import { copyRecord, parseRecord } from '../../../../src/business/reading/row-parser.ts';
import { appendQuery, createView, recordPath } from '../../../../src/business/reading/views.ts';
import { getDialect } from '../../../../src/business/record-sets/dialect.ts';
import type { RecordSet } from '../../../../src/business/record-sets/record-set.ts';
import { createOperationPlans } from '../../../../src/graph/operation-plans.ts';
import { selectNothing } from '../../../../src/graph/selected-object.ts';
import { createWholeView } from '../../../support/cases/whole-view.ts';

const schema = buildSchema(`
  type Query { order: Order }
  type Order { id: ID number: String status: String documentLines: [Line!] term: Term }
  type Line { id: ID itemNo: String item: Item account: Account }
  type Term { id: ID code: String }
  type Account { id: ID number: String }
  type Item { id: ID }
`);

function selectionOf(source: string) {
  const document = parse(source);
  const operation = document.definitions[0] as OperationDefinitionNode;
  return createOperationPlans(schema)(document, operation, {}).selection.ofType('Order');
}

const dialect = getDialect('document');
const terms = { type: 'Term', fields: { id: 'uuid', code: 'text' } } as const;
const accounts = { type: 'Account', fields: { id: 'uuid', number: 'text' } } as const;

const lines = {
  type: 'Line',
  fields: { id: 'uuid', itemNo: 'text', quantity: 'decimal', accountId: 'uuid' },
  relations: { account: { target: accounts, idColumn: 'accountId', navigations: ['account'] } },
  sourceColumns: { item: ['itemNo'] },
  dialects: { dynamics: { names: { itemNo: 'objectNumber' } } },
} as const;

const orders = {
  type: 'Order',
  entitySet: 'orders',
  route: 'v2.0',
  fields: { id: 'uuid', number: 'text', status: 'word' },
  relations: {
    documentLines: { navigations: ['orderLines', 'documentLines'], target: lines, isMany: true },
    term: { navigations: ['paymentTerm'], target: terms },
  },
} as const satisfies RecordSet;

const names = (view: { columns: readonly { name: string }[] }) => view.columns.map(({ name }) => name);
const linesQuery = '{ order { number documentLines { item { id } } } }';
const withLines = selectionOf(linesQuery);

describe('a view', () => {
  test('expands the children with the columns selected of them', () => {
    const view = createView(orders, dialect, withLines);

    expect(names(view)).toEqual(['id', 'number']);
    expect(view.options).toEqual({ $select: 'id,number', $expand: 'orderLines($select=itemNo)' });
  });

  test('without optional expansions keeps the rows that come only so', () => {
    const selection = selectionOf('{ order { term { code } documentLines { itemNo account { number } } } }');
    const view = createView(orders, dialect, selection);

    expect(view.plain?.options).toEqual({
      $select: 'id',
      $expand: 'orderLines($select=itemNo,accountId)',
    });
    expect(view.plain?.plain).toBeNull();
    expect(createView(orders, dialect, selection, () => false).options).toEqual(view.plain?.options);
  });
});

describe('a record', () => {
  const row = {
    '@odata.etag': 'W/"1"',
    id: 'A1B2C3D4-0000-4000-8000-0000000000FF',
    number: '',
    status: 'Draft',
    unasked: true,
  };
  const line = { id: null, itemNo: '1000', quantity: 2.5 };

  test('has its company, its tag and the columns of the view', () => {
    expect(
      copyRecord(parseRecord(createWholeView({ ...orders, relations: {} } as RecordSet), row, 'company')),
    ).toEqual({
      companyId: 'company',
      etag: 'W/"1"',
      id: 'a1b2c3d4-0000-4000-8000-0000000000ff',
      number: null,
      status: 'Draft',
    });
  });

  test.each([['orderLines'], ['documentLines']])('has its children, which come as %s', (navigation) => {
    const record = parseRecord(
      createWholeView(orders),
      { ...row, [navigation]: [line, null, 'x'] },
      'company',
    );

    expect(record).toMatchObject({
      documentLines: [{ companyId: 'company', id: null, itemNo: '1000', quantity: '2.5' }],
    });
  });

  test.each([
    ['null where the upstream says so', { paymentTerm: null }, null],
    ['nothing where none came', {}, undefined],
    ['nothing where what came has no id', { paymentTerm: { code: '30D' } }, undefined],
  ])('has of a relation %s', (_what, more, expected) => {
    const record = parseRecord(createWholeView(orders), { ...row, ...more }, 'company');

    expect((record as { term?: unknown }).term).toBe(expected);
  });

  test.each([[undefined], [''], ['00000000-0000-0000-0000-000000000000'], ['x'.repeat(36)]])(
    'with the id %j is an error, and does not come with another record',
    (id) => {
      expect(() => parseRecord(createWholeView(orders), { ...row, id }, 'company')).toThrow('no id');
      const paymentTerm = { id, code: '30D' };
      const record = parseRecord(createWholeView(orders), { ...row, paymentTerm }, 'company');
      expect((record as { term?: unknown }).term).toBeUndefined();
    },
  );
});

describe('a path', () => {
  test.each([
    [null, undefined, '/api/v2.0/orders'],
    [null, 'r', '/api/v2.0/orders(r)'],
    ['c', 'r', '/api/v2.0/companies(c)/orders(r)'],
  ])('of company %s and record %s is %s', (companyId, id, path) => {
    expect(recordPath(orders, companyId, id)).toBe(path);
  });

  test('carries other options and those of the view', () => {
    expect(appendQuery('/orders', createView(orders, dialect, withLines), { $filter: 'id eq 1' })).toBe(
      '/orders?$filter=id%20eq%201&$select=id,number&$expand=orderLines($select=itemNo)',
    );
    expect(appendQuery('/orders', { ...createView(orders, dialect, selectNothing), query: '' })).toBe(
      '/orders',
    );
  });
});
