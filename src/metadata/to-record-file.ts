import {
  type RecordTypeFile,
  recordFileLimits,
  recordTypeFile,
} from '../business/record-files/record-file.ts';
import type { WriteName } from '../business/record-type.ts';
import { kindOf } from './column-kinds.ts';
import { type Columns, toColumns } from './columns.ts';
import { terms } from './csdl/annotations.ts';
import { MetadataError } from './csdl/metadata-error.ts';
import {
  entityType,
  isOpen,
  keyOf,
  type Model,
  navigationsOf,
  type Property,
  propertiesOf,
} from './csdl/model.ts';
import { toLine } from './definitions.ts';
import { type Draft, listInNote, oneOrMany, theseAre, toNote } from './drafting.ts';
import { columnsOfRecords, ownFieldsOfRecords } from './field-names.ts';
import { isIdColumn, toKey } from './key-columns.ts';
import { type OmittedList, omittedLists, toOwnedLists } from './owned-lists.ts';
import { toFiles, toRelations } from './relations.ts';
import { toRows } from './rows.ts';
import { toSentence } from './words.ts';
import { writesOf } from './writable-columns.ts';

export interface DraftedFile {
  readonly file: RecordTypeFile;
  /** Lists of a record that its file leaves out; those of other files may have them. */
  readonly omitted: readonly OmittedList[];
}

/** The record file of an entity set, in the order of the metadata. The same metadata makes the same file. */
export function toRecordFile(
  draft: Draft,
  { route, origin }: { route: string; origin: { metadata: string; date: string } },
): DraftedFile {
  const { model, set, type, names, captions } = draft;
  const notes: string[] = [];
  const own: Draft = { ...draft, note: (sentence) => notes.push(toNote(sentence)) };
  const key = toKey(model, set, type);
  const declared = writesOf(set) ?? [];
  const properties = columnsOfRecords(model, type);
  if (properties.length > recordFileLimits.fields)
    throw new MetadataError(
      type.line,
      `the type ${type.name} of ${set.name} has ${properties.length} columns; ${recordFileLimits.fields} is the maximum.`,
    );
  const hasCurrencyCode = properties.some((property) => isCurrencyCode(model, property));
  const columns = toColumns(own, {
    properties,
    key: keyOf(model, type),
    isId: (name) => isIdColumn(model, type, name),
    ownFields: ownFieldsOfRecords,
    set,
    isListed: true,
    writes: declared,
    type: names.type,
    noun: names.noun,
    owner: names.noun,
    hasCurrencyCode,
    captions: captions.properties,
    memberCaptions: captions.members,
  });
  const writes = withoutEmptyUpdate(own, declared, columns);
  const relations = toRelations(own, { type, set, columns, skipped: [] });
  const { rows, enums, navigations } = toRows(own, type, { takeName: columns.takeName, hasCurrencyCode });
  const listedBy = toOwnedLists(own, type, columns);
  const files = toFiles(own, type, columns);
  const omitted = omittedLists(own, type, navigations);
  noteChoices(own, columns, properties.length < propertiesOf(model, type).length);
  const allEnums = { ...columns.enums, ...enums };
  const hasNumber = columns.fields.number?.kind === 'code' && columns.fields.number.canFilter !== false;
  const { kind, canFilter = true, canSort = true } = columns.fields.lastModifiedDateTime ?? {};
  const isWatched = kind === 'dateTime' && canFilter && canSort && key === undefined;
  const file: RecordTypeFile = {
    version: 1,
    type: names.type,
    description: describeType(own),
    names: { one: names.one, many: names.many, ...(hasNumber && { byNumber: `${names.one}ByNumber` }) },
    texts: { one: names.withArticle, many: names.nouns },
    route,
    entitySet: set.name,
    ...(key && { key }),
    fields: { ...columns.fields },
    ...some('enums', allEnums),
    ...some('relations', relations),
    ...some('rows', rows),
    ...some('listedBy', listedBy),
    ...(writes.length > 0 && { writes: [...writes] }),
    ...(isWatched && { watched: { description: toSentence(`${names.nouns} of the company`) } }),
    ...some('files', files),
    origin: { ...origin, ...(notes.length > 0 && { notes }) },
  };
  // A name or a text that the format cannot hold is a mistake of the metadata, or of what is made of it.
  const [issue] = recordTypeFile.safeParse(file).error?.issues ?? [];
  if (issue)
    throw new MetadataError(
      set.line,
      `what ${set.name} is made of does not fit a record file: ${issue.path.map(String).join('.')}: ${issue.message}.`,
    );
  return { file, omitted };
}

