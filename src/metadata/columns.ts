import type { FileField, RecordTypeFile } from '../business/record-files/record-file.ts';
import { type ColumnKind, kindOf } from './column-kinds.ts';
import { restrictedNames, restriction, terms } from './csdl/annotations.ts';
import type { Annotations, EntitySet, EnumType, Model, Property } from './csdl/model.ts';
import { createNameList, nameFields, toEnumName } from './names.ts';
import { toNoun, toPhrase, toSentence, toUpperCaseName, withArticle } from './words.ts';

type Choices = NonNullable<RecordTypeFile['enums']>;

/** What the parts of a record file share while it is drafted. */
export interface Drafting {
  readonly model: Model;
  /** The type in the graph of an entity set; undefined where relations cannot lead to it. */
  graphType(entitySet: string): string | undefined;
  /** Gives a name that no other type of the graph has. */
  takeTypeName(name: string): string;
  /** Adds a sentence to what a person has to review. */
  note(sentence: string): void;
}

/** The columns of one kind of row. */
export interface Columns {
  readonly fields: Readonly<Record<string, FileField>>;
  readonly enums: Choices;
  /** The field of each column that has one. */
  readonly fieldOf: ReadonlyMap<string, string>;
  /** Gives a name that no column has. */
  takeName(name: string): string;
}

export interface ColumnsOptions {
  /** Those that become fields: without the one that is the record's `id`. */
  readonly properties: readonly Property[];
  /** Columns of the key. */
  readonly key: readonly string[];
  /** Fields beside the columns, which have another meaning. */
  readonly ownFields: ReadonlySet<string>;
  /** The entity set by which these are listed; null for rows, which come with their record. */
  readonly set: EntitySet | null;
  /** The type of the graph. */
  readonly type: string;
  readonly noun: string;
}

export function toColumns(drafting: Drafting, options: ColumnsOptions): Columns {
  const { model, note } = drafting;
  const { type, set } = options;
  const streams = options.properties.filter((property) => kindOf(model, property) === 'stream');
  const columns = options.properties.filter((property) => !streams.includes(property));
  const { fieldOf, renamed, take } = nameFields(model, columns, options.ownFields);
  const enums: Record<string, Choices[string]> = {};
  const reasons = new Map<string, string[]>();
  const fields = columns.map((property): [string, FileField] => {
    const kind = kindOf(model, property) as ColumnKind;
    const field = fieldOf.get(property.name) ?? property.name;
    for (const reason of [kind.note, set ? kind.unfilterable : undefined])
      if (reason !== undefined) reasons.set(reason, [...(reasons.get(reason) ?? []), field]);
    if (!kind.choice) return [field, toField(model, options, { property, field, kind })];
    const name = drafting.takeTypeName(toEnumName(type, field));
    enums[name] = toChoice(kind.choice, `The ${toNoun(field)} of ${withArticle(options.noun)}`);
    return [field, { ...toField(model, options, { property, field, kind }), enum: name }];
  });
  for (const { column, field, wanted } of renamed)
    note(`${type}.${field} is the column ${column}, because ${wanted} is another field.`);
  for (const [reason, names] of reasons) note(`${type}, ${listed(names)}: ${reason}.`);
  if (streams.length > 0) note(`${type}: left out are the files ${listed(streams)}. Add them as \`files\`.`);
  const decimals = fields.flatMap(([name, { description }]) => (description.endsWith(noUnit) ? [name] : []));
  if (decimals.length > 0)
    note(`${type}, ${listed(decimals)}: say the unit or the currency in the description.`);
  return { fields: Object.fromEntries(fields), enums, fieldOf, takeName: take };
}

/** Names in a note. */
export const listed = (names: readonly (string | { readonly name: string })[]): string =>
  names.map((one) => (typeof one === 'string' ? one : one.name)).join(', ');

