import { buildSchema, type OperationDefinitionNode, parse } from 'graphql';
import { describe, expect, test } from 'vitest';
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
  type Order { id: ID number: String status: String statusRaw: String documentLines: [Line!] }
  type Line { id: ID itemNo: String item: Item }
  type Item { id: ID }
`);

function selectionOf(source: string) {
  const document = parse(source);
  return createSelections(schema)(document, document.definitions[0] as OperationDefinitionNode, {});
}

const lines = {
  type: 'Line',
  fields: { id: 'uuid', itemNo: 'text', quantity: 'decimal' },
  needs: { item: ['itemNo'] },
} as const;

const orders = {
  type: 'Order',
  entitySet: 'orders',
  apiVersion: 'v2.0',
  fields: { id: 'uuid', number: 'text', status: { names: { Draft: 'DRAFT' } } },
  children: { field: 'documentLines', navigations: ['orderLines', 'documentLines'], shape: lines },
} as const satisfies RecordSet;

const none = selectionOf('{ __typename }');
const withLines = selectionOf('{ order { number documentLines { item { id } } } }');

describe('a view', () => {
  test('asks for the columns selected and nothing else', () => {
    const view = createView(orders, new Set(['number', 'statusRaw']), none);

    expect(view).toMatchObject({ columns: ['id', 'number', 'status'], childColumns: null });
    expect(view.options).toEqual({ $select: 'id,number,status' });
  });

  test('expands the children with the columns selected of them', () => {
    const view = viewOf(orders, withLines);

    expect(view).toMatchObject({ columns: ['id', 'number'], childColumns: ['itemNo'] });
    expect(view.options).toEqual({ $select: 'id,number', $expand: 'orderLines($select=itemNo)' });
  });

  test('expands children of which nothing is selected without choosing columns', () => {
    const view = viewOf(orders, selectionOf('{ order { documentLines { __typename } } }'));

    expect(view.options).toEqual({ $select: 'id', $expand: 'orderLines' });
  });

  test('is made once for each set and selection', () => {
    const other = selectionOf('{ order { number } }');

    expect(viewOf(orders, withLines)).toBe(viewOf(orders, withLines));
    expect(viewOf(orders, withLines)).not.toBe(viewOf(orders, other));
    expect(viewOf(orders, withLines)).not.toBe(viewOf({ ...orders }, withLines));
  });

  test('in full has every column, of the children too, and asks for nothing', () => {
    expect(fullView(orders)).toMatchObject({
      columns: ['id', 'number', 'status'],
      childColumns: ['id', 'itemNo', 'quantity'],
      options: {},
    });
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
    expect(readRecord(fullView({ ...orders, children: undefined } as never), row, 'company')).toEqual({
      companyId: 'company',
      etag: 'W/"1"',
      id: 'a1b2c3d4-0000-4000-8000-0000000000ff',
      number: null,
      status: 'DRAFT',
      statusRaw: 'Draft',
    });
  });

  test.each([['orderLines'], ['documentLines']])('has its children, which come as %s', (navigation) => {
    const record = readRecord(fullView(orders), { ...row, [navigation]: [line, null, 'x'] }, 'company');

    expect(record).toMatchObject({
      documentLines: [{ companyId: 'company', id: null, itemNo: '1000', quantity: '2.5' }],
    });
  });

  test('has no children where none came', () => {
    const record = readRecord(fullView(orders), row, 'company') as { documentLines?: unknown };

    expect(record.documentLines ?? null).toBeNull();
  });

  test('without a tag has none', () => {
    expect(readRecord(fullView(orders), { id: row.id }, null)).toMatchObject({ etag: null, companyId: null });
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
    expect(withOptions('/orders', viewOf(orders, withLines), { $filter: 'id eq 1' })).toBe(
      '/orders?$filter=id%20eq%201&$select=id,number&$expand=orderLines($select=itemNo)',
    );
    expect(withOptions('/orders', fullView(orders))).toBe('/orders');
  });
});
