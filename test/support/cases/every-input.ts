import {
  type GraphQLInputField,
  type GraphQLInputObjectType,
  getNamedType,
  isInputObjectType,
} from 'graphql';
import { expect } from 'vitest';
import { sandboxCompanyId } from '../../../sandbox/seed.ts';
import { productRecordTypes } from '../../../src/app/schema/product-record-types.ts';
import { createSchema } from '../../../src/app/schema/schema.ts';
import { isWord } from '../../../src/business/record-sets/record-set.ts';
import type { TestLayer } from '../layer.ts';
import type { TestSandbox } from '../sandbox.ts';
import { declaredTypes, type Values, type WrittenKind, writtenKinds } from './written-kinds.ts';

export type { Values };

const { recordTypes } = productRecordTypes();
const schema = createSchema();

/** A field of an input: a column that is written. */
export type WrittenField = Pick<GraphQLInputField, 'name' | 'type'> & {
  /** The words that the description of a choice lists. */
  readonly words?: readonly string[];
};

const wordColumns = new Set(
  recordTypes
    .flatMap((recordType) => [
      recordType,
      ...Object.values(recordType.relations ?? {}).map(({ target }) => target),
    ])
    .flatMap(({ fields }) => Object.keys(fields).filter((name) => isWord(fields[name]))),
);

