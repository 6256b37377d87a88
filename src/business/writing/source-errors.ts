import type { UserError } from '../../graph/user-errors.ts';
import type { Addition, Plan } from './source-plans.ts';
import { quoteFields, type WriteInput } from './write-fields.ts';
import type { RecordWrite } from './writes.ts';

/** A source has another version than `ifMatch` says. */
export const staleSourceError = (fields: WriteInput, path: readonly string[]): UserError => ({
  code: 'STALE_RECORD',
  message: `${quoteFields(fields)} may have changed since \`ifMatch\` was read. Read the record, merge your change, and send it with the current \`etag\`.`,
  path: ['input', ...path, 'ifMatch'],
  upstream: null,
});

/** A change of columns of sources alone, of a record that its own set does not have. */
export const missingRecordError = (path: readonly string[]): UserError => ({
  code: 'NOT_FOUND',
  message: 'There is no such record. Nothing was written.',
  path: ['input', ...path, 'id'],
  upstream: null,
});

/** The error of a source after its record's own set was written. */
export function toSourceError(error: UserError, own: RecordWrite | null, { fields }: Addition): UserError {
  if (own === null) return error;
  const written =
    own.write === 'create' ? 'The record was created' : `${quoteFields(ownFields(own))} was written`;
  const isUnknown = error.code === 'OUTCOME_UNKNOWN';
  const rest = isUnknown
    ? `whether ${quoteFields(fields)} was is unknown`
    : `${quoteFields(fields)} was not written`;
  return { ...error, message: `${written}; ${rest}. ${error.message}` };
}

const ownFields = (own: RecordWrite): WriteInput => (own.write === 'update' ? own.target.patch : {});

/** The error of the own set, where a source was not sent its part. */
export function toOwnError(error: UserError, { additions }: Plan): UserError {
  const fields = Object.assign({}, ...additions.map((addition) => addition.fields)) as WriteInput;
  return additions.length === 0
    ? error
    : { ...error, message: `${error.message} ${quoteFields(fields)} was not sent.` };
}
