import { readdirSync, readFileSync } from 'node:fs';
import type { DeclarationFile } from '../../business/declarations/declarations.ts';
import { addDeclarations, type RecordModel } from '../../business/declarations/record-types.ts';
import { parseDefinitions } from '../../graph/definition-keys.ts';

const folder = new URL('../../../schema/', import.meta.url);

/** The files of `schema/` by name, without `directives.graphql`. */
export const readSchemaFiles = (): readonly DeclarationFile[] =>
  readdirSync(folder)
    .filter((file) => file.endsWith('.graphql') && file !== 'directives.graphql')
    .sort()
    .map((file) => ({ file, document: parseDefinitions(readFileSync(new URL(file, folder), 'utf8')) }));

let model: RecordModel | null = null;

/** The record types that `schema/` declares. One model per process. */
export function productRecordTypes(): RecordModel {
  model ??= describeRecordTypes(readSchemaFiles());
  return model;
}

/** The record types that these files declare. */
export const describeRecordTypes = (files: readonly DeclarationFile[]): RecordModel =>
  addDeclarations({ recordTypes: [], ownedLists: [], typeDefs: [] }, files);
