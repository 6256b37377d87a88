import {
  type DefinitionNode,
  type DocumentNode,
  type EnumTypeDefinitionNode,
  Kind,
  type ObjectTypeDefinitionNode,
  parse,
  print,
  type UnionTypeDefinitionNode,
} from 'graphql';
import { toEnumMember } from '../reading/filters.ts';
import type { RecordTypeDescriptor } from '../record-type.ts';
import { actionDefs } from './action-type-defs.ts';
import { addBulkTypeDefs, batchEntryDef } from './bulk-type-defs.ts';
import { lineMutationDefs } from './line-type-defs.ts';
import { listTypeDefs } from './list-type-defs.ts';

/**
 * Adds to the documents of `schema/` what derives from the descriptors: the types of the lists behind each record type,
 * the mutations of several records beside those of one, those of lines and of actions, the input of an entry of `batch`, and
 * the members of `RecordType` and `ChangedRecord`, which `schema/` defines without members. Throws where the record types of `schema/` are not those of
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
    const { definitions, ...document } = addListsAndBulkWrites(source, recordTypes, byType);
    return { ...document, definitions: definitions.map(addMembers) };
  });
  return [...added, lineMutationDefs(recordTypes), actionDefs(recordTypes), batchEntryDef(recordTypes)];
}

/** A document with the types of the lists behind each record type in it, and the mutations of several records. */
export function addListsAndBulkWrites(
  source: DocumentNode,
  recordTypes: readonly RecordTypeDescriptor[],
  byType: ReadonlyMap<string, RecordTypeDescriptor>,
): DocumentNode {
  const document = addBulkTypeDefs(source, recordTypes);
  const lists = document.definitions.filter(isObjectType).flatMap((definition) => {
    const recordType = byType.get(definition.name.value);
    return recordType ? parse(listTypeDefs(recordType, definition)).definitions : [];
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
) => ({ ...parse(sdl).definitions[0], description }) as DefinitionNode;

const isObjectType = (node: DefinitionNode): node is ObjectTypeDefinitionNode =>
  node.kind === Kind.OBJECT_TYPE_DEFINITION;

const enumValueDef = ({ names, watched }: RecordTypeDescriptor): string =>
  `${JSON.stringify(watched?.description)} ${toEnumMember(names?.one ?? '')}`;
