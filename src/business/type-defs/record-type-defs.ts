import {
  type DefinitionNode,
  type DocumentNode,
  type EnumTypeDefinitionNode,
  type FieldDefinitionNode,
  Kind,
  type ObjectTypeDefinitionNode,
  print,
  type TypeNode,
  type UnionTypeDefinitionNode,
} from 'graphql';
import { parseDefinitions } from '../../graph/definition-keys.ts';
import { toEnumMember, toOrderMembers } from '../reading/filters.ts';
import type { RecordTypeDescriptor } from '../record-type.ts';
import { actionDefs, batchEntryDef, lineMutationDefs } from './mutation-type-defs.ts';

/**
 * Adds to the documents of `schema/` what derives from the descriptors: the types of the lists behind each record type,
 * the mutations of lines and of actions, the input of an entry of `batch`, and the members of `RecordType` and
 * `ChangedRecord`, which `schema/` defines without members. Throws where the record types of `schema/` are not those of
 * the descriptors.
 */
export function addRecordTypeDefs(
  documents: readonly DocumentNode[],
  recordTypes: readonly RecordTypeDescriptor[],
): DocumentNode[] {
  const byType = new Map(recordTypes.map((recordType) => [recordType.type, recordType]));
  requireSameTypes(documents, byType);
  const watched = recordTypes.filter((recordType) => recordType.watched);
  const members: Readonly<Record<string, string>> = {
    RecordType: `enum RecordType { ${watched.map(enumValueDef).join(' ')} }`,
    ChangedRecord: `union ChangedRecord = ${watched.map(({ type }) => type).join(' | ')}`,
  };
  const addMembers = (node: DefinitionNode): DefinitionNode => {
    if (node.kind !== Kind.ENUM_TYPE_DEFINITION && node.kind !== Kind.UNION_TYPE_DEFINITION) return node;
    const own = members[node.name.value];
    return own === undefined ? node : parseWithDescription(own, node);
  };
  const added = documents.map((source) => {
    const { definitions, ...document } = addLists(source, byType);
    return { ...document, definitions: definitions.map(addMembers) };
  });
  return [...added, lineMutationDefs(recordTypes), actionDefs(recordTypes), batchEntryDef(recordTypes)];
}

/** A document with the types of the lists behind each record type in it. */
export function addLists(
  document: DocumentNode,
  byType: ReadonlyMap<string, RecordTypeDescriptor>,
): DocumentNode {
  const lists = document.definitions.filter(isObjectType).flatMap((definition) => {
    const recordType = byType.get(definition.name.value);
    return recordType ? parseDefinitions(listTypeDefs(recordType, definition)).definitions : [];
  });
  return { ...document, definitions: [...document.definitions, ...lists] };
}

function requireSameTypes(documents: readonly DocumentNode[], byType: ReadonlyMap<string, unknown>) {
  const definitions = documents.flatMap((document) => document.definitions.filter(isObjectType));
  const defined = new Set(definitions.map(({ name }) => name.value));
  const undefinedType = [...byType.keys()].find((type) => !defined.has(type));
  if (undefinedType)
    throw new Error(
      `No file of schema/ defines the type ${undefinedType}, which src/business/records/index.ts lists.`,
    );
  const unlisted = definitions.find((type) => isOfCompany(type) && !byType.has(type.name.value));
  if (unlisted)
    throw new Error(
      `${unlisted.name.value} is a record type of schema/: list its descriptor in src/business/records/index.ts.`,
    );
}

/** Whether the key of a type has a company: that of every record type but companies themselves. */
const isOfCompany = ({ directives = [] }: ObjectTypeDefinitionNode): boolean =>
  directives.some((directive) => directive.name.value === 'key' && print(directive).includes('companyId'));

const parseWithDescription = (
  sdl: string,
  { description }: EnumTypeDefinitionNode | UnionTypeDefinitionNode,
) => ({ ...parseDefinitions(sdl).definitions[0], description }) as DefinitionNode;

const isObjectType = (node: DefinitionNode): node is ObjectTypeDefinitionNode =>
  node.kind === Kind.OBJECT_TYPE_DEFINITION;

const enumValueDef = ({ names, watched }: RecordTypeDescriptor): string =>
  `${JSON.stringify(watched?.description)} ${toEnumMember(names?.one ?? '')}`;

/**
 * The SDL of the lists of a record type: its connection and edge, its filter with a filter for each of its enums, and its
 * order. Names, types and how long a response may be kept come from the type in `schema/`, the rest from the descriptor.
 */
