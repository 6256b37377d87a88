import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { productRecordFiles, productRecordTypes } from '../../../../src/app/schema/product-record-types.ts';
import { readTypeDefs } from '../../../../src/app/schema/sdl.ts';
import { listNames } from '../../../../src/business/record-files/file-rules.ts';
import { formatMistake } from '../../../../src/business/record-files/record-file.ts';
import { addRecordFiles } from '../../../../src/business/record-files/record-type-list.ts';
import { recordTypes } from '../../../../src/business/records/index.ts';
import type { Json } from '../../../support/json.ts';

const textOf = (name: string) =>
  readFileSync(new URL(`../../../fixtures/records/${name}.json`, import.meta.url), 'utf8');
const [staff, buyer, offer] = ['staff-members', 'buyers', 'offers'].map(textOf) as [string, string, string];

const base = productRecordTypes();
const existing = new Set(listNames(readTypeDefs(base)));

/** The mistakes of files, each named by its place in the list. */
function mistakesOf(...texts: readonly string[]): readonly string[] {
  const files = texts.map((text, index) => ({ file: `${index}.json`, text }));
  const added = addRecordFiles(base, files, () => existing);
  return 'mistakes' in added ? added.mistakes.map(formatMistake) : [];
}

/** A file with a difference. */
function changed(text: string, change: (file: Json) => void): string {
  const file = JSON.parse(text);
  change(file);
  return JSON.stringify(file);
}

test('files that keep all rules are taken, whatever their order', () => {
  expect(mistakesOf(staff, buyer, offer)).toEqual([]);
  expect(mistakesOf(offer, staff, buyer)).toEqual([]);
});

test('the files of the product keep all rules beside the types in code', () => {
  const { texts, mistakes } = productRecordFiles();
  const builtIn = { recordTypes, typeDefs: [] };

  const added = addRecordFiles(builtIn, texts, () => new Set(listNames(readTypeDefs(builtIn))));

  expect([...mistakes, ...('mistakes' in added ? added.mistakes : [])].map(formatMistake)).toEqual([]);
});

test.for<[what: string, text: string, mistake: string]>([
  ['an end in the middle', staff.slice(0, 400), '0.json: line 19: It is not JSON.'],
  [
    'a comma too many',
    '{\n  "version": 1,\n}',
    '0.json: line 3: It is not JSON. Quoted object key expected but got',
  ],
  ['nothing', '', '0.json: line 1: It is not JSON. JSON value expected'],
  [
    'a name twice',
    '{\n"version": 1,\n"version": 2}',
    "0.json: line 3: It is not JSON. Duplicate key 'version'.",
  ],
  ['endless nesting', '['.repeat(500_000), '0.json: It is nested too deep'],
])('a file with %s is refused with its line', ([, text, mistake]) => {
  expect(mistakesOf(text).join('\n')).toContain(mistake);
});

test.for<[what: string, text: string, mistake: string]>([
  ['a token', 'sEcReT', 'line 1: It is not JSON. JSON value expected.'],
  ['a token in braces', '{sEcReT}', 'line 1: It is not JSON. Quoted object key expected.'],
  ['names twice', '{\n"sEcReT":1,"sEcReT":2}', 'line 2: It is not JSON. Duplicate key.'],
  ['other names', '{"sEcReT":1}', 'It is not a record file: expected a JSON object with `"version": 1`.'],
  ['a list', '["sEcReT"]', 'It is not a record file: expected a JSON object with `"version": 1`.'],
  ['null', 'null', 'It is not a record file: expected a JSON object with `"version": 1`.'],
])('of a file with %s, which is no record file, nothing is told but that', ([, text, mistake]) => {
  expect(mistakesOf(text)).toEqual([`0.json: ${mistake}`]);
});

test.for(['"__proto__"', '"\\u005f_proto__"'])('a name %s is told with its place', (name) => {
  const field = `${name}:{"kind":"text","description":"X."}`;

  expect(mistakesOf(staff.replace('"fields": {', `"fields": {${field},`))).toEqual([
    '0.json: fields.__proto__: The format has no such name. Remove it, or correct it.',
  ]);
  expect(mistakesOf(buyer.replace('{', `{"listedBy":{${name}:{"description":"X.","fields":{}}},`))).toEqual([
    '0.json: listedBy.__proto__: The format has no such name. Remove it, or correct it.',
  ]);
});

test('a file that begins with a byte-order mark is taken', () => {
  expect(mistakesOf(`\uFEFF${staff}`)).toEqual([]);
});

