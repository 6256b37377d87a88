import { canResend, UpstreamError } from '../../errors.ts';
import {
  invalidInput,
  mapUpstreamError,
  outcomeUnknown,
  targetNotFound,
  type UserError,
} from '../../graph/user-errors.ts';
import { classifyAbsence } from '../../http/absence.ts';
import { badResponseError } from '../../http/errors.ts';
import type { CallResult } from '../../odata/batch.ts';
import type { FieldKinds, RecordOf, RecordSet } from '../record-set.ts';
import {
  acceptedFailure,
  etagRejectedError,
  isEtagMismatch,
  isRecordReadable,
  noEvidence,
  rejectedOutcome,
  staleRecordError,
  toUserErrorForExisting,
  type WriteOutcome,
} from './outcomes.ts';
import { type AttemptResult, confirmSetReadable, readOrNull, readWithRetry } from './verification-reads.ts';
import { encodeInput, matchesInput, validateIfMatch, type WriteInput } from './write-fields.ts';
import {
  buildWritePart,
  type PendingWrite,
  type PreparedWrite,
  type RecordPart,
  type RecordWriter,
  type WriteTarget,
} from './writer.ts';

/** The fields to change of one record, if it still has the ETag `ifMatch`. */
export interface RecordUpdate extends WriteTarget {
  readonly id: string;
  readonly ifMatch: string;
  readonly patch: WriteInput;
}

export function prepareUpdate<F extends FieldKinds>(
  writer: RecordWriter,
  set: RecordSet<F>,
  change: RecordUpdate,
): PreparedWrite<F> {
  const { ifMatch, patch, path } = change;
  const { body, faults } = encodeInput(set, writer.dialect, patch, [...path, 'patch']);
  const allFaults = [...validateIfMatch(ifMatch, path), ...faults];
  if (allFaults.length > 0) return { faults: allFaults };
  if (Object.keys(body).length === 0)
    return { faults: [invalidInput('Name at least one field to change.', ...path, 'patch')] };
  const part = buildWritePart('PATCH', set, change, { ifMatch, body });
  const write = writer.beginWrite(set, change, patch);
  return {
    part,
    settle: (first) => settleUpdate(change, part, write, write.parseResult(first)),
    canShow: true,
    async findEvidence() {
      const record = await readWithRetry(write, () => write.readById(change.id));
      if (record === null || record instanceof UpstreamError) return noEvidence;
      const hasValues = matchesInput(set, record, patch);
      if (ifMatch === '*' || changesColumnOutsideEtag(set, patch))
        return { shows: hasValues ? 'asAsked' : 'nothing', record };
      if (record.etag === ifMatch) return { shows: 'notMade', record };
      return { shows: hasValues ? 'made' : 'nothing', record };
    },
  };
}

const changesColumnOutsideEtag = ({ columnsOutsideEtag = [] }: RecordSet, patch: WriteInput): boolean =>
  columnsOutsideEtag.some((column) => patch[column] !== undefined);

const updateAdvice =
  'The payload has the current record, if it can be read. Compare it with your change before you retry.';

/**
 * The outcome of a PATCH whose first attempt ended in `first`.
 *
 * If that is unknown, the record decides. It still has the ETag of `ifMatch`: the change is sent once more. It has another
 * ETag and all values of the patch: the change succeeded. Otherwise the outcome is unknown. A change of a column outside
 * the ETag is never sent again; only its values decide. STALE_RECORD is returned only if the upstream rejected the ETag,
 * and no read of the primary shows that the ETag is current or that the change was made. Throws `UpstreamError` if the
 * caller cannot act on the error.
 */
