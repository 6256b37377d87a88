import {
  type FileField,
  type fieldKinds,
  type RecordFile,
  recordFile,
} from '../business/record-files/record-file.ts';
import type { EntitySet, EntityType, Metadata, Navigation, Property } from './metadata.ts';
import { createNameList, toCamelCase, toPascalCase, toPhrase, toSentence, withArticle } from './words.ts';
import { MetadataError } from './xml.ts';

/** A type that the graph has already. */
export interface KnownType {
  readonly type: string;
  readonly entitySet: string;
  readonly route: string;
  /** False for companies: every record leads to its company already. */
  readonly isTarget: boolean;
}

export interface RecordFileDraft {
  readonly file: RecordFile;
  /** What the metadata does not say and a person has to decide, in sentences. */
  readonly review: readonly string[];
}

/** What the parts of a record file share while it is drafted. */
interface Drafting {
  readonly metadata: Metadata;
  /** The types that relations can lead to, by their entity sets. */
  readonly targets: ReadonlyMap<string, string>;
  /** Adds a sentence to what a person has to review. */
  note(sentence: string): void;
}

type Relations = NonNullable<RecordFile['relations']>;
type Rows = NonNullable<RecordFile['rows']>;

/**
 * Drafts the record file of an entity set, in the order of the metadata. What the metadata cannot say, such as which columns
 * a create needs, is left out. Throws a `MetadataError`.
 */
export function draftRecordFile(
  metadata: Metadata,
  entitySet: string,
  { route, known }: { readonly route: string; readonly known: readonly KnownType[] },
): RecordFileDraft {
  const set = findSet(metadata, entitySet);
  const type = findType(metadata, set);
  const review: string[] = [];
  const drafting: Drafting = {
    metadata,
    targets: new Map([
      ...known
        .filter((each) => each.isTarget && each.route === route)
        .map((each) => [each.entitySet, each.type] as const),
      [set.name, toPascalCase(type.name)],
    ]),
    note: (sentence) => review.push(sentence),
  };
  const file = toRecordFile(drafting, { set, type, route });
  // A name or a text that the format cannot hold is a mistake of the metadata, or of what is made of it.
  const [issue] = recordFile.safeParse(file).error?.issues ?? [];
  if (issue)
    throw new MetadataError(
      set.line,
      `what ${set.name} is made of does not fit a record file: ${issue.path.map(String).join('.')}: ${issue.message}.`,
    );
  return { file, review };
}

function findSet({ entitySets }: Metadata, name: string): EntitySet {
  const set = entitySets.get(name);
  if (set) return set;
  const similar = [...entitySets.values()].find((each) =>
    [each.name, each.type.replace(/^.*\./, '')].some((one) => one.toLowerCase() === name.toLowerCase()),
  );
  const hint = similar ? `Did you mean ${similar.name}?` : `It has ${entitySets.size} others.`;
  throw new MetadataError(1, `the metadata has no entity set ${JSON.stringify(name)}. ${hint}`);
}

function findType({ entityTypes }: Metadata, set: EntitySet): EntityType {
  const type = entityTypes.get(set.type);
  if (!type) throw new MetadataError(set.line, `${set.name} is of ${set.type}, which is no entity type.`);
  if (type.isDerived)
    throw new MetadataError(type.line, `${type.name} has a base type. Write the record file by hand.`);
  if (type.key.join() !== 'id' || !hasGuidId(type))
    throw new MetadataError(
      type.line,
      `the key of ${set.name} is ${type.key.join(', ')}: records are known by a GUID \`id\`, the one column of their key.`,
    );
  return type;
}

const hasGuidId = ({ properties }: EntityType): boolean =>
  properties.some(({ name, type }) => name === 'id' && type === 'Edm.Guid');

function toRecordFile(
  drafting: Drafting,
  { set, type, route }: { readonly set: EntitySet; readonly type: EntityType; readonly route: string },
): RecordFile {
  const name = toPascalCase(type.name);
  const one = toCamelCase(type.name, 'record');
  const list = toCamelCase(set.name, 'record');
  const noun = toPhrase(type.name);
  const columns = toColumns(drafting, type, set);
  const relations = toRelations(drafting, name, type, columns);
  const rows = toRows(drafting, type, columns);
  const { number } = columns.fields;
  const hasNumber = number?.kind === 'code' && number.canFilter !== false;
  noteReview(drafting, name, { type, set, columns });
  return {
    version: 1,
    type: name,
    description: toSentence(withArticle(noun)),
    names: {
      one,
      many: list === one ? `${one}Records` : list,
      ...(hasNumber && { byNumber: `${one}ByNumber` }),
    },
    texts: { one: withArticle(noun), many: list === one ? `${noun} records` : toPhrase(set.name) },
    route,
    entitySet: set.name,
    fields: columns.fields,
    ...some('relations', relations),
    ...some('rows', rows),
  };
}

const some = <Name extends string, Value extends object>(
  name: Name,
  value: Value,
): Partial<Record<Name, Value>> =>
  Object.keys(value).length > 0 ? ({ [name]: value } as Partial<Record<Name, Value>>) : {};