test.for<[what: string, mistake: string, change: (file: Json) => void]>([
  ['no type', 'type: It is missing: expected string.', (file) => delete file.type],
  [
    'fields of another type',
    'fields: It has another type: expected object.',
    (file) => Object.assign(file, { fields: [] }),
  ],
  [
    'another version',
    'version: The value is invalid: expected 1.',
    (file) => Object.assign(file, { version: 2 }),
  ],
  [
    'a name that is unknown',
    'fields.email.filterable: The format has no such name.',
    ({ fields }) => Object.assign(fields.email, { filterable: true }),
  ],
  [
    'a kind that is unknown',
    'fields.email.kind: The value is invalid: expected one of',
    ({ fields }) => Object.assign(fields.email, { kind: 'string' }),
  ],
  [
    'a field in upper case',
    'fields.Email: The name is not a name in camelCase.',
    ({ fields }) => Object.assign(fields, { Email: fields.email }),
  ],
  [
    'a name of introspection',
    'fields.__type: The name is not a name in camelCase.',
    ({ fields }) => Object.assign(fields, { __type: fields.email }),
  ],
  [
    'a control character',
    'description: The value has a control character.',
    (file) => Object.assign(file, { description: 'a\u0000b' }),
  ],
  [
    'half a character',
    'description: The value is not well-formed Unicode.',
    (file) => Object.assign(file, { description: 'a\ud800' }),
  ],
  [
    'a quotation mark in a phrase',
    'texts.many: The value has a quotation mark',
    ({ texts }) => Object.assign(texts, { many: '"} type Evil { a: Int }' }),
  ],
  [
    'a column that is no name',
    'fields.email.column: The value is not a name that OData allows, or is `__proto__`.',
    ({ fields }) => Object.assign(fields.email, { column: 'email,iban' }),
  ],
  [
    'an entity set that is no name',
    'entitySet: The value is not a name that OData allows, or is `__proto__`.',
    (file) => Object.assign(file, { entitySet: '../companies' }),
  ],
  [
    'a path that leaves the record',
    'files.picture.segment: The value is not a path of one to four names.',
    ({ files }) => Object.assign(files.picture, { segment: '../../x' }),
  ],
  [
    'too many fields',
    'fields: It has more than 1000 fields.',
    ({ fields }) => {
      for (let n = 0; n <= 1000; n++) fields[`more${n}`] = fields.email;
    },
  ],
])('a file with %s is refused with the place', ([, mistake, change]) => {
  expect(mistakesOf(changed(staff, change))).toEqual([expect.stringContaining(`0.json: ${mistake}`)]);
});

test.for<[what: string, mistakes: readonly string[], change: (file: Json) => void]>([
  [
    'a field that every record has',
    ['fields.etag: Every record has a field `etag`.'],
    ({ fields }) => Object.assign(fields, { etag: fields.email, email: undefined }),
  ],
  [
    'a field of companies that every object has',
    ['names.one: `toString` cannot be the name of a field.'],
    ({ names }) => Object.assign(names, { one: 'toString' }),
  ],
  [
    'a field that every object has',
    ['fields.constructor: `constructor` cannot be the name of a field.'],
    ({ fields }) => {
      Object.defineProperty(fields, 'constructor', {
        value: { kind: 'text', description: 'It.' },
        enumerable: true,
      });
    },
  ],
  [
    'two fields of one column',
    ['fields.iban: `email` reads the column `email`, too.'],
    ({ fields }) => Object.assign(fields.iban, { column: 'email' }),
  ],
  [
    'an object that is written',
    ['fields.iban.writes: Fields of the kind `object` can only be read.'],
    ({ fields }) => Object.assign(fields.iban, { kind: 'object' }),
  ],
  [
    'a field that is required by creates, which do not take it',
    ['fields.iban.isRequired: No create takes it.'],
    ({ fields }) => Object.assign(fields.iban, { isRequired: true, writes: ['update'] }),
  ],
  [
    'a number that cannot be filtered',
    ['names.byNumber: It needs a field `number`'],
    ({ fields }) => Object.assign(fields.number, { canFilter: false }),
  ],
  [
    'nothing to watch it by',
    ['watched: Changes are found by a field `lastModifiedDateTime`'],
    ({ fields }) => delete fields.lastModifiedDateTime,
  ],
  [
    'nothing that can be changed',
    ['writes: No field can be changed.'],
    ({ fields }) => {
      for (const field of Object.values<Json>(fields)) delete field.writes;
    },
  ],
  [
    'a relation to no type',
    ['relations.boss.type: There is no record type `Boss`.'],
    (file) =>
      Object.assign(file, { relations: { boss: { type: 'Boss', description: 'It.', idField: 'id' } } }),
  ],
  [
    'a relation to companies',
    ['relations.boss.type: There is no record type `Company`.'],
    (file) =>
      Object.assign(file, { relations: { boss: { type: 'Company', description: 'It.', idField: 'id' } } }),
  ],
  [
    'a relation by a field that is no id',
    ['relations.boss.idField: The field `email` has the kind `text`'],
    (file) =>
      Object.assign(file, {
        relations: { boss: { type: 'Employee', description: 'It.', idField: 'email' } },
      }),
  ],
  [
    'a relation by nothing',
    ['relations.boss: Nothing leads to the record.'],
    (file) => Object.assign(file, { relations: { boss: { type: 'Employee', description: 'It.' } } }),
  ],
  [
    'an owner that is no type',
    ['listedBy.Team: There is no record type `Team`.'],
    (file) => Object.assign(file, { listedBy: { Team: { description: 'It.', fields: { id: 'id' } } } }),
  ],
  [
    'an owner in code by another field than its id',
    ['listedBy.Customer.fields.number: Records of `Customer` can list others by their `id` only.'],
    (file) =>
      Object.assign(file, { listedBy: { Customer: { description: 'It.', fields: { number: 'number' } } } }),
  ],
  [
    'a list by different kinds',
    ['listedBy.Customer.fields.number: It compares the kinds `code` and `uuid`.'],
    (file) =>
      Object.assign(file, { listedBy: { Customer: { description: 'It.', fields: { number: 'id' } } } }),
  ],
  [
    'a malformed route',
    ['route: The value is not `v2.0` or `{publisher}/{group}/v1.0`'],
    (file) => Object.assign(file, { route: '../v2.0' }),
  ],
  [
    'a key that is no GUID',
    ['fields.id: The key `id` has the kind `uuid`, and no other column.'],
    ({ fields }) => Object.assign(fields, { id: { kind: 'text', description: 'An id.' } }),
  ],
  [
    'several mistakes',
    ['fields.iban.isRequired: No create', 'watched: Changes'],
    ({ fields }) => {
      Object.assign(fields.iban, { isRequired: true, writes: ['update'] });
      delete fields.lastModifiedDateTime;
    },
  ],
])('a type with %s is refused', ([, mistakes, change]) => {
  expect(mistakesOf(changed(staff, change))).toEqual(
    mistakes.map((mistake) => expect.stringContaining(`0.json: ${mistake}`)),
  );
});

