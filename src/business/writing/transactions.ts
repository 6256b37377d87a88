import { asUpstreamError, UpstreamError } from '../../errors.ts';
import { alreadyExists, isKeyTaken, outcomeUnknown } from '../../graph/user-errors.ts';
import { classifyAbsence } from '../../http/absence.ts';
import type { CallResult } from '../../odata/batch.ts';
import {
  isEtagMismatch,
  notAttemptedError,
  rejectedOutcome,
  sharedRecordAdvice,
  staleRecordError,
  transactionError,
  unansweredFailure,
  type WriteOutcome,
} from './outcomes.ts';
import { type Evidence, isAsRequested, noEvidence, type SentWrite, settleWrite } from './settlement.ts';

/** One write of a transaction, in the order of its parts. */
export interface TransactionEntry extends SentWrite {
  readonly path: readonly string[];
  /** Whether several entries write this record, so that it does not show which of them were carried out. */
  readonly isShared: boolean;
}

type Entries = readonly TransactionEntry[];
type Outcomes = readonly WriteOutcome[];

/** The maximum number of records to read to find out whether a rejected transaction was carried out nevertheless. */
const maxEvidenceReads = 3;

/** The order in which the records of entries are read: those of rejected entries are the weakest evidence. */
const ranks = { succeeded: 0, unanswered: 1, rejected: 2 };

const matchingRecordAdvice =
  'The upstream refused the transaction, but a record has the requested values. Read the records of all entries.';
const lostAdvice = 'The entries are one transaction. The payload has their records, where they can be read.';

const rolledBack = transactionError('the upstream refused another one');
const undoneWithOthers = transactionError('the upstream refused it after another one about the same record');

/**
 * Settles a transaction, given the results of its parts; null for a part without a result.
 *
 * The transaction was carried out if each part succeeded. If a part was rejected, no part was carried out, unless a record
 * of another part shows the opposite: a proxy may have delivered the transaction twice, or removed the header that requests
 * a transaction. In all other cases the records decide. No part is sent again. Throws `UpstreamError` if nothing was carried
 * out and the caller cannot act on the error.
 */
export async function settleTransaction(
  entries: Entries,
  attempts: readonly (CallResult | null)[],
): Promise<Outcomes> {
  const failures = attempts.filter((attempt) => attempt instanceof UpstreamError);
  const lost = failures.find(({ delivery }) => delivery === 'unknown');
  if (lost) return settleLost(entries, lost);
  if (failures.length > 0) return settleRejected(entries, attempts);
  if (attempts.includes(null)) return settleLost(entries, unansweredFailure());
  return Promise.all(entries.map((entry, index) => settleWrite(entry, attempts[index] as CallResult)));
}

/** All entries were carried out or none. One record that shows `notApplied` outweighs records that show the opposite. */
async function settleLost(entries: Entries, failure: UpstreamError): Promise<Outcomes> {
  const found = await Promise.all(
    entries.map(({ isShared, readEvidence }) => (isShared ? noEvidence : readEvidence())),
  );
  const isProof = ({ shows }: Evidence) => shows === 'appliedByThisCall' || shows === 'applied';
  const isCarriedOut =
    !found.some(({ shows }) => shows === 'notApplied') && (found.some(isProof) || found.every(isAsRequested));
  return found.map((evidence, index) => {
    const advice = entries[index]?.isShared ? sharedRecordAdvice : lostAdvice;
    const isCertain = isCarriedOut && isAsRequested(evidence);
    return { record: evidence.record, userErrors: isCertain ? [] : [outcomeUnknown(failure, advice)] };
  });
}

async function settleRejected(entries: Entries, attempts: readonly (CallResult | null)[]): Promise<Outcomes> {
  const first = attempts.find((attempt) => attempt instanceof UpstreamError) as UpstreamError;
  const evidence = await readEvidenceOfAll(entries, attempts, first);
  if (evidence === 'appliedByThisCall') return settleLost(entries, first);
  if (evidence === 'applied') {
    const records = await settleLost(entries, first);
    const userErrors = [outcomeUnknown(first, matchingRecordAdvice)];
    return records.map(({ record }) => ({ record, userErrors }));
  }
  const rejected = await Promise.all(
    entries.map((entry, index) => {
      const attempt = attempts[index];
      return attempt instanceof UpstreamError ? settleRejectedEntry(entry, attempt) : null;
    }),
  );
  const thrown = rejected.find((outcome) => outcome instanceof UpstreamError);
  if (thrown && rejected.every((outcome) => outcome === null || outcome instanceof UpstreamError))
    throw thrown;
  return rejected.map((outcome) => {
    if (outcome === null) return rejectedOutcome(rolledBack);
    return outcome instanceof UpstreamError ? rejectedOutcome(notAttemptedError(outcome)) : outcome;
  });
}

/**
 * What the records show about a rejected transaction. Reads records one after another until one is certain: first of the
 * entries that succeeded, then of those without a result, then of the rejected. If no entry succeeded, and the first rejection
 * has another reason than an ETag, a taken key or a missing record, no delivery can have been carried out, so nothing is read.
 */
async function readEvidenceOfAll(
  entries: Entries,
  attempts: readonly (CallResult | null)[],
  rejection: UpstreamError,
): Promise<Evidence['shows']> {
  // The second of two deliveries is rejected for these reasons.
  const mayBeSecondDelivery =
    isEtagMismatch(rejection) || isKeyTaken(rejection) || classifyAbsence(rejection) !== 'unproven';
  const rankOf = (attempt: CallResult | null) => {
    if (attempt instanceof UpstreamError) return ranks.rejected;
    return attempt === null ? ranks.unanswered : ranks.succeeded;
  };
  if (!mayBeSecondDelivery && !attempts.some((attempt) => rankOf(attempt) === ranks.succeeded))
    return 'nothing';
  const candidates = entries
    .map((entry, index) => ({ entry, rank: rankOf(attempts[index] ?? null) }))
    .filter(({ entry }) => entry.canShowOutcome && !entry.isShared)
    .sort((one, other) => one.rank - other.rank)
    .slice(0, maxEvidenceReads);
  let found: Evidence['shows'] = 'nothing';
  for (const { entry, rank } of candidates) {
    const { shows, record } = await entry.readEvidence();
    if (shows === 'appliedByThisCall') return shows;
    if (shows === 'notApplied') return found === 'nothing' ? shows : found;
    // The record of a delete that was not rejected is gone.
    const isDeleted = shows === 'matches' && record === null && rank < ranks.rejected;
    if (shows === 'applied' || isDeleted) found = 'applied';
  }
  return found;
}

/** The outcome of a rejected entry that was not carried out; an `UpstreamError` if the caller cannot act on it. */
async function settleRejectedEntry(
  entry: TransactionEntry,
  rejection: UpstreamError,
): Promise<WriteOutcome | UpstreamError> {
  if (entry.isShared) return rejectedOutcome(undoneWithOthers);
  // The record is not read: another entry of the transaction, which was rolled back, may have had the key.
  if (isKeyTaken(rejection)) return rejectedOutcome(alreadyExists(rejection));
  const outcome = await settleWrite(entry, rejection).catch(asUpstreamError);
  if (outcome instanceof UpstreamError || outcome.userErrors.length > 0) return outcome;
  // The record is as requested, but no part was carried out: another client has written these values.
  return { ...outcome, userErrors: [staleRecordError(rejection, entry.path)] };
}
