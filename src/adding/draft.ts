import { toPhrase, withArticle } from '../business/declarations/words.ts';
import type { RecordTypeDescriptor } from '../business/records/record-type.ts';
import type { EntitySet, EntityType, Metadata, Navigation, Property } from './metadata.ts';
import { createNameList, toCamelCase, toPascalCase, toSentence } from './words.ts';
import { AddingError } from './xml.ts';

/** A record type of the graph. Relations lead to types with `names`: not to companies, as every record has a `company`. */
export type KnownType = Pick<RecordTypeDescriptor, 'type' | 'entitySet' | 'route' | 'names'>;

/** The state while a file is drafted. */
interface Drafting {
  readonly metadata: Metadata;
  /** The types that relations can lead to, by entity set. */
  readonly targets: ReadonlyMap<string, string>;
  /** Adds a comment about something that the metadata leaves open, and that a person has to review. */
  note(sentence: string): void;
}

/**
 * Drafts the declaration of an entity set, in the order of the metadata. Comments name what the metadata leaves open, such as
 * the columns that a create needs. Throws an `AddingError`.
 */
export function draftDeclaration(
  metadata: Metadata,
  entitySet: string,
  { route, known }: { readonly route: string; readonly known: readonly KnownType[] },
): string {
  const set = findSet(metadata, entitySet);
  const type = findType(metadata, set);
  const name = toPascalCase(type.name);
  const review: string[] = [];
  const drafting: Drafting = {
    metadata,
    targets: new Map([
      ...known
        .filter((each) => each.names && each.route === route)
        .map((each) => [each.entitySet, each.type] as const),
      [set.name, name],
    ]),
    // Without line breaks, so that names of the metadata cannot end the comment.
    note: (sentence) => review.push(sentence.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, ' ')),
  };
  const columns = toColumns(drafting, type, set);
  const fields = [...columns.lines, ...toRelations(drafting, name, type, columns)];
  const rows = toRows(drafting, type, columns);
  const one = toCamelCase(type.name, 'record');
  const list = toCamelCase(set.name, 'record');
  const args = [
    `set: ${quote(set.name)}`,
    ...(route === 'v2.0' ? [] : [`route: ${quote(route)}`]),
    ...(type.key[0] === 'id' ? [] : [`id: ${quote(type.key[0] ?? '')}`]),
    ...(one === name.charAt(0).toLowerCase() + name.slice(1) ? [] : [`one: ${quote(one)}`]),
    ...(list === one
      ? [`many: ${quote(`${one}Records`)}`]
      : list === set.name
        ? []
        : [`many: ${quote(list)}`]),
  ];
  noteReview(drafting, { type, set, columns });
  return [
    ...review.map((sentence) => `# ${sentence}`),
    '',
    ...printType(toSentence(withArticle(toPhrase(type.name))), `${name} @record(${args.join(', ')})`, [
      ...fields,
      ...rows.map((row) => row.field),
    ]),
    ...rows.flatMap((row) => ['', ...printType(row.description, row.type, row.fields)]),
    '',
  ].join('\n');
}

/** Quotes a GraphQL string, whose escapes are those of JSON. */
const quote = (text: string): string => JSON.stringify(text);

/** A field with its description. */
type Line = readonly [description: string, field: string];

const printType = (description: string, head: string, lines: readonly Line[]): readonly string[] => [
  quote(description),
  ...(lines.length === 0
    ? [`type ${head}`]
    : [`type ${head} {`, ...lines.flatMap(([text, field]) => [`  ${quote(text)}`, `  ${field}`]), '}']),
];

function findSet({ entitySets }: Metadata, name: string): EntitySet {
  const set = entitySets.get(name);
  if (set) return set;
  const similar = [...entitySets.values()].find((each) =>
    [each.name, each.type.replace(/^.*\./, '')].some((one) => one.toLowerCase() === name.toLowerCase()),
  );
  const hint = similar ? `Did you mean ${similar.name}?` : `It has ${entitySets.size} others.`;
  throw new AddingError(`The metadata has no entity set ${JSON.stringify(name)}. ${hint}`);
}

