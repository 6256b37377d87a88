import { readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import {
  concatAST,
  type FieldDefinitionNode,
  type GraphQLSchema,
  isCompositeType,
  Kind,
  visit,
} from 'graphql';
import { type DeclarationFile, directives, readField } from '../../business/declarations/declarations.ts';
import {
  findRuleMistakes,
  findWrongArguments,
  formatMistake,
  isDefined,
  type Mistake,
  mistakeAt,
} from '../../business/declarations/mistakes.ts';
import { readDeclarationFiles } from '../../business/declarations/read-files.ts';
import { parseFiles } from '../../business/declarations/record-types.ts';
import type { RowShape } from '../../business/record-sets/record-set.ts';
import type { RecordTypeDescriptor } from '../../business/records/record-type.ts';
import type { Config } from '../../config/config.ts';
import type { ExtensionResolver } from '../../graph/extension.ts';
import { withoutHidden } from './hidden.ts';
import { describeRecordTypes, readSchemaFiles } from './product-record-types.ts';
import { findSchemaFaults, loadRecordTypes, toConfigError } from './record-types.ts';
import { createSchema } from './schema.ts';
import type { GraphModel } from './sdl.ts';

/**
 * Loads the records of a graph, with the additions of EXTENSIONS and without HIDDEN. Throws a `ConfigError` with all mistakes in
 * the files. Also validates them for `check`.
 */
export async function loadGraphModel(
  config: Pick<Config, 'RECORD_TYPES' | 'EXTENSIONS' | 'HIDDEN'>,
): Promise<GraphModel> {
  const { EXTENSIONS: folder, HIDDEN: hidden } = config;
  const baseModel = loadRecordTypes(config);
  if (folder === undefined && hidden.length === 0) return baseModel;
  const graph = createSchema(baseModel);
  const unknown = hidden
    .filter((name) => !isDefined(graph, name))
    .map((name) => `The graph has no \`${name}\`.`);
  if (unknown.length > 0) throw toConfigError('HIDDEN', unknown);
  const extension = folder === undefined ? null : await loadExtension(folder, graph, baseModel.recordTypes);
  const files = extension?.files ?? [];
  // A hidden mutation is not an entry of `batch`, either.
  const names = new Set(hidden.flatMap((name) => [name, name.replace(/^Mutation\./, 'BatchEntryInput.')]));
  const product = describeRecordTypes([...readSchemaFiles(), ...files]);
  // The schema lacks everything that derives from a hidden column. The descriptors keep the column, because code reads it.
  const { typeDefs } = describeRecordTypes(withoutHidden(readSchemaFiles(), names));
  const model: GraphModel = {
    ...loadRecordTypes(config, { ...product, typeDefs, hidden: names }, files),
    hidden: names,
    ...(extension && { extension }),
  };
  const faults = findSchemaFaults(model);
  if (faults.length > 0) throw toConfigError(hidden.length > 0 ? 'HIDDEN' : 'EXTENSIONS', faults);
  const required = hidden
    .filter((name) => isDefined(createSchema(model), name))
    .map((name) => `\`${name}\` cannot be hidden: the graph needs it.`);
  if (required.length > 0) throw toConfigError('HIDDEN', required);
  return model;
}

async function loadExtension(
  folder: string,
  graph: GraphQLSchema,
  recordTypes: readonly RecordTypeDescriptor[],
): Promise<NonNullable<GraphModel['extension']>> {
  const read = readDeclarationFiles([folder], process.cwd());
  const { files, mistakes: syntaxMistakes } = parseFiles(read.texts);
  const mistakes: Mistake[] = [...read.mistakes, ...syntaxMistakes];
  if (mistakes.length === 0) mistakes.push(...findRuleMistakes(files, graph));
  const resolvers: Record<string, Record<string, ExtensionResolver>> = {};
  if (mistakes.length === 0) {
    mistakes.push(...findExtensionMistakes(files, graph, recordTypes));
    const added = new Map(listAddedFields(files).map(({ coordinate, ...rest }) => [coordinate, rest]));
    for (const file of listModules(folder)) mistakes.push(...(await addModule(file, added, resolvers)));
    for (const { type, node, isExtension } of added.values())
      if (isExtension && !resolvers[type]?.[node.name.value])
        mistakes.push(
          mistakeAt(
            node.name,
            `\`${type}.${node.name.value}\` has no resolver. Export one from a module beside the file.`,
          ),
        );
  }
  if (mistakes.length > 0) throw toConfigError('EXTENSIONS', mistakes.map(formatMistake));
  const typeDefs = visit(concatAST(files.map(({ document }) => document)), {
    Directive: ({ name }) => (directives.has(name.value) ? null : undefined),
  });
  return { files, typeDefs, resolvers };
}

interface AddedField {
  readonly coordinate: string;
  readonly type: string;
  readonly node: FieldDefinitionNode;
  /** Whether it extends a type of the graph. */
  readonly isExtension: boolean;
}

const listAddedFields = (files: readonly DeclarationFile[]): readonly AddedField[] =>
  files.flatMap(({ document: { definitions } }) =>
    definitions.flatMap((definition) =>
      definition.kind === Kind.OBJECT_TYPE_DEFINITION || definition.kind === Kind.OBJECT_TYPE_EXTENSION
        ? (definition.fields ?? []).map((node) => ({
            coordinate: `${definition.name.value}.${node.name.value}`,
            type: definition.name.value,
            node,
            isExtension: definition.kind === Kind.OBJECT_TYPE_EXTENSION,
          }))
        : [],
    ),
  );

const permittedKinds: ReadonlySet<Kind> = new Set([
  Kind.OBJECT_TYPE_DEFINITION,
  Kind.OBJECT_TYPE_EXTENSION,
  Kind.ENUM_TYPE_DEFINITION,
  Kind.INPUT_OBJECT_TYPE_DEFINITION,
]);

/** Finds violations of the rules of extensions. The files must be free of `findRuleMistakes`. */
function findExtensionMistakes(
  files: readonly DeclarationFile[],
  graph: GraphQLSchema,
  recordTypes: readonly RecordTypeDescriptor[],
): readonly Mistake[] {
  const shapes = new Map<string, RowShape>();
  for (const recordType of recordTypes)
    for (const shape of [
      recordType,
      ...Object.values(recordType.relations ?? {}).map(({ target }) => target),
    ])
      shapes.set(shape.type, shape);
  const mistakes: Mistake[] = [];
  for (const { document } of files)
    for (const node of document.definitions) {
      const name = 'name' in node && node.name ? node.name.value : '';
      if (!permittedKinds.has(node.kind) || name === 'Mutation' || name === 'Subscription')
        mistakes.push(
          mistakeAt(node, 'An extension adds fields, object types, input types and enums. Remove it.'),
        );
      visit(node, {
        Directive: (directive) => {
          if (!['reads', 'deprecated'].includes(directive.name.value))
            mistakes.push(
              mistakeAt(directive, `An extension has \`@reads\` and \`@deprecated\`. Remove this one.`),
            );
          else mistakes.push(...findWrongArguments(directive));
        },
      });
    }
  if (mistakes.length > 0) return mistakes;
  for (const { type, node } of listAddedFields(files)) {
    const { reads, type: returned } = readField(node);
    if (isCompositeType(graph.getType(returned)))
      mistakes.push(
        mistakeAt(node.type, 'A field of an extension has a scalar, an enum, or a type of its own.'),
      );
    const shape = type === 'Company' ? undefined : shapes.get(type);
    for (const column of reads ?? [])
      if (!shape || !Object.hasOwn(shape.fields, column))
        mistakes.push(
          mistakeAt(node.name, `\`${type}\` has no column \`${column}\` that can be read with it.`),
        );
  }
  return mistakes;
}

const listModules = (folder: string): readonly string[] =>
  readdirSync(resolve(folder))
    .filter((name) => /^[^.].*\.m?js$/.test(name))
    .sort()
    .map((name) => join(folder, name));

/** Adds the resolvers of a module. Returns its mistakes. */
async function addModule(
  file: string,
  added: ReadonlyMap<string, unknown>,
  resolvers: Record<string, Record<string, ExtensionResolver>>,
): Promise<readonly Mistake[]> {
  const report = (message: string): Mistake => ({ file, place: null, message });
  let exported: unknown;
  try {
    exported = ((await import(pathToFileURL(resolve(file)).href)) as { readonly default?: unknown }).default;
  } catch (error) {
    return [report(`It cannot be loaded. ${(error as Error).message}`)];
  }
  if (typeof exported !== 'object' || exported === null)
    return [report('Its default export is no object of resolvers, such as `{ Customer: { points() {} } }`.')];
  return Object.entries(exported).flatMap(([type, fields]) =>
    Object.entries((fields ?? {}) as object).flatMap(([field, resolver]) => {
      if (!added.has(`${type}.${field}`))
        return [report(`The files add no field \`${type}.${field}\`. Declare it, or remove its resolver.`)];
      if (typeof resolver !== 'function')
        return [report(`The resolver of \`${type}.${field}\` is no function.`)];
      resolvers[type] = { ...resolvers[type], [field]: resolver as ExtensionResolver };
      return [];
    }),
  );
}
