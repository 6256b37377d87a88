import { asUpstreamError, UpstreamError } from '../../errors.ts';
import { invalidInput, outcomeUnknown, targetNotFound } from '../../graph/user-errors.ts';
import { classifyAbsence } from '../../http/absence.ts';
import { badResponseError } from '../../http/errors.ts';
import type { BusinessRecord, RecordSet } from '../record-sets/record-set.ts';
import {
  acceptedFailure,
  etagRejectedError,
  isEtagMismatch,
  isRecordReadable,
  rejectedOutcome,
  staleRecordError,
  toUserErrorForExisting,
  type WriteOutcome,
} from './outcomes.ts';
import { type Evidence, noEvidence, type PreparedWrite } from './settlement.ts';
import { encodeInput, matchesInput, validateIfMatch, type WriteInput } from './write-fields.ts';
import {
  buildWritePart,
  type PendingWrite,
  type RecordPart,
  type RecordWriter,
  readOrNull,
  type WriteTarget,
} from './writer.ts';

/** One record to delete, if it still has the ETag `ifMatch`. */
export interface RecordDeletion extends WriteTarget {
  readonly id: string;
  readonly ifMatch: string;
}

/** The fields to change of one record, if it still has the ETag `ifMatch`. */
export interface RecordUpdate extends RecordDeletion {
  readonly patch: WriteInput;
}

/**
 * An update with `*`, or of a column that the ETag does not cover, is never sent again: only the values of the record decide.
 * After a lost attempt, a rejection does not count while the record has another ETag: the attempt may have changed it.
 */
export function prepareUpdate(writer: RecordWriter, set: RecordSet, change: RecordUpdate): PreparedWrite {
  const { id, ifMatch, patch, path } = change;
  const { body, faults } = encodeInput(set, writer.dialect, patch, [...path, 'patch']);
  const allFaults = [...validateIfMatch(ifMatch, path), ...faults];
  if (allFaults.length > 0) return { faults: allFaults };
  if (Object.keys(body).length === 0)
    return { faults: [invalidInput('Name at least one field to change.', ...path, 'patch')] };
  const part = buildWritePart('PATCH', set, change, { ifMatch, body });
  const write = writer.beginWrite(set, change, patch);
  const isOutsideEtag = (set.columnsOutsideEtag ?? []).some((column) => patch[column] !== undefined);
  const isApplied = (record: BusinessRecord) =>
    record.etag !== ifMatch && !isOutsideEtag && matchesInput(set, record, patch);
  return {
    ...prepareConditional(writer, write, part, change, updateAdvice, (record) => {
      if (record === null) return 'gone';
      if (isApplied(record)) return ifMatch === '*' ? 'matches' : 'applied';
      if (isOutsideEtag) return matchesInput(set, record, patch) ? 'matches' : 'nothing';
      // The values do not matter: the first request may still arrive, and the upstream rejects it only if the ETag has changed.
      return record.etag === ifMatch ? 'notApplied' : 'nothing';
    }),
    async complete(answer) {
      const record = answer ?? (await readOrNull(write, id));
      // A response without a record may mean that the update is only accepted.
      const isUnconfirmed = answer === null && record?.etag === ifMatch && !matchesInput(set, record, patch);
      return { record, userErrors: isUnconfirmed ? [outcomeUnknown(acceptedFailure(), updateAdvice)] : [] };
    },
    async decideRejected(failure, [lost]) {
      if (lost) return null;
      if ((await isAbsent(write, id, failure)) === true) return rejectedOutcome(targetNotFound(failure));
      const rejection = await explainRejection(write, change, failure, updateAdvice);
      // A proxy may have delivered the update twice: the first delivery changed the ETag, so the second was rejected.
      const { record, userErrors } = rejection;
      const isEtagError =
        (isEtagMismatch(failure) || failure.status === 409) &&
        userErrors.some(({ code }) => code === 'STALE_RECORD' || code === 'CONFLICT');
      return isEtagError && record && isApplied(record) ? { record, userErrors: [] } : rejection;
    },
  };
}

const updateAdvice =
  'The payload has the current record, if it can be read. Compare it with your change before you retry.';

/**
 * A lost delete cannot have changed an ETag, so a rejection of the second attempt counts like one of the first. A missing
 * record counts as deleted if its set can be read.
 */