/** Amounts are in a currency that is named by text. */
function isCurrencyCode(model: Model, property: Property): boolean {
  const kind = kindOf(model, property);
  return property.name === 'currencyCode' && kind !== 'stream' && ['text', 'code'].includes(kind.kind);
}

/** An update without a column to change would be an input without fields. */
function withoutEmptyUpdate(
  { names, note }: Draft,
  writes: readonly WriteName[],
  { fields }: Columns,
): readonly WriteName[] {
  const canChange = Object.values(fields).some((field) => field.writes?.includes('update'));
  if (canChange || !writes.includes('update')) return writes;
  note(`${names.type}: the update is left out, because no column can be changed.`);
  return writes.filter((write) => write !== 'update');
}

const some = <Name extends string, Value extends object>(
  name: Name,
  value: Value,
): Partial<Record<Name, Value>> =>
  Object.keys(value).length > 0 ? ({ [name]: value } as Partial<Record<Name, Value>>) : {};

function describeType({ type, names, captions }: Draft): string {
  const said = type.annotations.get(terms.longDescription) ?? type.annotations.get(terms.description);
  const line = typeof said === 'string' ? toLine(said) : null;
  if (line !== null) return toSentence(line);
  const caption = captions.entity;
  const isMore = caption !== null && caption.length > 3 && caption.toLowerCase() !== names.noun;
  return toSentence(isMore ? caption : names.withArticle);
}

/** What was decided without asking, and what the metadata has and the file has not. */
function noteChoices(draft: Draft, columns: Columns, hasFilterColumns: boolean): void {
  const { model, set, type, names, note } = draft;
  if (writesOf(set) === null)
    note(`${names.type}: read only, because the metadata does not say which writes it takes.`);
  else if (Object.values(columns.fields).some(({ writes }) => writes))
    note(
      `${names.type}: the metadata does not say which columns can be written; those that are known to be computed are not.`,
    );
  if (![terms.filter, terms.sort].some((term) => set.annotations.has(term)) || model.isBusinessCentral)
    note(
      `${names.type}: the metadata does not say which columns can be filtered; those with a value of their own are.`,
    );
  const codes = Object.entries(columns.fields).flatMap(([name, { kind }]) => (kind === 'code' ? [name] : []));
  if (codes.length > 0)
    note(
      `${names.type}: ${listInNote(codes)} ${oneOrMany(codes, 'is taken for a code', 'are taken for codes')}, which the upstream has in upper case, by ${oneOrMany(codes, 'its name and length', 'their names and lengths')}.`,
    );
  if (hasFilterColumns)
    note(`${names.type}: columns that only filters can name (\`…_FilterOnly\`) are left out.`);
  if (isOpen(model, type))
    note(`${names.type}: records can have columns that the metadata does not list; they are not read.`);
  const derived = [...model.types.values()].flatMap((each) =>
    each.kind === 'entity' && each.baseType === type.fullName ? [each.name] : [],
  );
  if (derived.length > 0)
    note(
      `${names.type}: columns of the derived ${oneOrMany(derived, 'type', 'types')} ${listInNote(derived)} are left out.`,
    );
  const actions = model.actions
    .filter(({ entityType: bound }) => bound === type.fullName)
    .map(({ name }) => name);
  if (actions.length > 0) note(`${names.type}: ${theseAre('action', actions)} left out.`);
  if (model.isBusinessCentral && !isBelowCompany(draft))
    note(
      `${names.type}: the metadata does not list ${set.name} below companies, where records are read; reads may fail.`,
    );
}

function isBelowCompany({ model, set }: Draft): boolean {
  const companies = model.entitySets.get('companies');
  if (!companies) return true;
  return navigationsOf(model, entityType(model, companies.type)).some(({ name }) => name === set.name);
}