async function settleUpdate<F extends FieldKinds>(
  { id, ifMatch, patch, path }: RecordUpdate,
  part: RecordPart,
  write: PendingWrite<F>,
  first: AttemptResult<F>,
): Promise<WriteOutcome<F>> {
  const made = async (answer: RecordOf<F> | null) => {
    const record = answer ?? (await readOrNull(write, id));
    // A response without the record may mean only that the change was accepted.
    const isUnconfirmed =
      answer === null && record?.etag === ifMatch && !matchesInput(write.set, record, patch);
    return { record, userErrors: isUnconfirmed ? [outcomeUnknown(acceptedFailure(), updateAdvice)] : [] };
  };
  if (!(first instanceof UpstreamError)) return made(first);
  if ((await write.isAbsent(first)) === true) return { record: null, userErrors: [targetNotFound(first)] };
  const isOutsideEtag = changesColumnOutsideEtag(write.set, patch);
  if (first.delivery !== 'unknown') {
    const rejection = isEtagMismatch(first)
      ? await settleEtagMismatch(write, id, ifMatch, path, first)
      : await rejectedWithRecord(write, id, toUserErrorForExisting(first, updateAdvice));
    // A proxy may have delivered it twice: the first delivery changed the ETag, so the second was rejected.
    const { record, userErrors } = rejection;
    const isEtagError =
      (isEtagMismatch(first) || first.status === 409) &&
      userErrors.some(({ code }) => code === 'STALE_RECORD' || code === 'CONFLICT');
    const hasChange =
      record && record.etag !== ifMatch && !isOutsideEtag && matchesInput(write.set, record, patch);
    return isEtagError && hasChange ? { record, userErrors: [] } : rejection;
  }

  const unknown = (record: RecordOf<F> | null) => ({
    record,
    userErrors: [outcomeUnknown(first, updateAdvice)],
  });
  // Respect `Retry-After` before the second attempt.
  const isInTime = first.retryAfterSeconds === null || (await write.pause(first));
  let second: UpstreamError | null = null;
  for (;;) {
    const record = await readWithRetry(write, () => write.readById(id));
    if (record instanceof UpstreamError) return unknown(null);
    if (record === null)
      return (await confirmSetReadable(write)) ? { record, userErrors: [targetNotFound()] } : unknown(null);
    // Even if all values are present: the first request may still arrive, and only a changed ETag makes the upstream
    // reject it.
    const isResendable = write.mayResend && record.etag === ifMatch && !isOutsideEtag && !second && isInTime;
    if (!isResendable) {
      const mayShowChange = record.etag !== ifMatch || isOutsideEtag;
      if (mayShowChange && matchesInput(write.set, record, patch)) return { record, userErrors: [] };
      // If the upstream rejected the second attempt and the ETag is the same, the first was not carried out either.
      const isRejected =
        record.etag === ifMatch && second?.delivery === 'rejected' && !isEtagMismatch(second);
      const rejection = isRejected ? mapUpstreamError(second as UpstreamError, updateAdvice) : null;
      return rejection ? { record, userErrors: [rejection] } : unknown(record);
    }

    const again = write.parseResult(await write.send(part));
    if (!(again instanceof UpstreamError)) return made(again);
    if (!canResend(again)) second = again;
    else if (!(await write.pause(again))) return unknown(record);
  }
}

/** The outcome of a rejected write, with the current record where the caller may read it. */
async function rejectedWithRecord<F extends FieldKinds>(
  write: PendingWrite<F>,
  id: string,
  error: UserError,
): Promise<WriteOutcome<F>> {
  return { record: isRecordReadable(error) ? await readOrNull(write, id) : null, userErrors: [error] };
}

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
  const isAbsent = await write.isAbsent(first);
  // A proxy can deliver a request twice: a record that is not found may have been deleted by this request.
  if (isAbsent === 'unknown') return rejectedWithRecord(write, id, outcomeUnknown(first, deleteAdvice));
  if (isAbsent) return { record: null, userErrors: [targetNotFound(first)] };
  if (isEtagMismatch(first)) return settleEtagMismatch(write, id, ifMatch, path, first);
  if (first.delivery !== 'unknown')
    return rejectedWithRecord(write, id, toUserErrorForExisting(first, deleteAdvice));

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
    if (rejection) return rejectedWithRecord(write, id, rejection);
    if (!canResend(again)) mayResend = false;
    else if (!(await write.pause(again))) return unknown;
  }
}

/**
 * The outcome of a write whose ETag the upstream rejected, decided by a read of the primary: if the record still has the
 * ETag, it is not stale. If the caller may not read the record, the upstream's rejection is reported as it is; if the read
 * fails for another reason, the outcome is unknown.
 */
async function settleEtagMismatch<F extends FieldKinds>(
  write: PendingWrite<F>,
  id: string,
  ifMatch: string,
  path: readonly string[],
  failure: UpstreamError,
): Promise<WriteOutcome<F>> {
  const record = await readWithRetry(write, () => write.readById(id));
  if (record instanceof UpstreamError) {
    const isForbidden = record.code === 'FORBIDDEN';
    return rejectedOutcome(
      isForbidden ? staleRecordError(failure, path) : outcomeUnknown(failure, rereadAdvice),
    );
  }
  if (record === null)
    return rejectedOutcome(
      (await confirmSetReadable(write)) ? targetNotFound() : outcomeUnknown(failure, rereadAdvice),
    );
  const userError = record.etag === ifMatch ? etagRejectedError(failure) : staleRecordError(failure, path);
  return { record, userErrors: [userError] };
}

const rereadAdvice =
  'The upstream rejected `ifMatch`, and the record could not be read to find out why. Read the record before you repeat the mutation.';