/** The words that the description of a column lists. */
const wordsIn = (description: string | null | undefined): readonly string[] => [
  ...new Set(Array.from(description?.matchAll(/`([A-Z][^`]*)`/g) ?? [], ([, word = '']) => word)),
];

const fieldsOf = (input: string) =>
  Object.values((schema.getType(input) as GraphQLInputObjectType).getFields());

/** The columns that an input writes, with their types. Left out are lines, and what says which record it is. */
export const writtenFields = (input: string): readonly WrittenField[] =>
  fieldsOf(input)
    .filter(({ name, type }) => !['companyId', 'id'].includes(name) && !isInputObjectType(getNamedType(type)))
    .map(({ name, type, description }) => ({
      name,
      type,
      ...(getNamedType(type).name === 'String' && wordColumns.has(name) && { words: wordsIn(description) }),
    }));

/** Which of two columns of one record an input names it by. */
export type NamedBy = 'Id' | 'other';

/** Columns as an input takes them: of two that name one record, the one that `namedBy` says. */
export function toInput(columns: Values, namedBy: NamedBy = 'Id'): Values {
  const repeated = new Set(
    Object.keys(columns).flatMap((name) => {
      const id = name.replace(/(Number|Code|No)$/, 'Id');
      return id !== name && Object.hasOwn(columns, id) ? [namedBy === 'Id' ? name : id] : [];
    }),
  );
  const toValue = (name: string, value: unknown) => {
    if (name === 'patch') return toInput(value as Values, namedBy);
    return /Lines$/.test(name) ? (value as readonly Values[]).map((one) => toInput(one, namedBy)) : value;
  };
  return Object.fromEntries(
    Object.entries(columns).flatMap(([name, value]) =>
      repeated.has(name) ? [] : [[name, toValue(name, value)]],
    ),
  );
}

/** The columns that are sent: of two that name one record, the one that `namedBy` says. */
export const writtenColumns = (columns: Values, namedBy: NamedBy): readonly string[] =>
  Object.keys(toInput(columns, namedBy));

/** Whether a field is of a kind that has nothing to stand for "unset". */
export const isWithoutStandIn = ({ name, type, words }: WrittenField): boolean =>
  words ? name !== 'blocked' : ['Decimal', 'Boolean', 'Int'].includes(getNamedType(type).name);

/** What a cleared field reads back as: the home currency has a code, though no record. */
export const cleared = (name: string): string | null => (name === 'currencyCode' ? 'USD' : null);

/** The written fields with the ids of other records, by their relations. */
const idFields: Readonly<Record<string, readonly [set: string, field: string]>> = Object.fromEntries(
  [...declaredTypes.values()].flatMap(({ fields }) =>
    fields.flatMap(({ relation, type }) => {
      const key = fields.find(({ name }) => name === relation?.key);
      const target = declaredTypes.get(type)?.record;
      return target && key?.column?.write.length ? [[key.name, [target.set, 'id'] as const] as const] : [];
    }),
  ),
);

/** The fields that name a record: its set, and the field of it that they hold. */
const references: Readonly<Record<string, readonly [set: string, field: string]>> = {
  ...idFields,
  ...pair('currency', 'currencies'),
  ...pair('itemCategory', 'itemCategories'),
  ...pair('taxGroup', 'taxGroups'),
  ...pair('baseUnitOfMeasure', 'unitsOfMeasure'),
  ...pair('generalProductPostingGroup', 'generalProductPostingGroups'),
  ...pair('inventoryPostingGroup', 'inventoryPostingGroups'),
  customerNumber: ['customers', 'number'],
  billToCustomerNumber: ['customers', 'number'],
  invoiceNumber: ['salesInvoices', 'number'],
};

function pair(stem: string, set: string) {
  return { [`${stem}Id`]: [set, 'id'], [`${stem}Code`]: [set, 'code'] } as const;
}

/** Gives a field a value that is valid, that no other field shares, and that is not the one it has. */
export type Giver = (field: WrittenField, formerly: unknown) => unknown;

/** References lead to records of the sandbox; a field of a type that is not known here throws. */
export async function createGiver(sandbox: TestSandbox): Promise<Giver> {
  const seeded = new Map<string, readonly Values[]>();
  for (const set of new Set(Object.values(references).map(([name]) => name)))
    seeded.set(set, await recordsIn(sandbox, set));
  let given = 100;

  return ({ name, type, words }, formerly) => {
    given += 1;
    const [set, column = ''] = references[name] ?? [];
    if (set !== undefined) {
      const values = seeded.get(set)?.map((record) => record[column]) ?? [];
      // Both fields of a pair lead to the same record, as long as they replace the same one.
      return values.slice(1).find((value) => value !== formerly) ?? values[0];
    }
    if (words) return words.filter((word) => word !== formerly).at(-1);
    const inner = getNamedType(type);
    switch (inner.name) {
      case 'String':
        return textFor(name, given);
      case 'Decimal':
        return `${given}.25`;
      case 'Boolean':
        return formerly !== true;
      case 'Date':
        return `${2000 + Math.floor(given / 28)}-03-${String((given % 28) + 1).padStart(2, '0')}`;
      default:
        throw new Error(`a value for ${name}: ${inner.name} is not known`);
    }
  };
}

/** Short and in upper case, as codes are. */
function textFor(name: string, given: number): string {
  if (/email$/i.test(name)) return `v${given}@mail.example`;
  if (/country$/i.test(name)) return ['NO', 'SE', 'DK', 'FI', 'IS', 'DE', 'FR'][given % 7] as string;
  return `V${given}`;
}

/** A record as it is stored, and how often it was written. */
export interface Stored {
  readonly id: string;
  readonly version: number;
  readonly etag: string;
  readonly values: Values;
  readonly lines: readonly Values[];
}

/** The records of a set, in the order they were made, whatever was answered about them. */
export async function storedIn(sandbox: TestSandbox, set: string): Promise<readonly Stored[]> {
  const response = await sandbox.send('GET', `/sandbox/records?set=${set}`);
  return ((await response.json()) as { records: readonly Stored[] }).records;
}

/** What they hold. */
export const recordsIn = async (sandbox: TestSandbox, set: string): Promise<readonly Values[]> =>
  (await storedIn(sandbox, set)).map(({ values }) => values);

/** What a field takes along: the other name of the same record, and with a customer or a vendor all that is copied from it. */
export function follows({ copies }: WrittenKind, name: string, other: string): boolean {
  const stem = (field: string) => field.replace(/(Id|Code|Number)$/, '');
  return (
    (stem(name) === stem(other) && stem(name) !== name) ||
    copies?.some(([from, copied]) => from.test(name) && copied.test(other)) === true
  );
}

/** Every field of a type that can be written. */
function shownFields(type: string): readonly string[] {
  const inputs = [`Create${type}Input`, `${type}Patch`].filter((name) => schema.getType(name));
  return [...new Set(inputs.flatMap((name) => writtenFields(name).map((one) => one.name)))];
}

/** One mutation of a kind, by the columns that it writes, with every field that can be written in its payload. */
async function write(
  layer: TestLayer,
  verb: 'create' | 'update',
  { type, field }: WrittenKind,
  columns: Values,
  namedBy?: NamedBy,
) {
  const names = shownFields(type);
  const { data, errors } = await layer.query(
    `mutation ($input: ${verb === 'create' ? 'Create' : 'Update'}${type}Input!) {
      done: ${verb}${type}(input: $input) {
        record: ${field} { id etag ${names.join(' ')} } userErrors { code path upstream { message } }
      }
    }`,
    { input: toInput(columns, namedBy) },
  );
  expect(errors).toBeUndefined();
  return data.done;
}

/** The record that was made; a refusal fails the test in its own words. */
export async function made(
  layer: TestLayer,
  verb: 'create' | 'update',
  kind: WrittenKind,
  columns: Values,
  namedBy?: NamedBy,
) {
  const { record, userErrors } = await write(layer, verb, kind, columns, namedBy);
  expect(userErrors, JSON.stringify(columns)).toEqual([]);
  return record;
}

/** A record to change: a new one with these lines or, where none can be created, the first that is there. */
export async function changeable(
  layer: TestLayer,
  kind: WrittenKind,
  lines: readonly Values[] = [],
): Promise<Values & { readonly id: string; readonly etag: string }> {
  if (kind.writes.includes('create'))
    return made(layer, 'create', kind, { ...kind.least, ...(kind.lines && { [kind.lines]: lines }) });
  const { data, errors } = await layer.query(
    `{ company { ${kind.list}(first: 1) { nodes { id etag ${shownFields(kind.type).join(' ')} } } } }`,
  );
  expect(errors).toBeUndefined();
  return data.company[kind.list].nodes[0];
}

/** Fields of a record, read by a query of their own. */
export async function read(
  layer: TestLayer,
  { field }: WrittenKind,
  id: string,
  names: readonly string[],
): Promise<Values> {
  const { data, errors } = await layer.query(
    `query ($id: UUID!) { company { ${field}(id: $id) { ${names.join(' ')} } } }`,
    { id },
  );
  expect(errors).toBeUndefined();
  return data.company[field];
}

/** The entries of `batch`: their set, the field of the record type, and a text that is written and shown. */
export const manyMutations = {
  ...writesOf('Customer', ['customers', 'customer', 'city']),
  ...writesOf('Item', ['items', 'item', 'displayName2']),
  ...writesOf('SalesOrder', ['salesOrders', 'salesOrder', 'externalDocumentNumber']),
  ...writesOf('Employee', ['employees', 'employee', 'city']),
  ...writesOf('Contact', ['contacts', 'contact', 'city']),
  ...writesOf('PurchaseOrder', ['purchaseOrders', 'purchaseOrder', 'buyFromCity']),
  ...writesOf('Vendor', ['vendors', 'vendor', 'city']),
  createSalesQuote: ['salesQuotes', 'salesQuote', 'externalDocumentNumber'],
} as const;

export type ManyName = keyof typeof manyMutations;

type ManyMutation = readonly [set: string, field: string, text: string];

function writesOf<Type extends string>(type: Type, mutation: ManyMutation) {
  return Object.fromEntries(
    ['create', 'update', 'delete'].map((verb) => [`${verb}${type}`, mutation]),
  ) as Record<`${'create' | 'update' | 'delete'}${Type}`, ManyMutation>;
}

const verbOf = (name: ManyName) => name.slice(0, 'create'.length) as 'create' | 'update' | 'delete';
const typeOf = (name: ManyName) => name.slice('create'.length);

/** So many entries, each but those of deletes with a text that tells its place. Deletes name records that nothing names. */
export async function entriesFor(
  sandbox: TestSandbox,
  name: ManyName,
  count: number,
): Promise<readonly Values[]> {
  const [set, field, text] = manyMutations[name];
  const verb = verbOf(name);
  const least = writtenKinds.find((kind) => kind.field === field)?.least;
  if (verb === 'create') {
    await sandbox.forgetCalls();
    return Array.from({ length: count }, (_, index) => ({ ...least, [text]: `ENTRY ${index}` }));
  }
  const seeded = await storedIn(sandbox, set);
  const missing = verb === 'delete' ? count : count - seeded.length;
  for (let added = 0; added < missing; added += 1)
    await sandbox.send('POST', `/api/v2.0/companies(${sandboxCompanyId})/${set}`, least);
  const stored = await storedIn(sandbox, set);
  await sandbox.forgetCalls();
  if (verb === 'delete') return stored.slice(seeded.length).map(({ id, etag }) => ({ id, ifMatch: etag }));
  return stored
    .slice(0, count)
    .map(({ id, etag }, index) => ({ id, ifMatch: etag, patch: { [text]: `ENTRY ${index}` } }));
}

/** An entry as `batch` takes it. */
const toEntry = (name: ManyName, entry: Values): Values => ({ [name]: toInput(entry) });

/** A batch of changes of one kind, with `more` of each record; its results are missing where it is an error. */
export async function many(layer: TestLayer, name: ManyName, entries: readonly Values[], more = '') {
  const [, , text] = manyMutations[name];
  const { data, errors } = await layer.query(
    `mutation ($input: BatchInput!) { done: batch(input: $input) {
      results { ${verbOf(name) === 'delete' ? 'deletedId' : ''} record { ... on ${typeOf(name)} { id etag text: ${text} ${more} } } userErrors { code message path upstream { code message } } }
    } }`,
    { input: { entries: entries.map((entry) => toEntry(name, entry)) } },
  );
  return { results: data?.done?.results, errors };
}

export const codesOf = (results: readonly { userErrors: readonly { code: string }[] }[]): readonly string[] =>
  results.map(({ userErrors }) => userErrors.map(({ code }) => code).join());

/** What each call was: its method, or how many parts of which method. */
export const shapesOf = async (sandbox: TestSandbox): Promise<readonly string[]> =>
  (await sandbox.calls()).map(({ method, parts }) =>
    parts ? `${parts.length} ${parts[0]?.method}` : method,
  );