function findType({ entityTypes }: Metadata, set: EntitySet): EntityType {
  const type = entityTypes.get(set.type);
  const createError = (reason: string) => new AddingError(`${set.name} cannot be added: ${reason}.`);
  if (!type) throw createError(`the metadata has no entity type ${set.type}`);
  if (type.isDerived) throw createError(`its type ${type.name} has a base type, which is not read`);
  const [key, ...others] = type.key;
  if (key === undefined) throw createError(`its type ${type.name} has no key`);
  if (others.length > 0)
    throw createError(
      `its key has ${type.key.length} columns, ${type.key.join(', ')}, and has to be one GUID`,
    );
  const column = type.properties.find(({ name }) => name === key);
  if (column?.type !== 'Edm.Guid')
    throw createError(
      `its key ${key} is ${column ? `of ${column.type}` : 'no column'}, and has to be a GUID`,
    );
  return type;
}

/** The columns of one kind of row. */
interface Columns {
  readonly lines: readonly Line[];
  /** The field of each property of the metadata, by property name. */
  readonly fieldOf: ReadonlyMap<string, ColumnType & { readonly name: string }>;
  /** Reserves a field name. Appends a number if it is taken. */
  takeName(name: string): string;
}

/** Names that no column may have: fields of every record, and `companyNumber`, which would seem to belong to `company`. */
const reservedFields = ['id', 'companyId', 'companyNumber', 'company', 'etag', 'nodeId'];

/** The columns of records, or of their rows if `set` is null. Rows have no lists, so no filter and order. */
function toColumns({ metadata }: Drafting, source: EntityType, set: EntitySet | null): Columns {
  const takeName = createNameList(reservedFields);
  const fieldOf = new Map<string, ColumnType & { readonly name: string }>();
  const lines: Line[] = [];
  for (const property of source.properties) {
    const { name } = property;
    // Streams are files, with URLs of their own. Properties `…_FilterOnly` can be used in filters, but not selected.
    if (property.type === 'Edm.Stream' || /_FilterOnly$/.test(name)) continue;
    const isId = set ? name === source.key[0] : name === 'id' && property.type === 'Edm.Guid';
    // Every record has an `id` without a declaration.
    if (isId && set) {
      fieldOf.set(name, { name: 'id', type: 'UUID' });
      continue;
    }
    const camelCase = toCamelCase(name, 'column');
    const field = isId
      ? 'id'
      : takeName(reservedFields.includes(camelCase) ? `${camelCase}Value` : camelCase);
    const { type, kind, canFilter = true } = typeOf(metadata, property);
    fieldOf.set(name, { name: field, type, ...(kind && { kind }) });
    const args = [
      ...(field === name ? [] : [`name: ${quote(name)}`]),
      ...(kind ? [`kind: ${kind}`] : []),
      ...(set && !canFilter ? ['filter: false'] : []),
      ...(set && !(canFilter && set.canSort) ? ['sort: false'] : []),
    ];
    const words = (metadata.enums.get(property.type) ?? [])
      .map(decodeWord)
      .filter((word) => !isBlank(word) && !/\p{C}/u.test(word));
    const text = `${toPhrase(name)}${type === 'Decimal' ? noUnit : ''}${words.length === 0 ? '' : `: ${words.map((word) => `\`${word}\``).join(', ')}`}`;
    lines.push([
      toSentence(text),
      `${field}: ${type}${args.length > 0 ? ` @column(${args.join(', ')})` : ''}`,
    ]);
  }
  return { lines, fieldOf, takeName };
}

const noUnit = ', in units that the metadata does not name';

interface ColumnType {
  readonly type: string;
  readonly kind?: 'CODE' | 'WORD' | 'WORD_OR_BLANK';
  /** Whether lists can be filtered and sorted by the column; true by default. */
  readonly canFilter?: false;
}

