import { buildSchema, DangerousChangeType, findBreakingChanges, findDangerousChanges } from 'graphql';
import type { FileField, RecordFile } from '../business/record-files/record-file.ts';

/*
 * What clients see of a record file, as a schema of its own: the type, its filter, its sort keys and the inputs of its
 * writes. It is compared with that of another day, and never served. Names of files have no underscore at their end, so
 * those that are made here (`Decimal_`, `Vendor_Filter`) are never the same.
 */

const scalars: Readonly<Record<FileField['kind'], string>> = {
  text: 'String',
  code: 'String',
  word: 'String',
  choice: 'String',
  uuid: 'UUID_',
  date: 'Date_',
  dateTime: 'DateTime_',
  decimal: 'Decimal_',
  int: 'Int',
  safeInt: 'SafeInt_',
  boolean: 'Boolean',
  object: 'JSON_',
};

type Fields = Readonly<Record<string, FileField>>;
type Relations = Readonly<Record<string, { readonly type: string }>>;

/** The definitions by name. Where a file has a name twice, the first counts. */
function modelSdl(file: RecordFile): string {
  const definitions = new Map<string, string>();
  const define = (keyword: string, name: string, members: readonly string[]) => {
    if (!definitions.has(name))
      definitions.set(name, `${keyword} ${name} { ${['_: Boolean', ...members].join(' ')} }`);
  };
  const enums = Object.entries(file.enums ?? {});
  for (const [name, { members }] of enums)
    definitions.set(name, `enum ${name} { ${[...Object.keys(members), 'UNRECOGNIZED'].join(' ')} }`);
  for (const name of Object.values(scalars)) if (name.endsWith('_')) definitions.set(name, `scalar ${name}`);

  const typeOf = (field: FileField): string =>
    field.kind === 'choice' && field.enum !== undefined && definitions.has(field.enum)
      ? field.enum
      : scalars[field.kind];
  const outputs = (fields: Fields, relations: Relations = {}) => [
    ...Object.entries(fields).flatMap(([name, field]) => [
      `${name}: ${typeOf(field)}`,
      ...(field.kind === 'choice' ? [`${name}Raw: String`] : []),
    ]),
    ...Object.entries(relations).map(([name, { type }]) => `${name}: ${type}`),
  ];

  const { type } = file;
  const fields = Object.entries(file.fields);
  const rows = Object.entries(file.rows ?? {});
  define('type', type, [
    ...outputs(file.fields, file.relations),
    ...rows.map(([name, row]) => `${name}: [${row.type}!]`),
  ]);
  for (const [, row] of rows) define('type', row.type, outputs(row.fields, row.relations));
  define(
    'input',
    `${type}_Filter`,
    fields
      .filter(([, { canFilter, kind }]) => canFilter !== false && kind !== 'object')
      .map(([name, field]) => `${name}: ${typeOf(field)}`),
  );
  const sortable = fields.filter(([, { canSort, kind }]) => canSort !== false && kind !== 'object');
  definitions.set(
    `${type}_Field`,
    `enum ${type}_Field { ${['NONE', ...sortable.map(([name]) => name)].join(' ')} }`,
  );
  for (const [write, input] of [
    ['create', `Create_${type}`],
    ['update', `${type}_Patch`],
  ] as const) {
    const taken = fields.filter(([, { writes }]) => writes?.includes(write));
    define(
      'input',
      input,
      taken.map(
        ([name, field]) => `${name}: ${typeOf(field)}${write === 'create' && field.isRequired ? '!' : ''}`,
      ),
    );
  }
  define(
    'type',
    'Company_',
    Object.values(file.names).map((name) => `${name}: ${type}`),
  );
  define(
    'type',
    'Mutation_',
    (file.writes ?? []).map((write) => `${write}${type}: ${type}`),
  );
  // Types that the file only names.
  for (const relations of [file.relations, ...rows.map(([, row]) => row.relations)])
    for (const target of Object.values(relations ?? {})) define('type', target.type, []);
  return [...definitions.values()].join('\n');
}

const made = /\b(Create_)?([A-Z][A-Za-z0-9]*)_(Filter|Field|Patch|)(?![A-Za-z0-9_])|\bCreate_(?=[A-Z])/g;

/** The names of `modelSdl` as the graph has them. */
const toGraphNames = (text: string): string => text.replace(made, (name) => name.replaceAll('_', ''));

/** What breaks clients between two record files, in a sentence each. */
export function findBreaks(before: RecordFile, after: RecordFile): string[] {
  const [from, to] = [buildSchema(modelSdl(before)), buildSchema(modelSdl(after))];
  const changes = findBreakingChanges(from, to).map(({ description }) => toGraphNames(description));
  return [...new Set([...changes, ...findKeyChanges(before, after)])];
}

/** New enum values, in a sentence each: a client that lists all of them meets one that it does not know. */
export function findSurprises(before: RecordFile, after: RecordFile): string[] {
  const [from, to] = [buildSchema(modelSdl(before)), buildSchema(modelSdl(after))];
  return findDangerousChanges(from, to)
    .filter(
      ({ type, description }) =>
        type === DangerousChangeType.VALUE_ADDED_TO_ENUM && !/_Field\b/.test(description),
    )
    .map(({ description }) => toGraphNames(description));
}

/** Ids that clients have stored are made of the key, and records are found at their route. */
function findKeyChanges(before: RecordFile, after: RecordFile): string[] {
  const keyOf = ({ key = [{ column: 'id', kind: 'uuid' as const }] }: typeof before) =>
    key.map(({ column, kind }) => `${column} (${kind})`).join(', ');
  const [from, to] = [keyOf(before), keyOf(after)];
  return from === to ? [] : [`${after.type}.id changed its key from ${from} to ${to}.`];
}
