import { canResend, UpstreamError } from '../../errors.ts';
import { mapUpstreamError, outcomeUnknown, targetNotFound, type UserError } from '../../graph/user-errors.ts';
import { classifyAbsence } from '../../http/absence.ts';
import { badResponseError } from '../../http/errors.ts';
import type { CallResult } from '../../odata/batch.ts';
import type { FieldKinds, RecordSet } from '../record-set.ts';
import { settleEtagMismatch } from './etag-mismatches.ts';
import { noEvidence } from './evidence.ts';
import {
  acceptedFailure,
  isEtagMismatch,
  isRecordReadable,
  toUserErrorForExisting,
  type WriteOutcome,
} from './outcomes.ts';
import { confirmSetReadable, readOrNull, readWithRetry } from './verification-reads.ts';
import { validateIfMatch } from './write-fields.ts';
import {
  buildWritePart,
  type PendingWrite,
  type PreparedWrite,
  type RecordPart,
  type RecordWriter,
  type WriteTarget,
} from './writer.ts';

/** One record to delete, if it still has the ETag `ifMatch`. */
export interface RecordDeletion extends WriteTarget {
  readonly id: string;
  readonly ifMatch: string;
}

export function prepareDelete<F extends FieldKinds>(
  writer: RecordWriter,
  set: RecordSet<F>,
  removal: RecordDeletion,
): PreparedWrite<F> {
  const { ifMatch, path } = removal;
  const faults = validateIfMatch(ifMatch, path);
  if (faults.length > 0) return { faults };
  const part = buildWritePart('DELETE', set, removal, { ifMatch });
  const write = writer.beginWrite(set, removal, {});
  const settle = (first: CallResult) => settleDelete(removal, part, write, failureOfDelete(first));
  return {
    part,
    settle,
    canShow: true,
    async findEvidence() {
      const record = await readWithRetry(write, () => write.readById(removal.id));
      if (record instanceof UpstreamError) return noEvidence;
      if (record !== null) return { shows: 'notMade', record };
      return (await write.findSetFailure()) === null ? { shows: 'asAsked', record } : noEvidence;
    },
  };
}

/** Null for a success: 204, or 200 without a body. Any other 2xx may be of something else than this upstream. */
const failureOfDelete = (result: CallResult): UpstreamError | null => {
  if (result instanceof UpstreamError) return result;
  if (result.status === 202) return acceptedFailure();
  if (result.status === 204 || (result.status === 200 && result.body === null)) return null;
  return badResponseError(
    'business',
    'The upstream responded to a delete with something unexpected.',
    result,
  );
};

const deleteAdvice = 'The payload has the record as it is now, if it can be read.';

/**
 * The outcome of a DELETE whose first attempt ended in `first`, null for success.
 *
 * If that is unknown, the record is read. If it is missing and its set can be read, it was deleted. If it exists, the delete
 * is sent once more with the same ETag, which the upstream rejects if the record has changed. Throws `UpstreamError` if
 * the caller cannot act on the error.
 */
async function settleDelete<F extends FieldKinds>(
  { id, ifMatch, path }: RecordDeletion,
  part: RecordPart,
  write: PendingWrite<F>,
  first: UpstreamError | null,
): Promise<WriteOutcome<F>> {
  const deleted = { record: null, userErrors: [] };
  if (first === null) return deleted;
  const withRecord = async (error: UserError) => ({
    record: isRecordReadable(error) ? await readOrNull(write, id) : null,
    userErrors: [error],
  });
  const isAbsent = await write.isAbsent(first);
  // A proxy can deliver a request twice: a record that is not found may have been deleted by this request.
  if (isAbsent === 'unknown') return withRecord(outcomeUnknown(first, deleteAdvice));
  if (isAbsent) return { record: null, userErrors: [targetNotFound(first)] };
  if (isEtagMismatch(first)) return settleEtagMismatch(write, id, ifMatch, path, first);
  if (first.delivery !== 'unknown') return withRecord(toUserErrorForExisting(first, deleteAdvice));

  // Respect `Retry-After` before the second attempt.
  let mayResend = write.mayResend && (first.retryAfterSeconds === null || (await write.pause(first)));
  for (;;) {
    const record = await readWithRetry(write, () => write.readById(id));
    const unknown = {
      record: record instanceof UpstreamError ? null : record,
      userErrors: [outcomeUnknown(first, deleteAdvice)],
    };
    if (record === null) return (await confirmSetReadable(write)) ? deleted : unknown;
    if (record instanceof UpstreamError || !mayResend) return unknown;

    const again = failureOfDelete(await write.send(part));
    if (again === null) return deleted;
    // Deleted between the read and this attempt: by the first attempt, or by another client.
    if (classifyAbsence(again) !== 'unproven') return (await confirmSetReadable(write)) ? deleted : unknown;
    if (isEtagMismatch(again)) return settleEtagMismatch(write, id, ifMatch, path, again);
    const isRejected = again.delivery === 'rejected' && !canResend(again);
    const rejection = isRejected ? mapUpstreamError(again, deleteAdvice) : null;
    if (rejection) return withRecord(rejection);
    if (!canResend(again)) mayResend = false;
    else if (!(await write.pause(again))) return unknown;
  }
}