/** The columns of one kind of row. */
interface Columns {
  readonly fields: Record<string, FileField>;
  readonly fieldOf: ReadonlyMap<string, string>;
  /** Gives a name that no column has. */
  takeName(name: string): string;
}

/** Names of no columns: every row has these fields, and `companyNumber` would seem to be of the company of the graph. */
const ownFields = ['id', 'companyId', 'companyNumber', 'company', 'etag', 'nodeId'];

/** The columns of records, or of the rows that come with them, which no list filters or sorts by. */
function toColumns(drafting: Drafting, source: EntityType, set: EntitySet | null): Columns {
  const takeName = createNameList(ownFields);
  const fieldOf = new Map<string, string>();
  const fields: Record<string, FileField> = {};
  for (const property of source.properties) {
    const { name } = property;
    // A file is read at its own address, and columns that only filters can name are no columns of records.
    if (property.type === 'Edm.Stream' || /_FilterOnly$/.test(name)) continue;
    const isId = name === 'id' && hasGuidId(source);
    // The `id` of a record is in every file without being named.
    if (isId && set) continue;
    const wanted = toCamelCase(name, 'column');
    const field = isId ? name : takeName(ownFields.includes(wanted) ? `${wanted}Value` : wanted);
    fieldOf.set(name, field);
    const { kind, canFilter = true, words = [] } = kindOf(drafting.metadata, property);
    fields[field] = {
      kind,
      description: toSentence(`${toPhrase(name)}${kind === 'decimal' ? noUnit : listWords(words)}`),
      ...(field !== name && { column: name }),
      ...(set && !canFilter && { canFilter }),
      ...(set && !(canFilter && set.canSort) && { canSort: false }),
    };
  }
  return { fields, fieldOf, takeName };
}

/** What an enum type lists, for descriptions; empty where that is too long to be read, or no text. */
function listWords(words: readonly string[]): string {
  const shown = words.filter((word) => !isBlank(word)).map((word) => `\`${word}\``);
  const last = shown.pop();
  if (last === undefined) return '';
  const text = `: ${shown.length > 0 ? `${shown.join(', ')} or ` : ''}${last}`;
  return text.length > 1_000 || /[\p{Cc}\p{Cs}]/u.test(text) ? '' : text;
}

const isBlank = (word: string) => word.trim() === '';

const noUnit = ', in units that the metadata does not name';

interface ColumnKind {
  readonly kind: (typeof fieldKinds)[number];
  /** Whether lists can be filtered and sorted by it; true by default. */
  readonly canFilter?: false;
  /** The words of an enum type. */
  readonly words?: readonly string[];
}

const kinds: Readonly<Record<string, ColumnKind>> = {
  'Edm.Guid': { kind: 'uuid' },
  'Edm.Boolean': { kind: 'boolean' },
  'Edm.Date': { kind: 'date' },
  'Edm.DateTimeOffset': { kind: 'dateTime' },
  'Edm.Byte': { kind: 'int' },
  'Edm.Int16': { kind: 'int' },
  'Edm.Int32': { kind: 'int' },
  'Edm.Int64': { kind: 'safeInt' },
  'Edm.Decimal': { kind: 'decimal' },
  'Edm.Double': { kind: 'decimal' },
  // Their literals are no texts.
  'Edm.TimeOfDay': { kind: 'text', canFilter: false },
  'Edm.Duration': { kind: 'text', canFilter: false },
  'Edm.Binary': { kind: 'text', canFilter: false },
};

function kindOf({ enums }: Metadata, { name, type, maxLength, isLanguageDependent }: Property): ColumnKind {
  const words = enums.get(type)?.map(decodeWord);
  if (words) return { kind: words.some(isBlank) ? 'wordOrBlank' : 'word', words };
  // Complex types and lists of values are shown as JSON.
  if (type !== 'Edm.String') return kinds[type] ?? { kind: 'object', canFilter: false };
  if (isLanguageDependent) return { kind: 'word', canFilter: false };
  // A column of a table has a length; what a page computes has none, and is not filtered.
  if (maxLength === null) return { kind: 'text', canFilter: false };
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

/** What .NET makes of characters that XML names cannot have: `_x0020_` is a blank, `_x005F_` an underscore. */
const decodeWord = (name: string): string =>
  name.replace(/_x([0-9A-Fa-f]{4})_/g, (_encoded, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 16)),
  );

/** The records that navigations lead to, one each. `owner`: of rows, what they are read with. */
function toRelations(
  { metadata, targets, note }: Drafting,
  name: string,
  type: EntityType,
  columns: Columns,
  owner?: EntityType,
): Relations {
  const relations: Record<string, Relations[string]> = {};
  const unknown: string[] = [];
  for (const navigation of type.navigations) {
    if (navigation.isCollection || navigation.type === owner?.fullName) continue;
    const set = [...metadata.entitySets.values()].find((each) => each.type === navigation.type);
    const target = targets.get(set?.name ?? '');
    if (target === undefined) {
      unknown.push(navigation.name);
      continue;
    }
    const idField = idFieldOf(navigation, columns);
    relations[columns.takeName(toCamelCase(navigation.name, 'relation'))] = {
      type: target,
      description: `The ${toPhrase(navigation.name)}, as a record; null where there is none.`,
      ...(idField !== undefined && { idField }),
      navigation: navigation.name,
    };
  }
  if (unknown.length > 0)
    note(`${name}: left out are relations to what is not in the graph: ${unknown.join(', ')}.`);
  return relations;
}

