import { addDeclarations, type RecordTypeList } from '../../business/declarations/record-types.ts';
import { readSchemaFiles } from './schema-files.ts';

let list: RecordTypeList | null = null;

/** The record types of the product: those that `schema/` declares. One list for the process. */
export function productRecordTypes(): RecordTypeList {
  list ??= addDeclarations({ recordTypes: [], lists: [], typeDefs: [] }, readSchemaFiles());
  return list;
}
