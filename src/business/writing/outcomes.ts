import { UpstreamError } from '../../errors.ts';
import {
  createUserError,
  mapUpstreamError,
  referenceNotFound,
  type UserError,
} from '../../graph/user-errors.ts';
import { classifyAbsence } from '../../http/absence.ts';
import type { BusinessRecord } from '../record-sets/record-set.ts';

/** The current record after a write. `userErrors` explain why the write was not carried out, or why its outcome is unknown. */
export interface WriteOutcome {
  readonly record: BusinessRecord | null;
  readonly userErrors: readonly UserError[];
}

export const rejectedOutcome = (...userErrors: UserError[]) => ({ record: null, userErrors });

/**
 * Whether an upstream rejected a stale `If-Match`. The source document does not define status and body (docs/upstream.md):
 * HTTP defines 412, the real service responds 409 with its own code. Other 409s have other meanings.
 */
export const isEtagMismatch = ({ delivery, status, detail }: UpstreamError): boolean =>
  delivery === 'rejected' && (status === 412 || detail?.code === 'Request_EntityChanged');

/** Whether the record of a rejected write probably exists, and the caller may read it. */
export const isRecordReadable = ({ code }: UserError): boolean =>
  code !== 'NOT_FOUND' && code !== 'NOT_ALLOWED';

const staleRecordMessage =
  'The record has changed since `ifMatch` was read. Read the record, merge your change, and send it with the current `etag`.';

export const staleRecordError = (failure: UpstreamError, path: readonly string[]): UserError => ({
  ...createUserError('STALE_RECORD', staleRecordMessage, failure),
  path: ['input', ...path, 'ifMatch'],
});

/** The upstream rejected an ETag that the record still has, for example because another write was running. */
export const etagRejectedError = (failure: UpstreamError): UserError =>
  createUserError(
    'CONFLICT',
    'The upstream rejected `ifMatch`, although the record still has this ETag. Retry.',
    failure,
  );

/**
 * Converts the failure of a write to a user error. `checkAdvice` says how to check the outcome. Throws a failure that the
 * caller cannot act on.
 */
export function toUserError(failure: UpstreamError, checkAdvice: string): UserError {
  const userError = mapUpstreamError(failure, checkAdvice);
  if (userError) return userError;
  throw failure;
}

/** As `toUserError`, for a write to an existing record: a 404 is then about a record that the input refers to. */
export const toUserErrorForExisting = (failure: UpstreamError, checkAdvice: string): UserError =>
  classifyAbsence(failure) === 'proven' ? referenceNotFound(failure) : toUserError(failure, checkAdvice);

/** A success that proves nothing: 202, an unexpected body, or records that contradict it. */
export const acceptedFailure = () =>
  new UpstreamError('UPSTREAM_BAD_RESPONSE', 'The upstream accepted the write, and may carry it out later.', {
    upstream: 'business',
    delivery: 'unknown',
    status: 202,
  });

/** The response to a batch lacks one of its writes. */
export const unansweredFailure = () =>
  new UpstreamError('UPSTREAM_BAD_RESPONSE', 'The upstream did not respond to this part of a batch.', {
    upstream: 'business',
    delivery: 'unknown',
  });

/** Converts a failure that would be thrown to a user error, so that the other entries keep their outcomes. */
export const notAttemptedError = (failure: UpstreamError): UserError =>
  createUserError('CONFLICT', `Nothing was sent or carried out for this entry. ${failure.message}`, failure);

export const sharedRecordAdvice =
  'Several entries are about this record. Read it before you repeat any of them.';

/** An entry was left out or undone with its transaction. `reason` completes the sentence. */
export const transactionError = (reason: string): UserError =>
  createUserError('CONFLICT', `This entry changed nothing: the entries are one transaction, and ${reason}.`);
