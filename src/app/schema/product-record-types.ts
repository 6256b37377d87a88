import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { readRecordFiles } from '../../business/record-files/read-record-files.ts';
import { formatMistake } from '../../business/record-files/record-file.ts';
import { addRecordFiles, type RecordTypeList } from '../../business/record-files/record-type-list.ts';
import { recordTypes } from '../../business/records/index.ts';

const folder = fileURLToPath(new URL('../../../schema/records/', import.meta.url));

/** The files of the product, which a test checks for clashes: the start does not. */
export const productRecordFiles = () =>
  existsSync(folder) ? readRecordFiles(['*.json'], folder) : { texts: [], mistakes: [] };

const builtInRecordTypes: RecordTypeList = { recordTypes, typeDefs: [] };

let list: RecordTypeList | null = null;

/** The record types of the product: those in code, and those of `schema/records/`. One list for the process. */
export function productRecordTypes(): RecordTypeList {
  list ??= readList();
  return list;
}

function readList(): RecordTypeList {
  const { texts, mistakes } = productRecordFiles();
  const added = addRecordFiles(builtInRecordTypes, texts, null);
  const all = [...mistakes, ...('mistakes' in added ? added.mistakes : [])];
  if ('list' in added && all.length === 0) return added.list;
  throw new Error(all.map((mistake) => `schema/records/${formatMistake(mistake)}`).join('\n'));
}