function toField(
  model: Model,
  { set, key }: ColumnsOptions,
  {
    property,
    field,
    kind,
  }: { readonly property: Property; readonly field: string; readonly kind: ColumnKind },
): FileField {
  const { name, isNullable } = property;
  const isBarred = (term: string, flag: string, list: string) =>
    kind.unfilterable !== undefined ||
    (set !== null &&
      (restriction(set.annotations, term, flag) === false ||
        restrictedNames(set.annotations, term, list).has(name)));
  return {
    kind: kind.kind,
    description: describeColumn(property, kind.kind),
    ...(field !== name && { column: name }),
    ...(set && isBarred(terms.filter, 'Filterable', 'NonFilterableProperties') && { canFilter: false }),
    ...(set && isBarred(terms.sort, 'Sortable', 'NonSortableProperties') && { canSort: false }),
    // Business Central has no null: its metadata leaves open which columns have an unset value.
    ...(set && !model.isBusinessCentral && isNullable && !key.includes(name) && { isNullable: true }),
  };
}

const noUnit = ', in units that the metadata does not name.';

/** What a column is: the metadata's own words, or those of its name. A decimal also says what it is. */
function describeColumn({ name, annotations }: Property, kind: FileField['kind']): string {
  const words = describedBy(annotations) ?? (toPhrase(name) || `The column ${name}`);
  // A semicolon would end what is said of the column in filters.
  const sentence = toSentence(words.replace(/;/g, ','));
  if (kind !== 'decimal') return sentence;
  const currency = annotations.get(terms.currency);
  const isCurrency = typeof currency === 'string' && /^[A-Z]{3}$/.test(currency);
  const isPerCent = annotations.get(terms.unit) === '%';
  const unit = isCurrency ? `, in the currency ${currency}.` : isPerCent ? ', in per cent.' : noUnit;
  return `${sentence.slice(0, -1)}${unit}`;
}

const maxDescriptionLength = 500;

/** What the metadata says of an element: one line without control characters; null where it says nothing. */
export function describedBy(annotations: Annotations): string | null {
  for (const term of [terms.longDescription, terms.description, terms.label]) {
    const said = annotations.get(term);
    const line = typeof said === 'string' ? said.replace(/[\p{Cc}\p{Cf}\p{Cs}\s]+/gu, ' ').trim() : '';
    // Half a surrogate pair may be left at the end.
    if (line !== '') return line.slice(0, maxDescriptionLength).replace(/\p{Cs}/gu, '');
  }
  return null;
}

/** What .NET makes of characters that XML names cannot have: `_x0020_` is a blank, `_x005F_` an underscore. */
const decodeWord = (name: string): string =>
  name.replace(/_x([0-9A-Fa-f]{4}|[0-9A-Fa-f]{8})_/g, (encoded, digits: string) => {
    const code = Number.parseInt(digits, 16);
    return code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff) ? String.fromCodePoint(code) : encoded;
  });

const isBlank = (word: string): boolean => word.trim() === '';

function toChoice(type: EnumType, description: string): Choices[string] {
  // UNRECOGNIZED stands for the words that are not listed.
  const names = createNameList((name) => name === 'UNRECOGNIZED' || /^__/.test(name));
  // Two names can be one word: `A` and `_x0041_`.
  const words = new Map(type.members.map((member) => [decodeWord(member.name), member]));
  const hasNone = [...words.keys()].some((word) => !isBlank(word) && toUpperCaseName(word) === 'NONE');
  const members = [...words].map(([word, { name, annotations }]) => {
    const upperCase = isBlank(word) ? (hasNone ? 'NOT_SET' : 'NONE') : toUpperCaseName(word);
    const said =
      describedBy(annotations) ?? (isBlank(word) ? 'Not set' : toPhrase(word) || word.trim() || name);
    return [names.take(upperCase), { word, description: toSentence(said) }] as const;
  });
  const unset = [...words.keys()].find(isBlank);
  return {
    description: toSentence(description),
    members: Object.fromEntries(members),
    ...(unset !== undefined && { unset }),
  };
}