/** The field with the id of the record that a navigation leads to: by its constraint, or by Business Central's names. */
function idFieldOf({ name, constraints }: Navigation, { fieldOf, fields }: Columns): string | undefined {
  const constraint = constraints.find(({ referenced }) => referenced === 'id');
  if (!constraint && constraints.length > 0) return undefined;
  const column = constraint?.property ?? `${name}Id`;
  // The `id` of a record is a field as well.
  const field = column === 'id' ? 'id' : fieldOf.get(column);
  return field === 'id' || fields[field ?? '']?.kind === 'uuid' ? field : undefined;
}

/** The rows that come with a record: what it contains and no entity set has, and lines that no other type has. */
function rowsOf(
  { entityTypes, entitySets }: Metadata,
  owner: EntityType,
): readonly [Navigation, EntityType][] {
  const withSet = new Set([...entitySets.values()].map(({ type }) => type));
  // A company has everything.
  const others = [...entityTypes.values()].filter((each) => each !== owner && each.name !== 'company');
  const isOwn = ({ name, type }: Navigation) =>
    /Lines$/.test(name) &&
    !others.some(({ navigations }) => navigations.some((each) => each.isCollection && each.type === type));
  return owner.navigations.flatMap((navigation): [Navigation, EntityType][] => {
    const type = entityTypes.get(navigation.type);
    if (!type || !navigation.isCollection || !navigation.isContained) return [];
    return isOwn(navigation) || !withSet.has(navigation.type) ? [[navigation, type]] : [];
  });
}

function toRows(drafting: Drafting, owner: EntityType, { takeName }: Columns): Rows {
  const rows: Record<string, Rows[string]> = {};
  const ofOwner = withArticle(toPhrase(owner.name));
  for (const [navigation, rowType] of rowsOf(drafting.metadata, owner)) {
    const type = toPascalCase(rowType.name);
    const columns = toColumns(drafting, rowType, null);
    const relations = toRelations(drafting, type, rowType, columns, owner);
    noteLists(drafting, type, rowType);
    rows[takeName(toCamelCase(navigation.name, 'rows'))] = {
      type,
      description: `The ${toPhrase(navigation.name)} of the ${toPhrase(owner.name)}, in the upstream's order.`,
      rowDescription: toSentence(`one ${toPhrase(rowType.name)} of ${ofOwner}`),
      navigation: navigation.name,
      fields: columns.fields,
      ...some('relations', relations),
    };
  }
  return rows;
}

function noteLists({ metadata, note }: Drafting, name: string, type: EntityType): void {
  const rows = rowsOf(metadata, type).map(([navigation]) => navigation);
  const lists = type.navigations.filter((each) => each.isCollection && !rows.includes(each));
  if (lists.length > 0)
    note(
      `${name}: left out are the lists ${lists.map((each) => each.name).join(', ')}. \`listedBy\` in the record file of what they list makes them.`,
    );
}

function noteReview(
  drafting: Drafting,
  name: string,
  {
    type,
    set,
    columns: { fields },
  }: { readonly type: EntityType; readonly set: EntitySet; readonly columns: Columns },
): void {
  const { note } = drafting;
  note(
    set.writes.length === 0
      ? `${name}: read only. The metadata does not say that it takes writes.`
      : `${name}: read only. By the metadata it takes ${set.writes.join(', ')}: add \`writes\` to the type and to the columns that take them, and \`isRequired\` to those that a create needs.`,
  );
  note(
    `${name}: names and descriptions repeat those of the metadata. Reword the descriptions, and say the unit or the currency of decimals.`,
  );
  note(
    `${name}: fields are filtered and sorted unless the metadata restricts them. Add \`canFilter: false\` and \`canSort: false\` to those that the upstream computes for each row, and \`isNullable\` where it has null.`,
  );
  const codes = Object.keys(fields).filter((field) => fields[field]?.kind === 'code');
  if (codes.length > 0)
    note(
      `${name}, ${codes.join(', ')}: taken for codes, which the upstream has in upper case, by name and length.`,
    );
  if (fields.lastModifiedDateTime?.kind === 'dateTime')
    note(
      `${name}: changes are not watched. Add \`watched\` where the upstream has webhooks for the entity set.`,
    );
  const streams = type.properties.filter((property) => property.type === 'Edm.Stream');
  if (streams.length > 0)
    note(
      `${name}: left out are the files ${streams.map((each) => each.name).join(', ')}. Add them as \`files\`.`,
    );
  noteLists(drafting, name, type);
  if (type.actions.length > 0) note(`${name}: left out are the actions ${type.actions.join(', ')}.`);
}
