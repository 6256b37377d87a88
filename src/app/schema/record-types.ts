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
 * Loads the record types of a graph: those of `base`, and those of RECORD_TYPES. Throws a `ConfigError` with all mistakes in the
 * files. `extensions` are only read for the columns that their `@reads` name.
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
  if (!('model' in added) || all.length > 0) throw toConfigError('RECORD_TYPES', all.map(formatMistake));
  const faults = findSchemaFaults({ ...added.model, hidden });
  if (faults.length > 0) throw toConfigError('RECORD_TYPES', faults);
  return added.model;
}

/** Validates the whole schema by GraphQL's rules, which find errors that the rules for files do not. */
export function findSchemaFaults(model: GraphModel): readonly string[] {
  const describe = ({ message }: Pick<GraphQLError, 'message'>) =>
    `With these, the graph would break a rule of GraphQL. ${message}`;
  try {
    return validateSchema(createSchema(model)).map(describe);
  } catch (error) {
    return [describe(error as Error)];
  }
}

export const toConfigError = (variable: string, messages: readonly string[]) =>
  new ConfigError(messages.map((message) => ({ variable, message: `${variable}: ${message}` })));