function listTypeDefs(recordType: RecordTypeDescriptor, definition: ObjectTypeDefinitionNode): string {
  const { filtered, sorted } = comparableColumns(recordType, definition);
  const { one, many, conditions = {} } = recordType.list;
  const name = definition.name.value;
  const ageHint = definition.directives?.find((directive) => directive.name.value === 'cacheControl');
  const age = ageHint ? ` ${print(ageHint)}` : '';
  // By the enum: columns may share one.
  const enumFilters = new Map(
    filtered.flatMap((column) => {
      const subject = conditions[column.name.value];
      const type = typeName(column.type);
      return subject === undefined ? [] : [[type, enumFilterDef(type, subject)]];
    }),
  );
  return `
${quote(`A page of ${many}.`)}
type ${name}Connection${age} {
  "The page's rows, each with the cursor that continues after it."
  edges: [${name}Edge!]!
  "The page's rows alone."
  nodes: [${name}!]!
  "The position of this page in the list."
  pageInfo: PageInfo!
  "How many rows the whole list has; counted by the upstream only when selected."
  totalCount: Int
}

${quote(`${one.charAt(0).toUpperCase()}${one.slice(1)} in a page.`)}
type ${name}Edge${age} {
  "Pass as \`after\` to get the rows after this one."
  cursor: String!
  "The row."
  node: ${name}!
}

${filtered.length === 0 ? '' : filterDef(name, many, filtered)}

${[...enumFilters.values()].join('\n\n')}
${sorted.length === 0 ? '' : orderDef(name, many, sorted)}`;
}

const filterDef = (name: string, many: string, columns: readonly FieldDefinitionNode[]): string => `
${quote(`Which ${many} to return: everything given must hold.`)}
input ${name}Filter {
  "Further conditions, all of which must hold."
  and: [${name}Filter!]
  "Further conditions, at least one of which must hold; an empty list finds nothing. Some upstreams support this only for conditions on one field; otherwise the request fails with BAD_USER_INPUT."
  or: [${name}Filter!]
  "A condition that must not hold. As with \`ne\`, unset values do not match, unless the condition is \`ne: null\`. Some upstreams cannot negate \`contains\`, \`startsWith\` or \`endsWith\`: BAD_USER_INPUT."
  not: ${name}Filter
  ${columns.map((column) => `${column.name.value}: ${typeName(column.type)}Filter`).join('\n  ')}
}`;

const orderDef = (name: string, many: string, columns: readonly FieldDefinitionNode[]): string => `
${quote(`What ${many} can be sorted by. Unset values are the least.`)}
enum ${name}Order {
  ${columns.flatMap((column) => toOrderMembers(column.name.value)).join('\n  ')}
}`;

function enumFilterDef(name: string, subject: string): string {
  return `
${quote(`Conditions on ${subject}; all given must hold. \`eq\` and \`ne\` reject \`null\`, because this field is always set.`)}
input ${name}Filter {
  "This one and no other."
  eq: ${name}
  "Any but this one."
  ne: ${name}
  "One of these; an empty list finds nothing."
  in: [${name}!]
}`;
}

interface ComparableColumns {
  readonly filtered: readonly FieldDefinitionNode[];
  readonly sorted: readonly FieldDefinitionNode[];
}

/** The fields of the type that are columns the upstream can compare. Throws where type and descriptor do not fit. */
function comparableColumns(
  recordType: RecordTypeDescriptor,
  { fields: defined = [] }: ObjectTypeDefinitionNode,
): ComparableColumns {
  const { type, list, fields } = recordType;
  const names = new Set(defined.map(({ name }) => name.value));
  const columns = Object.keys(fields);
  const { unfilterable = [], filterOnly = [], sortOnly = [], conditions = {} } = list;
  const undefinedColumn = columns.find((column) => !names.has(column));
  if (undefinedColumn)
    throw new Error(`${type}.${undefinedColumn} is a column of its descriptor: define it in schema/, too.`);
  const named = [...unfilterable, ...filterOnly, ...sortOnly, ...Object.keys(conditions)];
  const unknown = named.find((column) => !columns.includes(column));
  if (unknown)
    throw new Error(`The \`list\` of ${type} names \`${unknown}\`, which is none of its \`fields\`.`);
  const undescribed = columns.find(
    (column) =>
      typeof fields[column] === 'object' &&
      !unfilterable.includes(column) &&
      !sortOnly.includes(column) &&
      conditions[column] === undefined,
  );
  if (undescribed)
    throw new Error(
      `${type}.${undescribed} is a choice: say in \`list.conditions\` what its filter is about.`,
    );
  const without = (excluded: readonly string[]) =>
    defined.filter(({ name }) => Object.hasOwn(fields, name.value) && !excluded.includes(name.value));
  return {
    filtered: without([...unfilterable, ...sortOnly]),
    sorted: without([...unfilterable, ...filterOnly]),
  };
}

const typeName = (type: TypeNode): string =>
  type.kind === 'NamedType' ? type.name.value : typeName(type.type);

// JSON escapes are those of GraphQL strings.
const quote = (text: string): string => JSON.stringify(text);
