import type { DocumentNode } from 'graphql';
import { parseDefinitions } from '../../graph/definition-keys.ts';
import type { RecordTypeDescriptor } from '../record-type.ts';
import { describeRecordFiles } from './file-descriptor.ts';
import { findNameMistakes, findRuleMistakes } from './file-rules.ts';
import type { RecordFileText } from './read-record-files.ts';
import { type FileMistake, type LoadedFile, parseRecordFile, type RecordFile } from './record-file.ts';
import { recordTypeSdl, writeSdl } from './record-sdl.ts';

/** The record types of a graph. One object for one graph: what derives from it is computed once for each. */
export interface RecordTypeList {
  readonly recordTypes: readonly RecordTypeDescriptor[];
  /** The definitions of those that come from files; `schema/` has those of the others. */
  readonly typeDefs: readonly DocumentNode[];
}

/** Bound of all files together. A whole company has 4,000 columns. */
const maxFields = 30_000;

type Result = { readonly list: RecordTypeList } | { readonly mistakes: readonly FileMistake[] };

/** A list with the record types of files behind those of another one; or everything that is wrong with the files. */
export function addRecordFiles(
  base: RecordTypeList,
  texts: readonly RecordFileText[],
  /** The names that the graph of `base` defines; null for files that are known to define others. */
  listExistingNames: (() => ReadonlySet<string>) | null,
): Result {
  const mistakes: FileMistake[] = [];
  const files: LoadedFile[] = [];
  for (const { file, text } of texts) {
    const parsed = parseRecordFile(file, text);
    if ('mistakes' in parsed) mistakes.push(...parsed.mistakes);
    else files.push(parsed);
  }
  const contents = files.map(({ content }) => content);
  const fieldCount = contents.reduce((sum, { fields }) => sum + Object.keys(fields).length, 0);
  if (fieldCount > maxFields)
    mistakes.push({
      file: files.at(-1)?.file ?? '',
      place: null,
      message: `With it, the files have more than ${maxFields} fields. Name fewer files.`,
    });
  // What a file defines that breaks a rule is not known.
  const sound = files.filter((file) => {
    const broken = findRuleMistakes(file, contents, base.recordTypes);
    mistakes.push(...broken);
    return broken.length === 0;
  });
  const added = describeRecordFiles(
    sound.map(({ content }) => content),
    base.recordTypes,
  );
  const described = sound.map((file, index) => {
    const recordType = added[index] as RecordTypeDescriptor;
    return { ...file, recordType, typeDefs: parseSdl(file.content, recordType) };
  });
  if (listExistingNames !== null) mistakes.push(...findNameMistakes(described, listExistingNames()));
  if (mistakes.length > 0) return { mistakes };
  return {
    list: {
      recordTypes: [...base.recordTypes, ...added],
      typeDefs: [...base.typeDefs, ...described.map(({ typeDefs }) => typeDefs)],
    },
  };
}

const parseSdl = (file: RecordFile, recordType: RecordTypeDescriptor): DocumentNode =>
  parseDefinitions(`${recordTypeSdl(file, recordType)}\n\n${writeSdl(file)}`);
