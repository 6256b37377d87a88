import { readdirSync, readFileSync } from 'node:fs';
import type { DeclarationFile } from '../../business/declarations/declarations.ts';
import { parseDefinitions } from '../../graph/definition-keys.ts';

const folder = new URL('../../../schema/', import.meta.url);

/** The files of `schema/` in the order of their names, without the directives of declarations. */
export const readSchemaFiles = (): readonly DeclarationFile[] =>
  readdirSync(folder)
    .filter((file) => file.endsWith('.graphql') && file !== 'directives.graphql')
    .sort()
    .map((file) => ({ file, document: parseDefinitions(readFileSync(new URL(file, folder), 'utf8')) }));
