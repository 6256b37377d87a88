import { readdirSync, readFileSync } from 'node:fs';
import { type DocumentNode, parse } from 'graphql';
import { addRecordTypeDefs } from '../business/record-type-defs.ts';
import { recordTypes } from '../business/records/index.ts';
import { addInputEnums } from '../graph/input-enums.ts';
import { addListSizes } from '../graph/list-size-defs.ts';
import { addNodeDefs } from '../graph/nodes.ts';

/**
 * The files of `schema/` in the order of their names, with what is derived from the descriptors of record types, from open
 * enums, from arguments and from keys.
 */
export function readTypeDefs(): DocumentNode[] {
  const folder = new URL('../../schema/', import.meta.url);
  const files = readdirSync(folder).filter((file) => file.endsWith('.graphql'));
  const documents = files.sort().map((file) => parse(readFileSync(new URL(file, folder), 'utf8')));
  return addNodeDefs(addListSizes(addInputEnums(addRecordTypeDefs(documents, recordTypes))));
}
