import { expect, test } from 'vitest';
import { compileList } from '../../../../src/business/reading/filters.ts';
import { selectColumns } from '../../../../src/business/record-sets/columns.ts';
import { getDialect } from '../../../../src/business/record-sets/dialect.ts';
import type { RowShape } from '../../../../src/business/record-sets/record-set.ts';
import { encodeInput } from '../../../../src/business/writing/write-fields.ts';

const dialect = getDialect('document');
const itemId = '3f0b2a64-5b8e-4a44-9d5e-0f4f3f9b6c11';

/** Fields whose names mean something else in other types, or other columns. */
const shape: RowShape = {
  type: 'Odd',
  fields: {
    id: 'uuid',
    subject: 'text',
    item: 'text',
    itemId: 'uuid',
    note: 'text',
    noteRaw: 'text',
    state: 'word',
    method: 'word',
  },
  columnNames: { subject: 'Subject_Line', state: 'Status', note: 'Note_Text' },
};

test('a field is a column, though its name is that of a reference', () => {
  const input = { subject: 'a', item: 'b', itemId, noteRaw: 'c', state: 'Odd' };

  expect(encodeInput(shape, dialect, input, [])).toEqual({
    body: { Subject_Line: 'a', item: 'b', itemId, noteRaw: 'c', Status: 'Odd' },
    faults: [],
  });
});

test('columns are selected, filtered and sorted by their own names', () => {
  const columns = selectColumns(shape, dialect, ['noteRaw', 'state', 'note']);
  const { condition, orderBy } = compileList(shape, dialect, {
    filter: { state: { eq: 'Open' }, note: { contains: 'x' } },
    orderBy: ['SUBJECT_DESC', 'ITEM_ASC'],
  });

  expect(columns.map(({ name }) => name)).toEqual(['Note_Text', 'noteRaw', 'Status']);
  expect(condition).toMatchObject({ text: "Status eq 'Open' and contains(Note_Text,'x')" });
  expect(orderBy).toBe('Subject_Line desc,item');
});
