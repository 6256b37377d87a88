import { type GraphQLError, validateSchema } from 'graphql';
import type { DeclarationFile } from '../../business/declarations/declarations.ts';
import { formatMistake } from '../../business/declarations/mistakes.ts';
import { readDeclarationFiles } from '../../business/declarations/read-files.ts';
import { type RecordModel, readDeclarations } from '../../business/declarations/record-types.ts';
import type { Config } from '../../config/config.ts';
import { ConfigError } from '../../config/config-error.ts';
import { withoutHidden } from './hidden.ts';
import { productRecordTypes } from './product-record-types.ts';
import { createSchema } from './schema.ts';
import type { GraphModel } from './sdl.ts';

/**
 * The record types of a graph with these settings: those of the product, and those of the files of RECORD_TYPES. Throws a
 * `ConfigError` with everything that is wrong with the files. `extensions` say by `@reads` what they need of the records.
 */
export function loadRecordTypes(
  { RECORD_TYPES: paths }: Pick<Config, 'RECORD_TYPES'>,
  base: GraphModel = productRecordTypes(),
  extensions: readonly DeclarationFile[] = [],
): RecordModel {
  if (paths.length === 0) return base;
  const { texts, mistakes } = readDeclarationFiles(paths, process.cwd());
  const { hidden = new Set() } = base;
  const hide = (files: readonly DeclarationFile[]) => withoutHidden(files, hidden);
  const added = readDeclarations(base, texts, createSchema(base), extensions, hide);
  const all = [...mistakes, ...('mistakes' in added ? added.mistakes : [])];
  if (!('model' in added) || all.length > 0) throw toConfigError(all.map(formatMistake));
  const faults = findSchemaFaults({ ...added.model, hidden });
  if (faults.length > 0) throw toConfigError(faults);
  return added.model;
}

/** Checks GraphQL's own rules for schemas, which cover what no rule of the files does. */
export function findSchemaFaults(model: GraphModel): readonly string[] {
  const describe = ({ message }: Pick<GraphQLError, 'message'>) =>
    `With these, the graph would break a rule of GraphQL. ${message}`;
  try {
    return validateSchema(createSchema(model)).map(describe);
  } catch (error) {
    return [describe(error as Error)];
  }
}

const toConfigError = (messages: readonly string[]) =>
  new ConfigError(
    messages.map((message) => ({ variable: 'RECORD_TYPES', message: `RECORD_TYPES: ${message}` })),
  );
