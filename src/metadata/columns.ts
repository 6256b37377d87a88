import {
  type FileField,
  type fieldKinds,
  type RecordFile,
  recordFileLimits,
} from '../business/record-files/record-file.ts';
import { restrictedNames, restriction, terms } from './csdl/annotations.ts';
import {
  type Annotations,
  type EntitySet,
  type EnumType,
  type Model,
  type Property,
  underlying,
} from './csdl/model.ts';
import { createNameList, type NameList, toEnumName } from './names.ts';
import { toCamelCase, toNoun, toPhrase, toSentence, toUpperCaseName, withArticle } from './words.ts';

type Choices = NonNullable<RecordFile['enums']>;

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

interface FieldNames {
  /** The field of each column that has one. */
  readonly fieldOf: ReadonlyMap<string, string>;
  /** Columns whose field is not called as they are. */
  readonly renamed: readonly { readonly column: string; readonly field: string; readonly wanted: string }[];
  /** Gives a name that no column has. */
  take(name: string): string;
}

/** Names of fields. Those that are names of GraphQL already keep theirs, and choices come first: `…Raw` is beside them. */
function nameFields(model: Model, columns: readonly Property[], ownFields: ReadonlySet<string>): FieldNames {
  const names = createNameList((name) => ownFields.has(name));
  const fieldOf = new Map<string, string>();
  const renamed: { column: string; field: string; wanted: string }[] = [];
  const isChoice = (property: Property) => (kindOf(model, property) as ColumnKind).choice !== undefined;
  const isKept = ({ name }: Property) => toCamelCase(name, 'column') === name;
  const rank = (property: Property) => (isChoice(property) ? 0 : 2) + (isKept(property) ? 0 : 1);
  for (const property of [...columns].sort((one, other) => rank(one) - rank(other))) {
    const wanted = toCamelCase(property.name, 'column');
    // `id` is the column of that name alone.
    const isOther = ownFields.has(wanted) || (wanted === 'id' && property.name !== 'id');
    const free = isOther ? `${wanted}Value` : wanted;
    const field = isChoice(property) ? takeWithRaw(names, free) : names.take(free);
    fieldOf.set(property.name, field);
    if (field !== wanted) renamed.push({ column: property.name, field, wanted });
  }
  return { fieldOf, renamed, take: names.take };
}

/** A name that is free together with the one of the upstream's word. */
function takeWithRaw(names: NameList, wanted: string): string {
  const rawOf = (name: string) => `${name}Raw`;
  const field = names.take(createNameList((name) => names.has(name) || names.has(rawOf(name))).take(wanted));
  names.take(rawOf(field));
  return field;
}

/** How the graph has a column; `choice` comes with its enum. */
export interface ColumnKind {
  readonly kind: (typeof fieldKinds)[number];
  readonly choice?: EnumType;
  /** Why lists can neither be filtered nor sorted by it. */
  readonly unfilterable?: string;
  /** What is worth knowing of the kind. */
  readonly note?: string;
}

const primitives: Readonly<Record<string, ColumnKind>> = {
  String: { kind: 'text' },
  Guid: { kind: 'uuid' },
  Boolean: { kind: 'boolean' },
  Date: { kind: 'date' },
  DateTimeOffset: { kind: 'dateTime' },
  Byte: { kind: 'int' },
  SByte: { kind: 'int' },
  Int16: { kind: 'int' },
  Int32: { kind: 'int' },
  Int64: {
    kind: 'safeInt',
    note: 'has 64 bits: a value beyond 2^53 fails, because JSON readers would round it',
  },
  Decimal: { kind: 'decimal' },
  Double: { kind: 'decimal', note: 'is a binary number, shown with the digits that the upstream writes' },
  Single: { kind: 'decimal', note: 'is a binary number, shown with the digits that the upstream writes' },
  TimeOfDay: { kind: 'text', unfilterable: 'is a time of day, whose literals are no texts' },
  Duration: { kind: 'text', unfilterable: 'is a duration, whose literals are no texts' },
  Binary: { kind: 'text', unfilterable: 'is binary, shown in Base64' },
};

const object = (what: string): ColumnKind => ({ kind: 'object', unfilterable: `is ${what}, shown as JSON` });

/** How a column is shown; a file has none: it is read at its own address. */
export function kindOf(model: Model, property: Property): ColumnKind | 'stream' {
  if (property.type === 'Edm.Stream' && !property.isCollection) return 'stream';
  if (property.isCollection) return object('a list of values');
  const type = underlying(model, property.type);
  if (type === undefined) return object('of a type of another document');
  if (typeof type !== 'string') {
    if (type.kind !== 'enum') return object('an object');
    if (type.isFlags) return { kind: 'word', unfilterable: 'is several words at once, separated by commas' };
    if (type.members.length > recordFileLimits.members)
      return { kind: 'word', note: `has more than ${recordFileLimits.members} words, too many for an enum` };
    return type.members.length === 0 ? { kind: 'word' } : { kind: 'choice', choice: type };
  }
  const kind = primitives[type.replace(/^Edm\./, '')] ?? object('of a type without a counterpart');
  return kind.kind === 'text' && type === 'Edm.String' ? textKind(model, property) : kind;
}

/** A text, or a code, or a word that changes with the caller's language. */
function textKind(model: Model, { name, maxLength, annotations }: Property): ColumnKind {
  if (annotations.get(terms.languageDependent) === true)
    return { kind: 'word', unfilterable: "is written in the language of the caller's session" };
  if (!model.isBusinessCentral) return { kind: 'text' };
  // A column of a table has a length there; what a page computes has none, and is not filtered.
  if (maxLength === null) return { kind: 'text', unfilterable: 'has no length, and so is computed' };
  return { kind: isCode(name, maxLength) ? 'code' : 'text' };
}

// What the tables behind the standard API have as `Code`, which Business Central converts to upper case. Its lengths are
// 10 and 20, and for the numbers of other companies 35.
const codeNames = /(?:^|[a-z0-9])(?:number|code|no)$|country$|postCode$|^salesperson$|^purchaser$|^gtin$/i;
const plainNames = /phone|fax|bank|registration|serial|tracking|version|route/i;

function isCode(name: string, maxLength: number): boolean {
  if (name === 'accountNumber' || name === 'balancingAccountNumber') return maxLength === 20;
  if (/^(?:external|vendor|customer)\w*Number$/.test(name) && maxLength === 35) return true;
  if (name === 'taxCode') return true;
  const isLength = maxLength === 10 || maxLength === 20 || (name === 'gtin' && maxLength === 14);
  return isLength && codeNames.test(name) && !plainNames.test(name);
}
