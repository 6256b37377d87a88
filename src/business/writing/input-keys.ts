import { columnName } from '../columns.ts';
import type { Dialect } from '../dialect.ts';
import { toId } from '../record-key.ts';
import { type RecordSet, toUpstreamCode } from '../record-set.ts';
import type { WriteInput } from './write-fields.ts';

/** The id of the record that an input creates, by the columns of its key; null where the upstream assigns one of them. */
export function idOfInput(set: RecordSet, dialect: Dialect, input: WriteInput): string | null {
  const { fields, key = [] } = set;
  return toId(key, ({ column }) => {
    const field = Object.keys(fields).find((name) => columnName(set, dialect, name) === column) ?? column;
    const value = input[field];
    return fields[field] === 'code' && typeof value === 'string' ? toUpstreamCode(value) : value;
  });
}