const types: Readonly<Record<string, ColumnType>> = {
  'Edm.Guid': { type: 'UUID' },
  'Edm.Boolean': { type: 'Boolean' },
  'Edm.Date': { type: 'Date' },
  'Edm.DateTimeOffset': { type: 'DateTime' },
  'Edm.Byte': { type: 'Int' },
  'Edm.Int16': { type: 'Int' },
  'Edm.Int32': { type: 'Int' },
  'Edm.Int64': { type: 'SafeInt' },
  'Edm.Decimal': { type: 'Decimal' },
  'Edm.Double': { type: 'Decimal' },
  // OData literals of these types are not quoted strings.
  'Edm.TimeOfDay': { type: 'String', canFilter: false },
  'Edm.Duration': { type: 'String', canFilter: false },
  'Edm.Binary': { type: 'String', canFilter: false },
};

function typeOf({ enums }: Metadata, { name, type, maxLength, isLanguageDependent }: Property): ColumnType {
  const words = enums.get(type);
  if (words) return { type: 'String', kind: words.map(decodeWord).some(isBlank) ? 'WORD_OR_BLANK' : 'WORD' };
  // Complex types and collections become JSON.
  if (type !== 'Edm.String') return types[type] ?? { type: 'JSON' };
  if (isLanguageDependent) return { type: 'String', kind: 'WORD', canFilter: false };
  // Columns of tables have a length. A text without a length is computed, and cannot be filtered.
  if (maxLength === null) return { type: 'String', canFilter: false };
  return isCode(name, maxLength) ? { type: 'String', kind: 'CODE' } : { type: 'String' };
}

// Guesses which texts have the type `Code` in the tables of Business Central, which converts them to upper case. Codes have the
// lengths 10 and 20; numbers that other companies assign have 35.
const codeNames = /(?:^|[a-z0-9])(?:number|code|no)$|country$|postCode$|^salesperson$|^purchaser$|^gtin$/i;
const plainNames = /phone|fax|bank|registration|serial|tracking|version|route/i;

function isCode(name: string, maxLength: number): boolean {
  if (name === 'accountNumber' || name === 'balancingAccountNumber') return maxLength === 20;
  if (/^(?:external|vendor|customer)\w*Number$/.test(name) && maxLength === 35) return true;
  if (name === 'taxCode') return true;
  const isLength = maxLength === 10 || maxLength === 20 || (name === 'gtin' && maxLength === 14);
  return isLength && codeNames.test(name) && !plainNames.test(name);
}

/** Decodes an XML name of .NET: `_x0020_` is a space, `_x005F_` an underscore. */
const decodeWord = (name: string): string =>
  name.replace(/_x([0-9A-Fa-f]{4})_/g, (_encoded, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 16)),
  );

const isBlank = (word: string): boolean => word.trim() === '';

/** The relations to one record. `owner` is the record of rows, to which they get no relation. */
function toRelations(
  { metadata, targets, note }: Drafting,
  name: string,
  type: EntityType,
  columns: Columns,
  owner?: EntityType,
): readonly Line[] {
  const lines: Line[] = [];
  const skipped: string[] = [];
  for (const navigation of type.navigations) {
    if (navigation.isCollection || navigation.type === owner?.fullName) continue;
    const set = [...metadata.entitySets.values()].find((each) => each.type === navigation.type);
    const target = targets.get(set?.name ?? '');
    if (target === undefined) {
      skipped.push(navigation.name);
      continue;
    }
    const key = keyOf(navigation, columns, metadata.entityTypes.get(navigation.type)?.key[0]);
    const field = columns.takeName(toCamelCase(navigation.name, 'relation'));
    lines.push([
      `The ${toPhrase(navigation.name)}, as a record; null where there is none.`,
      `${field}: ${target} @relation(${key === undefined ? '' : `key: ${quote(key)}, `}expand: ${quote(navigation.name)})`,
    ]);
  }
  if (skipped.length > 0)
    note(`${name}: relations to what is not in the graph are left out: ${skipped.join(', ')}.`);
  return lines;
}

/**
 * The field with the id of a related record: by the navigation's constraint, otherwise by Business Central's convention of
 * names. `targetKey` is the key of the related type.
 */
