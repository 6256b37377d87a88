import type { UpstreamError } from '../errors.ts';
import { type UserError, userErrorOf } from '../graph/user-errors.ts';
import type { Fields, RecordOf } from './records.ts';

/** What became of a write: the record as it now stands, and why it was not carried out if it was not. */
export interface Outcome<F extends Fields> {
  readonly record: RecordOf<F> | null;
  readonly userErrors: readonly UserError[];
}

export const refusal = (...userErrors: UserError[]) => ({ record: null, userErrors });

/**
 * Whether an upstream refused a stale `If-Match`. The document leaves status and body open (docs/upstream.md): HTTP
 * says 412, the real service 409 with its own code. Other 409s mean other things.
 */
export const isStale = ({ fate, status, detail }: UpstreamError): boolean =>
  fate === 'refused' && (status === 412 || detail?.code === 'Request_EntityChanged');

/** Whether the record of a refused write can be expected to be there, and to be the caller's to read. */
export const isReadable = ({ code }: UserError): boolean => code !== 'NOT_FOUND' && code !== 'NOT_ALLOWED';

export function staleRecord({ detail }: UpstreamError, path: readonly string[]): UserError {
  return {
    code: 'STALE_RECORD',
    message:
      'The record has changed since `ifMatch` was read. Merge with the record given here and use its `etag`.',
    path: ['input', ...path, 'ifMatch'],
    upstream: detail,
  };
}

/** What a failed write is to its caller, who looks as told. Throws the failure where a caller cannot act on it. */
export function refused(failure: UpstreamError, lookHere: string): UserError {
  const userError = userErrorOf(failure, lookHere);
  if (userError) return userError;
  throw failure;
}

/** The same of one entry among many: it must not take the others' outcomes with it. */
export function putOff({ message, detail }: UpstreamError): UserError {
  return {
    code: 'CONFLICT',
    message: `Nothing was sent or carried out for this entry. ${message}`,
    path: null,
    upstream: detail,
  };
}
