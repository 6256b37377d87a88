import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { productRecordTypes } from '../../../../src/app/schema/product-record-types.ts';
import { createSchema } from '../../../../src/app/schema/schema.ts';
import { formatMistake } from '../../../../src/business/declarations/mistakes.ts';
import { readDeclarations } from '../../../../src/business/declarations/record-types.ts';

const textOf = (name: string) =>
  readFileSync(new URL(`../../../fixtures/records/${name}.graphql`, import.meta.url), 'utf8');
const [staff, buyer, offer] = ['staff-members', 'buyers', 'offers'].map(textOf) as [string, string, string];

const base = productRecordTypes();

/** The mistakes of files, each named by its place in the list. */
function mistakesOf(...texts: readonly string[]): readonly string[] {
  const files = texts.map((text, index) => ({ file: `${index}.graphql`, text }));
  const read = readDeclarations(base, files, createSchema(base));
  return 'mistakes' in read ? read.mistakes.map(formatMistake) : [];
}

/** A text with a part replaced, which it must have. */
function changed(text: string, part: string, other: string): string {
  expect(text).toContain(part);
  return text.replace(part, other);
}

test('files without a mistake are taken, whatever their order', () => {
  expect(mistakesOf(staff, buyer, offer)).toEqual([]);
  expect(mistakesOf(offer, staff, buyer)).toEqual([]);
});

describe('a text that is not GraphQL is told', () => {
  test('with line and column where it declares records', () => {
    expect(mistakesOf(changed(staff, 'firstName: String', 'firstName String'))).toEqual([
      expect.stringMatching(/^0\.graphql:10:13: It is not GraphQL\. Expected ":", found Name "String"/),
    ]);
  });

  test.each(['', 'sEcReT', '{"sEcReT": 1}'])('without a word of it where it declares none: %s', (text) => {
    expect(mistakesOf(text).join()).not.toContain('sEcReT');
    expect(mistakesOf(text)).toEqual([expect.stringContaining('0.graphql')]);
  });
});

const email = 'email: String @column(write: [CREATE, UPDATE])';
const head =
  'type StaffMember\n  @record(set: "employees", many: "staffMembers", write: [CREATE, UPDATE, DELETE], watch: true)\n';
const record = (given: string) => `type StaffMember @record(${given})`;

test.for<[what: string, part: string, other: string, mistake: string]>([
  ['an unknown type', email, 'email: Text', 'Unknown type "Text".'],
  ['a field in upper case', email, 'Email: String', '`Email` cannot be the name of a field.'],
  [
    'two fields of one column',
    email,
    'email: String @column(name: "iban")',
    '`email` reads the column `iban`, too.',
  ],
  ['a key that is no GUID', email, 'id: String', '`id` is the key, a `UUID`.'],
  [
    'a column that is no name',
    email,
    'email: String @column(name: "email,iban")',
    '`name: "email,iban"` is no name of a column.',
  ],
  ['a column of several values', email, 'email: [String]', 'A column has one value.'],
  [
    'JSON that is written',
    email,
    'email: JSON @column(write: [UPDATE])',
    'A field of type `JSON` can only be read.',
  ],
  ['a field of no scalar', email, 'email: Employee', 'Nothing says how `email` is read.'],
  [
    'a path that leaves the record',
    'path: "picture/pictureContent"',
    'path: "../../x"',
    '`path: "../../x"` is not a path',
  ],
  [
    'a relation to no record',
    email,
    'email: PageInfo @relation(key: "id")',
    '`PageInfo` is no type of records.',
  ],
  ['a relation by nothing', email, 'email: Employee @relation', 'Nothing leads to the record.'],
  [
    'an entity set that is no name',
    head,
    record('set: "../companies", many: "staffMembers"'),
    '`set: "../companies"` is no name',
  ],
  [
    'nothing to watch it by',
    '  lastModifiedDateTime: DateTime',
    '  changed: DateTime',
    '`watch` needs a field `lastModifiedDateTime: DateTime`',
  ],
  ['no description', '"First name."\n', '', 'Say what `firstName` is'],
  ['an argument of a field', email, 'email(x: Int): String', 'A field of a file takes no arguments.'],
  ['a value that is always there', email, 'email: String!', 'The upstream may leave `email` unset.'],
  [
    'an action that is no name',
    head,
    'type StaffMember @record(set: "x") @action(name: "a/b", mutation: "go", effect: KEEPS, does: "D", after: "A")',
    '`name: "a/b"` is no name of an action.',
  ],
  [
    'a result by no column',
    head,
    'type StaffMember @record(set: "x") @action(name: "ab", mutation: "go", effect: KEEPS, result: "StaffMember", resultBy: "street", does: "D", after: "A")',
    '`resultBy: "street"` is no column of the result.',
  ],
])('%s is told in one sentence, with its line and column', ([, part, other, mistake]) => {
  const told = mistakesOf(changed(staff, part, other));

  expect(told[0]).toContain(mistake);
  expect(told[0]).toMatch(/^0\.graphql:\d+:\d+: /);
});

test.for<[what: string, added: string, mistake: string]>([
  [
    'to a type that is not there',
    'extend type Team { "It." staff: [StaffMember!] @list(by: "id") }',
    'Cannot extend type "Team"',
  ],
  [
    'by another field of a type of the graph',
    'extend type Customer { "It." staff: [StaffMember!] @list(by: "town", equals: "number") }',
    'Records of `Customer` can list others by their `id` only.',
  ],
  [
    'without `@list`',
    'extend type Customer { "It." shoeSize: Int }',
    'To another type, a file adds lists only.',
  ],
  [
    'where no column has a value',
    'extend type Customer { "It." staff: [StaffMember!] @list(by: "id", where: "street", is: "Bergen") }',
    '`where` and `is` go together',
  ],
])('a list %s is refused', ([, added, mistake]) => {
  expect(mistakesOf(`${staff}\n${added}`)).toEqual([expect.stringContaining(mistake)]);
});

const action = '@action(name: "a/b", mutation: "go", effect: KEEPS, does: "D", after: "A")';

test.for<[argument: string, part: string, other: string]>([
  ['set: "a b"', head, record('many: "staffMembers", set: "a b"')],
  ['kind: CODE', email, 'email: Int @column(write: [CREATE], kind: CODE)'],
  ['key: "boss"', email, 'email: Employee @relation(expand: "a", key: "boss")'],
  ['name: "a/b"', head, `type StaffMember @record(set: "x") ${action.replace('a/b', 'ab')} ${action}`],
])('a mistake in an argument is told at its line and column: %s', ([argument, part, other]) => {
  const text = changed(staff, part, other);
  const before = text.slice(0, text.indexOf(argument, text.indexOf(other))).split('\n');
  const column = (before.at(-1)?.length ?? 0) + 1;

  expect(mistakesOf(text)[0]).toMatch(new RegExp(`^0\\.graphql:${before.length}:${column}: `));
});