function keyOf(
  { name, constraints }: Navigation,
  { fieldOf }: Columns,
  targetKey = 'id',
): string | undefined {
  const constraint = constraints.find(({ referenced }) => referenced === targetKey);
  if (!constraint && constraints.length > 0) return undefined;
  const column = constraint?.property ?? `${name}Id`;
  const field = fieldOf.get(column);
  return field?.type === 'UUID' ? field.name : undefined;
}

/** The rows of a record: contained types without an entity set, and lines that no other type has. */
function rowsOf(
  { entityTypes, entitySets }: Metadata,
  owner: EntityType,
): readonly [Navigation, EntityType][] {
  const withSet = new Set([...entitySets.values()].map(({ type }) => type));
  // A company has a navigation to every type.
  const others = [...entityTypes.values()].filter((each) => each !== owner && each.name !== 'company');
  const isOwnLine = ({ name, type }: Navigation) =>
    /Lines$/.test(name) &&
    !others.some(({ navigations }) => navigations.some((each) => each.isCollection && each.type === type));
  return owner.navigations.flatMap((navigation): [Navigation, EntityType][] => {
    const type = entityTypes.get(navigation.type);
    if (!type || !navigation.isCollection || !navigation.isContained) return [];
    return isOwnLine(navigation) || !withSet.has(navigation.type) ? [[navigation, type]] : [];
  });
}

function toRows(drafting: Drafting, owner: EntityType, { takeName }: Columns) {
  return rowsOf(drafting.metadata, owner).map(([navigation, rowType]) => {
    const type = toPascalCase(rowType.name);
    const columns = toColumns(drafting, rowType, null);
    noteLists(drafting, rowType);
    return {
      field: [
        `The ${toPhrase(navigation.name)} of the ${toPhrase(owner.name)}, in the upstream's order.`,
        `${takeName(toCamelCase(navigation.name, 'rows'))}: [${type}!] @relation(expand: ${quote(navigation.name)})`,
      ] as const,
      type,
      description: toSentence(`one ${toPhrase(rowType.name)} of ${withArticle(toPhrase(owner.name))}`),
      fields: [...columns.lines, ...toRelations(drafting, type, rowType, columns, owner)],
    };
  });
}

function noteLists({ metadata, note }: Drafting, type: EntityType): void {
  const rows = rowsOf(metadata, type).map(([navigation]) => navigation);
  const lists = type.navigations.filter((each) => each.isCollection && !rows.includes(each));
  if (lists.length > 0)
    note(
      `${type.name}: these lists are left out: ${lists.map((each) => each.name).join(', ')}. A field with \`@list\` makes each.`,
    );
}

function noteReview(
  drafting: Drafting,
  { type, set, columns }: { readonly type: EntityType; readonly set: EntitySet; readonly columns: Columns },
): void {
  const { note } = drafting;
  note(
    set.writes.length === 0
      ? 'It is read only: the metadata does not say that it takes writes.'
      : `It is read only. By the metadata it takes ${set.writes.join(', ')}: add \`write\` to the type and to the columns that take them, and \`required\` to those that a create needs.`,
  );
  note(
    'Descriptions repeat the names of the metadata. Reword them, and say the unit or the currency of decimals.',
  );
  note(
    'Add `filter: false` and `sort: false` to columns that the upstream computes for each row, and `nullable: true` where it has null.',
  );
  const codes = [...columns.fieldOf.values()].filter(({ kind }) => kind === 'CODE').map(({ name }) => name);
  if (codes.length > 0)
    note(`Taken for codes, which the upstream has in upper case, by name and length: ${codes.join(', ')}.`);
  if (columns.fieldOf.get('lastModifiedDateTime')?.type === 'DateTime')
    note('Changes are not watched. Add `watch: true` where the upstream has webhooks for the entity set.');
  const streams = type.properties.filter((property) => property.type === 'Edm.Stream');
  if (streams.length > 0)
    note(
      `These files are left out: ${streams.map((each) => each.name).join(', ')}. A field with \`@file\` reads each.`,
    );
  noteLists(drafting, type);
  if (type.actions.length > 0) note(`These actions are left out: ${type.actions.join(', ')}.`);
}
