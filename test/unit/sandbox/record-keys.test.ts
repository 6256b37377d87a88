import { expect, test } from 'vitest';
import type { SetField } from '../../../sandbox/business/entity-set.ts';
import {
  booleanField,
  codeField,
  dateField,
  decimalField,
  entitySet,
  guidField,
  integerField,
  readOnly,
  textField,
} from '../../../sandbox/business/entity-set.ts';
import {
  parseRecordKey,
  recordId,
  referencedId,
  referenceTo,
} from '../../../sandbox/business/record-keys.ts';

const setOf = (...fields: SetField[]) =>
  entitySet('things', 'thing', fields, { key: fields.map(({ name }) => name) });

test.for([
  [guidField('k', readOnly), '0E0F0986-928f-40d7-8834-d1910255a423', '0e0f0986-928f-40d7-8834-d1910255a423'],
  [dateField('k'), '2024-02-29', '2024-02-29'],
  [booleanField('k'), 'false', 'false'],
  [integerField('k', readOnly), '-7', '-7'],
  [decimalField('k'), '1.50', '1.5'],
  [textField('k', 20), "'it''s'", "'it''s'"],
  [codeField('k', 20), "'a-1'", "'A-1'"],
] as const)('a key of the kind of %j is written %s', ([field, given, id]) => {
  const set = setOf(field);

  expect(parseRecordKey(set, given)).toBe(id);
  expect(parseRecordKey(set, `k=${given}`)).toBe(id);
  expect(parseRecordKey(setOf(field, integerField('n')), `n=1,k=${given}`)).toBe(`k=${id},n=1`);
});

test.for([
  [guidField('k'), "'0e0f0986-928f-40d7-8834-d1910255a423'"],
  [dateField('k'), "'2024-02-29'"],
  [dateField('k'), '2024-02-30'],
  [booleanField('k'), '0'],
  [integerField('k'), '1.5'],
  [decimalField('k'), "'1.5'"],
  [textField('k', 20), '0e0f0986-928f-40d7-8834-d1910255a423'],
  [textField('k', 20), '2024-02-29'],
  [textField('k', 20), '7'],
] as const)('a key of the kind of %j is not written %s', ([field, given]) => {
  expect(() => parseRecordKey(setOf(field), given)).toThrow();
});

test('a field refers to a record by the value of its key, where that is one column', () => {
  const codes = setOf(codeField('code', 20));
  const pairs = setOf(codeField('code', 20), integerField('n'));

  expect(referencedId(codes, "O'HARE")).toBe("'O''HARE'");
  expect(referenceTo(recordId(codes, { code: "O'HARE" }), codeField('from', 20))).toBe("O'HARE");
  expect(referenceTo('7', integerField('from'))).toBe(7);
  expect(referenceTo('7', guidField('from'))).toBeUndefined();
  expect(referencedId(pairs, 'A')).toBeUndefined();
});