test.for<[what: string, mistake: string, change: (file: Json) => void]>([
  [
    'a type',
    'type: `Employee` is already in the graph.',
    (file) => Object.assign(file, { type: 'Employee' }),
  ],
  [
    'a type of the roots',
    'type: `Query` is already in the graph.',
    (file) => Object.assign(file, { type: 'Query' }),
  ],
  ['a scalar', 'type: `String` is already in the graph.', (file) => Object.assign(file, { type: 'String' })],
  [
    'a field that every node has',
    'names.one: `Company.nodeId` is already in the graph.',
    (file) => Object.assign(file.names as object, { one: 'nodeId' }),
  ],
  [
    'a field of companies',
    'names.many: `Company.employees` is already in the graph.',
    ({ names }) => Object.assign(names, { many: 'employees' }),
  ],
  [
    'a field by number',
    'names.byNumber: `Company.itemByNumber` is already in the graph.',
    ({ names }) => Object.assign(names, { byNumber: 'itemByNumber' }),
  ],
  [
    'a type that derives from another',
    'type: `SalesOrderLine` is already in the graph.',
    (file) => Object.assign(file, { type: 'SalesOrderLine' }),
  ],
  [
    'a field that filters have',
    'fields.and: `StaffMemberFilter.and` is already in this file.',
    ({ fields }) => Object.assign(fields, { and: { kind: 'text', description: 'It.' } }),
  ],
])('%s that the graph has already is refused', ([, mistake, change]) => {
  const told = mistakesOf(changed(staff, change));

  expect(told).toContainEqual(expect.stringContaining(`0.json: ${mistake}`));
  expect(told[0]).toContain('Choose another name.');
});

test('names of two files that derive from each other are refused, with the other file', () => {
  const other = changed(buyer, (file) => Object.assign(file, { type: 'StaffMemberConnection' }));

  expect(mistakesOf(staff, other)).toEqual([
    '1.json: type: `StaffMemberConnection` is already in 0.json. Choose another name.',
  ]);
});

test('a field of an owner that a list of another file has, too, is refused', () => {
  const other = changed(offer, (file) => Object.assign(file.names, { many: 'salesQuotes' }));

  expect(mistakesOf(buyer, other)).toEqual(
    expect.arrayContaining([
      '1.json: names.many: `Company.salesQuotes` is already in the graph. Choose another name.',
      '1.json: listedBy.Customer: `Customer.salesQuotes` is already in the graph. Choose another name.',
    ]),
  );
});

test('the mistakes of all files are told at once', () => {
  const broken = changed(offer, ({ fields }) => delete fields.buyerId);
  const clashing = changed(staff, (file) => Object.assign(file, { type: 'Employee' }));

  expect(mistakesOf('{', clashing, broken, buyer)).toEqual([
    expect.stringContaining('0.json: line 1: It is not JSON.'),
    expect.stringContaining('2.json: relations.buyer.idField: There is no field `buyerId`.'),
    expect.stringContaining('2.json: listedBy.Buyer.fields.buyerId: There is no field `buyerId`.'),
    expect.stringContaining('2.json: listedBy.Customer.fields.buyerId: There is no field `buyerId`.'),
    expect.stringContaining('1.json: type: `Employee` is already in the graph.'),
  ]);
});
