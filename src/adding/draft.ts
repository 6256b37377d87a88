import type { RecordTypeFile } from '../business/record-files/record-file.ts';
import type { RecordTypeDescriptor } from '../business/record-type.ts';
import type {
  DraftOptions,
  draftRecordFiles,
  KnownType as NamedType,
} from '../metadata/draft-record-files.ts';

export type { DraftOptions };

/** A type that the graph has already: relations can lead to it, and its names are taken. */
export interface KnownType extends NamedType {
  readonly fields: readonly string[];
}

/** Makes record files of entity sets. Throws an error whose message says the line and the reason. */
export type DraftRecordFiles = typeof draftRecordFiles;

/** The types of the descriptors, then those of record files. */
export function listKnownTypes(
  recordTypes: readonly RecordTypeDescriptor[],
  files: readonly RecordTypeFile[],
): KnownType[] {
  return [
    ...recordTypes.map(({ type, names, entitySet, route, key, fields, relations = {} }) => ({
      type,
      entitySet,
      route,
      hasGuidKey: key === undefined,
      names: names ? listNames(names) : [],
      fields: [...Object.keys(fields), ...Object.keys(relations)],
      // The names of the types in the graph have them.
      innerTypes: [],
    })),
    ...files.map(({ type, names, entitySet, route, key, fields, relations = {}, rows = {}, enums = {} }) => ({
      type,
      entitySet,
      route,
      hasGuidKey: key === undefined,
      names: listNames(names),
      fields: [fields, relations, rows].flatMap(Object.keys),
      innerTypes: [...Object.values(rows).map((row) => row.type), ...Object.keys(enums)],
    })),
  ];
}

const listNames = ({ one, many, byNumber }: RecordTypeFile['names']): readonly string[] =>
  byNumber === undefined ? [one, many] : [one, many, byNumber];
