import { readdirSync, readFileSync } from 'node:fs';
import { type DocumentNode, parse } from 'graphql';
import type { RecordTypeList } from '../../business/record-files/record-type-list.ts';
import { addRecordTypeDefs } from '../../business/type-defs/record-type-defs.ts';
import { addInputEnums } from '../../graph/input-enums.ts';
import { addNodeDefs } from '../../graph/nodes.ts';
import { addSemanticNullability } from '../../graph/semantic-nullability.ts';
import { instanceHealthDefs } from '../../health/instance-health-defs.ts';
import { instanceActionDefs } from '../../instances/actions/action-type-defs.ts';
import { productRecordTypes } from './product-record-types.ts';

/** What `readTypeDefs` returns, but for directives and the fields of `Node`: all other names are in it. */
export function readDefinitions(list: RecordTypeList): DocumentNode[] {
  const folder = new URL('../../../schema/', import.meta.url);
  const files = readdirSync(folder).filter((file) => file.endsWith('.graphql'));
  const documents = [
    ...files.sort().map((file) => parse(readFileSync(new URL(file, folder), 'utf8'))),
    instanceActionDefs(),
    instanceHealthDefs(),
    ...list.typeDefs,
  ];
  return addInputEnums(addRecordTypeDefs(documents, list.recordTypes));
}

/**
 * The files of `schema/` in the order of their names, and the definitions of record types from files, with what is derived
 * from the descriptors of record types, from the kinds of instances, from open enums, from arguments, types and keys.
 */
export const readTypeDefs = (list: RecordTypeList = productRecordTypes()): DocumentNode[] =>
  addNodeDefs(readDefinitions(list)).map(addSemanticNullability);
