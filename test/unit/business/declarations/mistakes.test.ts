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
    'a field that every object has',
    email,
    'constructor: String',
    '`constructor` cannot be the name of a field.',
  ],
  ['a field that every record has', email, 'companyId: UUID', 'Every record has a field `companyId`.'],
  ['a field that filters have', email, 'and: String', '`and` cannot be the name of a field.'],
  [
    'two fields of one column',
    email,
    'email: String @column(name: "iban")',
    '`email` reads the column `iban`, too.',
  ],
  ['a key that is no GUID', email, 'id: String', '`id` is the key, a `UUID`.'],
  [
    'an entity tag from a column',
    email,
    'etag: String @column(name: "x")',
    '`etag` is the entity tag, a `String`.',
  ],
  [
    'a column that is no name',
    email,
    'email: String @column(name: "email,iban")',
    '`name: "email,iban"` is no name of a column.',
  ],
  ['a column of several values', email, 'email: [String]', 'A column has one value.'],
  [
    'a kind of no text',
    email,
    'email: Int @column(kind: CODE)',
    '`kind` is for texts, and `email` is `Int`.',
  ],
  [
    'JSON that is written',
    email,
    'email: JSON @column(write: [UPDATE])',
    'A field of type `JSON` can only be read.',
  ],
  [
    'a requirement of no create',
    email,
    'email: String @column(write: [UPDATE], required: true)',
    'No create takes it.',
  ],
  [
    'a field that code would make',
    email,
    'email: String @reads(columns: [])',
    '`@reads` and `takes` are for fields that code makes, of the product or of EXTENSIONS.',
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
  ['a relation by no id', email, 'email: Employee @relation(key: "town")', 'The field `town` is `String`'],
  ['a relation by no field', email, 'email: Employee @relation(key: "boss")', 'There is no field `boss`.'],
  [
    'a navigation that is no name',
    email,
    'email: Employee @relation(expand: "a($top=1)")',
    '`expand: "a($top=1)"` is no name',
  ],
  ['rows by a key', email, 'email: [StaffMember!] @relation(key: "id")', 'Rows come by `$expand`.'],
  [
    'an entity set that is no name',
    head,
    record('set: "../companies", many: "staffMembers"'),
    '`set: "../companies"` is no name',
  ],
  [
    'a malformed route',
    head,
    record('set: "employees", many: "staffMembers", route: "../v2.0"'),
    '`route: "../v2.0"` is not',
  ],
  [
    'one name for one and many',
    head,
    record('set: "x", many: "staffMember"'),
    'One record and the list have the same name',
  ],
  [
    'nothing to watch it by',
    '  lastModifiedDateTime: DateTime',
    '  changed: DateTime',
    '`watch` needs a field `lastModifiedDateTime: DateTime`',
  ],
  [
    'a field of companies',
    head,
    record('set: "employees"'),
    '`Company.employees`, which derives from `StaffMember`, is in the graph already.',
  ],
  [
    'a type that derives from another',
    'type StaffMember',
    'type CustomerFilter',
    'Type "CustomerFilter" already exists',
  ],
  [
    'a scalar',
    'type StaffMember',
    'scalar Shoe type StaffMember',
    'A file declares types, and adds lists to others',
  ],
  ['no description', '"First name."\n', '', 'Say what `firstName` is'],
  [
    'a directive of the graph',
    email,
    'email: String @semanticNonNull(levels: [5])',
    'A file has the directives of declarations',
  ],
  ['an argument of a field', email, 'email(x: Int): String', 'A field of a file takes no arguments.'],
  ['a value that is always there', email, 'email: String!', 'The upstream may leave `email` unset.'],
  [
    'another name that is none',
    email,
    'email: String @dialect(name: DOCUMENT, column: "a,b")',
    '`column: "a,b"` is no name of a column.',
  ],
  [
    'columns that are not there',
    email,
    'email: Employee @relation(expand: "x") @dialect(name: DOCUMENT, reads: ["nope"])',
    'There is no column `nope` to read.',
  ],
  [
    'an interface',
    head,
    'type StaffMember implements Node @record(set: "x")',
    'A type of a file implements no interface.',
  ],
  [
    'a need of what no create takes',
    head,
    'type StaffMember @record(set: "x", needsOneOf: ["nope"])',
    '`needsOneOf` names `nope`',
  ],
  [
    'an action that is no name',
    head,
    'type StaffMember @record(set: "x") @action(name: "a/b", mutation: "go", effect: KEEPS, does: "D", after: "A")',
    '`name: "a/b"` is no name of an action.',
  ],
  [
    'a mutation that is no name',
    head,
    'type StaffMember @record(set: "x") @action(name: "a", mutation: "1x", effect: KEEPS, does: "D", after: "A")',
    '`mutation: "1x"` cannot be the name',
  ],
  [
    'a result that no file declares',
    head,
    'type StaffMember @record(set: "x") @action(name: "a", mutation: "go", effect: KEEPS, does: "D", after: "A", result: "Customer")',
    '`result: "Customer"` is no type of records that the files declare.',
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
    'to companies',
    'extend type Company { "It." crew: [StaffMember!] @list(by: "id") }',
    '`Company` is no type of records',
  ],
  [
    'by another field of a type of the graph',
    'extend type Customer { "It." staff: [StaffMember!] @list(by: "town", equals: "number") }',
    'Records of `Customer` can list others by their `id` only.',
  ],
  [
    'by different types',
    'extend type Customer { "It." staff: [StaffMember!] @list(by: "town") }',
    'It compares `String` with `UUID`.',
  ],
  [
    'by no column',
    'extend type Customer { "It." staff: [StaffMember!] @list(by: "boss") }',
    '`StaffMember` has no column `boss`.',
  ],
  [
    'that the owner has',
    'extend type Customer { "It." salesOrders: [StaffMember!] @list(by: "id") }',
    'Field "Customer.salesOrders" already exists',
  ],
  [
    'with a condition on no text',
    'extend type Customer { "It." staff: [StaffMember!] @list(by: "id", where: "birthDate", is: "x or 1 eq 1") }',
    '`where` and `is` go together',
  ],
  [
    'without `@list`',
    'extend type Customer { "It." shoeSize: Int }',
    'To another type, a file adds lists only.',
  ],
])('a list %s is refused', ([, added, mistake]) => {
  expect(mistakesOf(`${staff}\n${added}`)).toEqual([expect.stringContaining(mistake)]);
});

test('what derives from two files has one name once', () => {
  const other = changed(buyer, 'type Buyer', 'type StaffMemberConnection');

  expect(mistakesOf(staff, other)).toEqual([
    expect.stringContaining(
      '`StaffMemberConnection`, which derives from `StaffMemberConnection`, derives from `StaffMember` already.',
    ),
  ]);
});

test('the mistakes of all files are told at once', () => {
  const unknown = changed(staff, 'firstName: String', 'firstName: Strng');

  expect(
    mistakesOf(unknown, changed(buyer, 'city: String', 'city: Strng')).map((one) => one.split(':')[0]),
  ).toEqual(['0.graphql', '1.graphql']);
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
