import { type DocumentNode, GraphQLError, type GraphQLSchema, parse, Source } from 'graphql';
import { parseDefinitions } from '../../graph/definition-keys.ts';
import type { OwnerColumns, RecordTypeDescriptor } from '../records/record-type.ts';
import { collectDeclarations, type DeclarationFile } from './declarations.ts';
import { deriveLists, deriveTypes } from './derived-types.ts';
import { findClashes, findDeclarationMistakes, findSdlMistakes, type Mistake } from './mistakes.ts';
import type { DeclarationText } from './read-files.ts';
import { describeRecords } from './record-descriptors.ts';

/** A field with `@list`: the records of one type that belong to a record of another type. */
export interface OwnedList {
  readonly owner: string;
  /** The field of the owner. */
  readonly field: string;
  readonly listed: RecordTypeDescriptor;
  readonly columns: OwnerColumns;
}

/** All record types of a graph. Values that derive from a model are cached by its identity. */
export interface RecordModel {
  readonly recordTypes: readonly RecordTypeDescriptor[];
  readonly ownedLists: readonly OwnedList[];
  /** The definitions of the declared types, and all that derive from them. */
  readonly typeDefs: readonly DocumentNode[];
}

/**
 * Adds the declarations of files, which must have no mistakes, to a model. The schema gets the definitions of `visibleFiles`;
 * descriptors keep hidden columns, because code of the product reads them.
 */
export function addDeclarations(
  base: RecordModel,
  files: readonly DeclarationFile[],
  visibleFiles: readonly DeclarationFile[] = files,
): RecordModel {
  const declarations = collectDeclarations(files);
  const visible = collectDeclarations(visibleFiles);
  const recordTypes = [...base.recordTypes, ...describeRecords(declarations, base.recordTypes)];
  const byName = new Map(recordTypes.map((recordType) => [recordType.type, recordType]));
  const ownedLists = declarations.lists.flatMap(({ owner, field }): OwnedList[] => {
    const listed = byName.get(field.type);
    const { by = '', equals = 'id', where, is = '' } = field.list ?? {};
    const columns = { [by]: equals, ...(where !== undefined && { [where]: { is } }) };
    return listed ? [{ owner, field: field.name, listed, columns }] : [];
  });
  return {
    recordTypes,
    ownedLists: [...base.ownedLists, ...ownedLists],
    typeDefs: [
      ...base.typeDefs,
      ...[...visible.types.values()].map((type) => deriveTypes(type, visible)),
      deriveLists(visible),
    ],
  };
}

/** The number of mistakes to report: a generated file may have the same mistake at every field. */
const maxMistakes = 50;

/**
 * Adds the declarations of these texts to a model; returns mistakes if they have any. `graph` is the schema of `base`. Of the
 * valid files `extensions`, only `@reads` is used. `hide` removes the hidden parts of files.
 */
export function readDeclarations(
  base: RecordModel,
  texts: readonly DeclarationText[],
  graph: GraphQLSchema,
  extensions: readonly DeclarationFile[] = [],
  hide = (files: readonly DeclarationFile[]) => files,
): { readonly model: RecordModel } | { readonly mistakes: readonly Mistake[] } {
  const { files, mistakes } = parseFiles(texts);
  if (mistakes.length > 0) return { mistakes };
  for (const find of [
    () => findSdlMistakes(files, graph),
    () => findDeclarationMistakes(files, base.recordTypes),
    () => findClashes(files, graph),
  ])
    if (mistakes.length === 0) mistakes.push(...find());
  if (mistakes.length > 0) return { mistakes: mistakes.slice(0, maxMistakes) };
  // Parses again without locations, which would keep every token of the texts in memory.
  const plain = texts.map(({ file, text }) => ({ file, document: parseDefinitions(text) }));
  return { model: addDeclarations(base, [...plain, ...extensions], hide(plain)) };
}

export function parseFiles(texts: readonly DeclarationText[]) {
  const mistakes: Mistake[] = [];
  const files: DeclarationFile[] = [];
  for (const text of texts) {
    const document = parseFile(text);
    if ('message' in document) mistakes.push(document);
    else files.push({ file: text.file, document });
  }
  return { files, mistakes };
}

/** Quotes no content of a file that declares no record: the file may be a secret. */
function parseFile({ file, text }: DeclarationText): DocumentNode | Mistake {
  try {
    return parse(new Source(text, file), { maxTokens: 200_000 });
  } catch (error) {
    const { message, locations } = error as GraphQLError;
    const place = locations?.[0] ?? null;
    if (!(error instanceof GraphQLError) || !/\btype\s+\w+[^{}]*@record\b|^extend\s+type/m.test(text))
      return { file, place: null, message: 'It declares no records: it is no GraphQL, or has no `@record`.' };
    return { file, place, message: `It is not GraphQL. ${message.replace('Syntax Error: ', '')}` };
  }
}