export function prepareDelete(writer: RecordWriter, set: RecordSet, removal: RecordDeletion): PreparedWrite {
  const { id, ifMatch, path } = removal;
  const faults = validateIfMatch(ifMatch, path);
  if (faults.length > 0) return { faults };
  const part = buildWritePart('DELETE', set, removal, { ifMatch });
  const write = writer.beginWrite(set, removal, {});
  const deleted = { record: null, userErrors: [] };
  return {
    ...prepareConditional(writer, write, part, removal, deleteAdvice, (record) =>
      record === null ? 'matches' : 'notApplied',
    ),
    // A success is 204, or 200 without a body. Any other 2xx may come from a proxy.
    parse(answer) {
      if (answer instanceof UpstreamError) return answer;
      if (answer.status === 202) return acceptedFailure();
      if (answer.status === 204 || (answer.status === 200 && answer.body === null)) return null;
      const message = 'The upstream responded to a delete with something unexpected.';
      return badResponseError('business', message, answer);
    },
    complete: async () => deleted,
    async decideRejected(failure, [lost]) {
      // The record was deleted between the read and this attempt, by the first attempt or by another client.
      if (lost && classifyAbsence(failure) !== 'unproven')
        return (await write.isSetReadable()) ? deleted : rejectedOutcome(outcomeUnknown(lost, deleteAdvice));
      const absence = await isAbsent(write, id, failure);
      // A proxy may have delivered the request twice: the first delivery may have deleted the record.
      if (absence === 'unknown')
        return { record: await readOrNull(write, id), userErrors: [outcomeUnknown(failure, deleteAdvice)] };
      if (absence) return rejectedOutcome(targetNotFound(failure));
      const rejection = explainRejection(write, removal, failure, deleteAdvice);
      if (!lost) return rejection;
      const outcome = await rejection.catch(asUpstreamError);
      return outcome instanceof UpstreamError ? null : outcome;
    },
  };
}

const deleteAdvice = 'The payload has the record as it is now, if it can be read.';

/** The common rules of updates and deletes. At most two attempts may have been carried out; all have the same ETag. */
const prepareConditional = (
  writer: RecordWriter,
  write: PendingWrite,
  part: RecordPart,
  { id }: RecordDeletion,
  checkAdvice: string,
  evaluate: (record: BusinessRecord | null) => Evidence['shows'],
) => ({
  ...write,
  part,
  canShowOutcome: true,
  checkAdvice,
  maxLost: 1,
  mayResend: () => writer.mayResend,
  sendAgain: () => write.send(part),
  async readEvidence(): Promise<Evidence> {
    const record = await write.withRetry(() => write.readById(id));
    const isUnknown = record instanceof UpstreamError || (record === null && !(await write.isSetReadable()));
    return isUnknown ? noEvidence : { shows: evaluate(record), record };
  },
});

/** Whether a failure proves that the record does not exist; 'unknown' if its set cannot be read to confirm it. */
async function isAbsent(
  write: PendingWrite,
  id: string,
  failure: UpstreamError,
): Promise<boolean | 'unknown'> {
  const absence = classifyAbsence(failure);
  if (absence === 'unproven') return false;
  // The code may be about another record that the upstream looked up for this request, so this record is read.
  if (absence === 'proven') return (await readOrNull(write, id)) === null;
  const setFailure = await write.findSetFailure();
  if (setFailure === null) return true;
  return classifyAbsence(setFailure) === 'possible' ? false : 'unknown';
}

/**
 * The outcome of a rejected attempt, with the current record if the caller may read it. After a rejected ETag, the record is
 * read from the primary. If it still has the ETag, the record is not stale. If the caller may not read it, the rejection is
 * reported as it is. If the read fails for another reason, the outcome is unknown.
 */
async function explainRejection(
  write: PendingWrite,
  { id, ifMatch, path }: RecordDeletion,
  failure: UpstreamError,
  checkAdvice: string,
): Promise<WriteOutcome> {
  if (!isEtagMismatch(failure)) {
    const userError = toUserErrorForExisting(failure, checkAdvice);
    const record = isRecordReadable(userError) ? await readOrNull(write, id) : null;
    return { record, userErrors: [userError] };
  }
  const record = await write.withRetry(() => write.readById(id));
  const unknown = outcomeUnknown(failure, rereadAdvice);
  const stale = staleRecordError(failure, path);
  if (record instanceof UpstreamError) return rejectedOutcome(record.code === 'FORBIDDEN' ? stale : unknown);
  if (record === null) return rejectedOutcome((await write.isSetReadable()) ? targetNotFound() : unknown);
  return { record, userErrors: [record.etag === ifMatch ? etagRejectedError(failure) : stale] };
}

const rereadAdvice =
  'The upstream rejected `ifMatch`, and the record could not be read to find out why. Read the record before you repeat the mutation.';
