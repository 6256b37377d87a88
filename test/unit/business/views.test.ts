import { buildSchema, type OperationDefinitionNode, parse } from 'graphql';
import { describe, expect, test } from 'vitest';
import { dialectOf } from '../../../src/business/dialect.ts';
import type { RecordSet } from '../../../src/business/records.ts';
import {
  createView,
  fullView,
  pathOf,
  readRecord,
  viewOf,
  withOptions,
} from '../../../src/business/views.ts';
import { createSelections } from '../../../src/graph/selection.ts';

const schema = buildSchema(`
  type Query { order: Order }
  type Order { id: ID number: String status: String statusRaw: String documentLines: [Line!] term: Term }
  type Line { id: ID itemNo: String item: Item account: Account }
  type Term { id: ID code: String }
  type Account { id: ID number: String }
  type Item { id: ID }
`);

function selectionOf(source: string) {
  const document = parse(source);
  return createSelections(schema)(document, document.definitions[0] as OperationDefinitionNode, {});
}

const dialect = dialectOf('document');
const terms = { type: 'Term', fields: { id: 'uuid', code: 'text' } } as const;
const accounts = { type: 'Account', fields: { id: 'uuid', number: 'text' } } as const;

const lines = {
  type: 'Line',
  fields: { id: 'uuid', itemNo: 'text', quantity: 'decimal', accountId: 'uuid' },
  needs: { item: ['itemNo'], account: ['accountId'] },
  expansions: { account: { navigations: ['account'], shape: accounts, isMany: false } },
  dialects: { dynamics: { names: { itemNo: 'objectNumber' }, needs: {} } },
} as const;

const orders = {
  type: 'Order',
  entitySet: 'orders',
  apiVersion: 'v2.0',
  fields: { id: 'uuid', number: 'text', status: { names: { Draft: 'DRAFT' } } },
  expansions: {
    documentLines: { navigations: ['orderLines', 'documentLines'], shape: lines, isMany: true },
    term: { navigations: ['paymentTerm'], shape: terms, isMany: false },
  },
} as const satisfies RecordSet;

const names = (view: { columns: readonly { name: string }[] }) => view.columns.map(({ name }) => name);
const none = selectionOf('{ __typename }');
const linesQuery = '{ order { number documentLines { item { id } } } }';
const withLines = selectionOf(linesQuery);

