import type { FileField, RecordTypeFile } from '../business/record-files/record-file.ts';
import { toChoice } from './choices.ts';
import { type ColumnKind, kindOf } from './column-kinds.ts';
import { restrictedNames, restriction, terms } from './csdl/annotations.ts';
import type { EntitySet, Property } from './csdl/model.ts';
import { describeColumn } from './descriptions.ts';
import { type Draft, inNote, listInNote, oneOrMany } from './drafting.ts';
import { nameFields } from './field-names.ts';
import { toEnumName } from './type-names.ts';
import { toNoun, toPascalCase, withArticle } from './words.ts';
import { isRequired, writesOfColumn } from './writable-columns.ts';

type Choices = NonNullable<RecordTypeFile['enums']>;

/** The columns of one kind of row. */
export interface Columns {
  readonly fields: Readonly<Record<string, FileField>>;
  readonly enums: Choices;
  /** The field of each column that has one. */
  readonly fieldOf: ReadonlyMap<string, string>;
  readonly streams: readonly Property[];
  /** Gives a name that no column has. */
  takeName(name: string): string;
}

export interface ColumnsOptions {
  readonly properties: readonly Property[];
  /** Columns of the key. */
  readonly key: readonly string[];
  /** The columns that are the record's `id` and so no field of their own. */
  readonly isId: (name: string) => boolean;
  /** Fields beside the columns, which have another meaning. */
  readonly ownFields: ReadonlySet<string>;
  /** The entity set whose restrictions count; null for rows that have none. */
  readonly set: EntitySet | null;
  /** Whether lists of these are filtered and sorted; rows come with their record. */
  readonly isListed: boolean;
  readonly writes: readonly ('create' | 'update' | 'delete')[];
  /** The type of the graph. */
  readonly type: string;
  readonly noun: string;
  /** Whose currency amounts are in. */
  readonly owner: string;
  readonly hasCurrencyCode: boolean;
  readonly captions: ReadonlyMap<string, string>;
  readonly memberCaptions: ReadonlyMap<string, string>;
}

export function toColumns(draft: Draft, options: ColumnsOptions): Columns {
  const { properties, isId, type } = options;
  const { renamed, ...named } = nameFields(draft.model, options);
  for (const { column, field, wanted } of renamed)
    draft.note(
      `${type}: the column ${inNote(column)} is the field ${inNote(field)}, because ${inNote(wanted)} is another one.`,
    );
  const references = new Set(named.fieldOf.values());
  const enums: Record<string, Choices[string]> = {};
  const unfilterable = new Map<string, string[]>();
  const notes = new Map<string, string[]>();
  const say = (map: Map<string, string[]>, reason: string, name: string) =>
    map.set(reason, [...(map.get(reason) ?? []), name]);
  const entries = properties.flatMap((property): [string, FileField][] => {
    const kind = kindOf(draft.model, property);
    const field = named.fieldOf.get(property.name);
    if (kind === 'stream' || field === undefined || isId(property.name)) return [];
    if (kind.note !== undefined) say(notes, kind.note, property.name);
    if (options.isListed && kind.unfilterable !== undefined)
      say(unfilterable, kind.unfilterable, property.name);
    const choice = kind.choice && takeChoice(draft, options, field, kind, enums);
    return [[field, toField(draft, options, { property, field, kind, choice, references })]];
  });
  for (const [reason, names] of notes)
    draft.note(`${type}: ${listInNote(names)}${oneOrMany(names, '', ': each')} ${reason}.`);
  for (const [reason, names] of unfilterable)
    draft.note(
      `${type}: lists are not filtered or sorted by ${listInNote(names)}, ${oneOrMany(names, 'which', 'each of which')} ${reason}.`,
    );
  return { ...named, fields: Object.fromEntries(entries), enums };
}

/** An enum for the column, or the one that another column of the same words has. */
function takeChoice(
  draft: Draft,
  { type, noun, memberCaptions }: ColumnsOptions,
  field: string,
  { choice }: ColumnKind,
  enums: Record<string, Choices[string]>,
): string | undefined {
  if (!choice) return undefined;
  const name = draft.takeTypeName(toEnumName(joinNames(type, toPascalCase(field))));
  const phrase = toNoun(field);
  const subject = /ed$/.test(phrase)
    ? `How ${withArticle(noun)} is ${phrase}`
    : `The ${phrase} of ${withArticle(noun)}`;
  enums[name] = toChoice(choice, subject, memberCaptions);
  return name;
}

/** `PurchaseOrderLine` and `LineType` are `PurchaseOrderLineType`. */
function joinNames(type: string, field: string): string {
  const last = /[A-Z][a-z0-9]*$/.exec(type)?.[0] ?? '';
  return field !== last && last !== '' && field.startsWith(last)
    ? `${type}${field.slice(last.length)}`
    : `${type}${field}`;
}

function toField(
  draft: Draft,
  options: ColumnsOptions,
  column: {
    readonly property: Property;
    readonly field: string;
    readonly kind: ColumnKind;
    readonly choice: string | undefined;
    readonly references: ReadonlySet<string>;
  },
): FileField {
  const { set, key, captions, hasCurrencyCode, owner, noun } = options;
  const { property, field, kind, choice, references } = column;
  const { name } = property;
  const isBarred = (term: string, flag: string, list: string) =>
    set !== null &&
    (restriction(set.annotations, term, flag) === false ||
      restrictedNames(set.annotations, term, list).has(name));
  const isUnfit = kind.unfilterable !== undefined;
  const cannotFilter = isUnfit || isBarred(terms.filter, 'Filterable', 'NonFilterableProperties');
  const cannotSort = isUnfit || isBarred(terms.sort, 'Sortable', 'NonSortableProperties');
  const isKey = key.includes(name);
  const writes =
    kind.kind === 'object' || isSecondReference(field, references)
      ? []
      : writesOfColumn(draft.model, property, { writes: options.writes, isKey, set });
  return {
    kind: kind.kind,
    description: describeColumn(property, kind.kind, {
      noun,
      owner,
      hasCurrencyCode,
      hasCompany: options.isListed,
      caption: captions.get(name),
    }),
    ...(field !== name && { column: name }),
    ...(choice !== undefined && { enum: choice }),
    ...(options.isListed && cannotFilter && { canFilter: false }),
    ...(options.isListed && cannotSort && { canSort: false }),
    // Business Central has no null: its metadata leaves open which columns have an unset value.
    ...(options.isListed &&
      !draft.model.isBusinessCentral &&
      property.isNullable &&
      !isKey && { isNullable: true }),
    ...(writes.length > 0 && { writes: [...writes] }),
    ...(writes.includes('create') && isRequired(property) && { isRequired: true }),
  };
}

/** `vendorNumber` beside `vendorId`: both name one record, and only the id is written. */
const isSecondReference = (name: string, names: ReadonlySet<string>): boolean => {
  const [, stem] = /^(\w+?)(?:Number|Code|No)$/.exec(name) ?? [];
  return stem !== undefined && names.has(`${stem}Id`);
};
