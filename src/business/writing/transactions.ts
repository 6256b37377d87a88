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
import { type Evidence, isAsIfMade, noEvidence, type SentWrite, settleWrite } from './settlement.ts';

/** One write of a transaction, in the order of its parts. */
export interface TransactionEntry extends SentWrite {
  readonly path: readonly string[];
  /** Whether several entries are about this record, so that it does not show what each of them has done. */
  readonly isShared: boolean;
}

type Entries = readonly TransactionEntry[];
type Outcomes = readonly WriteOutcome[];

/** The most records that are read to find out whether a refused transaction has been carried out all the same. */
const maxWitnesses = 3;

/** Records of entries that were refused say the least, and are read last. */
const refusedRank = 2;

const asAskedForAdvice =
  'The upstream refused the transaction, but a record has the requested values. Read the records of all entries.';
const lostAdvice = 'The entries are one transaction. The payload has their records, where they can be read.';

const rolledBack = transactionError('the upstream refused another one');
const undoneWithOthers = transactionError('the upstream refused it after another one about the same record');

/**
 * The outcomes of the entries of a transaction, whose parts were answered by `attempts`: null for a part without an answer.
 *
 * It was carried out if each part succeeded. If one was refused, none was carried out, unless a record of another shows
 * that it was: an intermediary may have delivered the transaction twice, or removed the header that asks for one. In all
 * other cases the records decide. No part is ever sent again. Throws `UpstreamError` if nothing was carried out, and the
 * caller cannot act on the error.
 */
export async function settleTransaction(
  entries: Entries,
  attempts: readonly (CallResult | null)[],
): Promise<Outcomes> {
  const failures = attempts.filter((attempt) => attempt instanceof UpstreamError);
  const lost = failures.find(({ delivery }) => delivery === 'unknown');
  if (lost) return settleLost(entries, lost);
  if (failures.length > 0) return settleRefused(entries, attempts);
  if (attempts.includes(null)) return settleLost(entries, unansweredFailure());
  return Promise.all(entries.map((entry, index) => settleWrite(entry, attempts[index] as CallResult)));
}

/** All or none: a record that shows that its entry was not carried out contradicts those that show the opposite. */
async function settleLost(entries: Entries, failure: UpstreamError): Promise<Outcomes> {
  const found = await Promise.all(
    entries.map(({ isShared, findEvidence }) => (isShared ? noEvidence : findEvidence())),
  );
  const isProof = ({ shows }: Evidence) => shows === 'madeHere' || shows === 'made';
  const isMade =
    !found.some(({ shows }) => shows === 'notMade') && (found.some(isProof) || found.every(isAsIfMade));
  return found.map((evidence, index) => {
    const advice = entries[index]?.isShared ? sharedRecordAdvice : lostAdvice;
    const isCertain = isMade && isAsIfMade(evidence);
    return { record: evidence.record, userErrors: isCertain ? [] : [outcomeUnknown(failure, advice)] };
  });
}

async function settleRefused(entries: Entries, attempts: readonly (CallResult | null)[]): Promise<Outcomes> {
  const first = attempts.find((attempt) => attempt instanceof UpstreamError) as UpstreamError;
  const evidence = await findWitness(entries, attempts, first);
  if (evidence === 'madeHere') return settleLost(entries, first);
  if (evidence === 'made') {
    const records = await settleLost(entries, first);
    return records.map(({ record }) => ({ record, userErrors: [outcomeUnknown(first, asAskedForAdvice)] }));
  }
  const refused = await Promise.all(
    entries.map((entry, index) => {
      const attempt = attempts[index];
      return attempt instanceof UpstreamError ? settleRefusedEntry(entry, attempt) : null;
    }),
  );
  const thrown = refused.find((outcome) => outcome instanceof UpstreamError);
  if (thrown && refused.every((outcome) => outcome === null || outcome instanceof UpstreamError))
    throw thrown;
  return refused.map((outcome) => {
    if (outcome === null) return rejectedOutcome(rolledBack);
    return outcome instanceof UpstreamError ? rejectedOutcome(notAttemptedError(outcome)) : outcome;
  });
}

/**
 * What the records show of a refused transaction. They are read one after another, those of the entries that succeeded
 * first, then of those without an answer, then of the refused, until one is certain. If the first entry is refused for
 * anything but its ETag, its key or a missing record, it is refused at each delivery, so nothing is read.
 */
async function findWitness(
  entries: Entries,
  attempts: readonly (CallResult | null)[],
  refusal: UpstreamError,
): Promise<Evidence['shows']> {
  const isRepeatable =
    isEtagMismatch(refusal) || isKeyTaken(refusal) || classifyAbsence(refusal) !== 'unproven';
  const rank = (attempt: CallResult | null) => {
    if (attempt instanceof UpstreamError) return refusedRank;
    return attempt === null ? 1 : 0;
  };
  if (!isRepeatable && !attempts.some((attempt) => rank(attempt) === 0)) return 'nothing';
  const witnesses = entries
    .map((entry, index) => ({ entry, rank: rank(attempts[index] ?? null) }))
    .filter(({ entry }) => entry.canShow && !entry.isShared)
    .sort((one, other) => one.rank - other.rank)
    .slice(0, maxWitnesses);
  let found: Evidence['shows'] = 'nothing';
  for (const { entry, rank } of witnesses) {
    const { shows, record } = await entry.findEvidence();
    if (shows === 'madeHere') return shows;
    if (shows === 'notMade') return found === 'nothing' ? shows : found;
    // A delete that was not refused, and whose record is gone.
    const isGone = shows === 'asAsked' && record === null && rank < refusedRank;
    if (shows === 'made' || isGone) found = 'made';
  }
  return found;
}

/** The outcome of an entry that was refused and is not carried out; an `UpstreamError` if the caller cannot act on it. */
async function settleRefusedEntry(
  entry: TransactionEntry,
  refusal: UpstreamError,
): Promise<WriteOutcome | UpstreamError> {
  if (entry.isShared) return rejectedOutcome(undoneWithOthers);
  // Nothing has the key that is taken: another entry of the transaction had it.
  if (isKeyTaken(refusal)) return rejectedOutcome(alreadyExists(refusal));
  const outcome = await settleWrite(entry, refusal).catch(asUpstreamError);
  if (outcome instanceof UpstreamError || outcome.userErrors.length > 0) return outcome;
  // Another client has written these values: nothing of this transaction was carried out.
  return { ...outcome, userErrors: [staleRecordError(refusal, entry.path)] };
}