describe('a view', () => {
  test('asks for the columns selected and nothing else', () => {
    const view = createView(orders, dialect, new Set(['number', 'statusRaw']), none);

    expect(names(view)).toEqual(['id', 'number', 'status']);
    expect(view.expansions).toEqual([]);
    expect(view.options).toEqual({ $select: 'id,number,status' });
  });

  test('expands the children with the columns selected of them', () => {
    const view = viewOf(orders, dialect, withLines);

    expect(names(view)).toEqual(['id', 'number']);
    expect(view.options).toEqual({ $select: 'id,number', $expand: 'orderLines($select=itemNo)' });
  });

  test('asks for columns by the names of the dialect', () => {
    expect(viewOf(orders, dialectOf('dynamics'), selectionOf(linesQuery)).options).toEqual({
      $select: 'id,number',
      $expand: 'orderLines($select=objectNumber)',
    });
  });

  test('expands children of which nothing is selected without choosing columns', () => {
    const view = viewOf(orders, dialect, selectionOf('{ order { documentLines { __typename } } }'));

    expect(view.options).toEqual({ $select: 'id', $expand: 'orderLines' });
  });

  test('expands to several levels, a record always with its id', () => {
    const selection = selectionOf('{ order { term { code } documentLines { itemNo account { number } } } }');

    expect(viewOf(orders, dialect, selection).options).toEqual({
      $select: 'id',
      $expand:
        'orderLines($select=itemNo,accountId;$expand=account($select=id,number)),paymentTerm($select=id,code)',
    });
  });

  test('is made once for each set and selection', () => {
    const other = selectionOf('{ order { number } }');

    expect(viewOf(orders, dialect, withLines)).toBe(viewOf(orders, dialect, withLines));
    expect(viewOf(orders, dialect, withLines)).not.toBe(viewOf(orders, dialect, other));
    expect(viewOf(orders, dialect, withLines)).not.toBe(viewOf({ ...orders }, dialect, withLines));
  });

  test('in full has every column, of the children too, and asks for nothing', () => {
    const view = fullView(orders, dialect);

    expect(names(view)).toEqual(['id', 'number', 'status']);
    expect(view.expansions.map(({ field, rows }) => [field, names(rows)])).toEqual([
      ['documentLines', ['id', 'itemNo', 'quantity', 'accountId']],
      ['term', ['id', 'code']],
    ]);
    expect(view.options).toEqual({});
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
    expect(readRecord(fullView({ ...orders, expansions: {} } as RecordSet, dialect), row, 'company')).toEqual(
      {
        companyId: 'company',
        etag: 'W/"1"',
        id: 'a1b2c3d4-0000-4000-8000-0000000000ff',
        number: null,
        status: 'DRAFT',
        statusRaw: 'Draft',
      },
    );
  });

  test.each([['orderLines'], ['documentLines']])('has its children, which come as %s', (navigation) => {
    const record = readRecord(
      fullView(orders, dialect),
      { ...row, [navigation]: [line, null, 'x'] },
      'company',
    );

    expect(record).toMatchObject({
      documentLines: [{ companyId: 'company', id: null, itemNo: '1000', quantity: '2.5' }],
    });
  });

  test('has no children where none came', () => {
    const record = readRecord(fullView(orders, dialect), row, 'company') as { documentLines?: unknown };

    expect(record.documentLines ?? null).toBeNull();
  });

  test('has the record that came with it, and what comes with that', () => {
    const account = { id: row.id, number: '4010' };
    const record = readRecord(
      fullView(orders, dialect),
      { ...row, paymentTerm: { id: row.id, code: '30D' }, orderLines: [{ ...line, account }] },
      'company',
    );

    expect(record).toMatchObject({
      term: { companyId: 'company', code: '30D' },
      documentLines: [{ account: { companyId: 'company', number: '4010' } }],
    });
  });

  test.each([
    ['null where the upstream says so', { paymentTerm: null }, null],
    ['nothing where none came', {}, undefined],
    ['nothing where what came is no record', { paymentTerm: 'x' }, undefined],
    ['nothing where what came has no id', { paymentTerm: { code: '30D' } }, undefined],
  ])('has of a relation %s', (_what, more, expected) => {
    const record = readRecord(fullView(orders, dialect), { ...row, ...more }, 'company');

    expect((record as { term?: unknown }).term).toBe(expected);
  });

  test('without a tag has none', () => {
    expect(readRecord(fullView(orders, dialect), { id: row.id }, null)).toMatchObject({
      etag: null,
      companyId: null,
    });
  });
});

describe('a path', () => {
  test.each([
    [null, undefined, '/api/v2.0/orders'],
    [null, 'r', '/api/v2.0/orders(r)'],
    ['c', undefined, '/api/v2.0/companies(c)/orders'],
    ['c', 'r', '/api/v2.0/companies(c)/orders(r)'],
  ])('of company %s and record %s is %s', (companyId, id, path) => {
    expect(pathOf(orders, companyId, id)).toBe(path);
  });

  test('has the version of its set', () => {
    expect(pathOf({ ...orders, apiVersion: 'v1.0' }, 'c')).toBe('/api/v1.0/companies(c)/orders');
  });

  test('carries other options and those of the view', () => {
    expect(withOptions('/orders', viewOf(orders, dialect, withLines), { $filter: 'id eq 1' })).toBe(
      '/orders?$filter=id%20eq%201&$select=id,number&$expand=orderLines($select=itemNo)',
    );
    expect(withOptions('/orders', fullView(orders, dialect))).toBe('/orders');
  });
});
