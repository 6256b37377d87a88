import { canResend, UpstreamError } from '../../errors.ts';
import { mapUpstreamError, outcomeUnknown, targetNotFound, type UserError } from '../../graph/user-errors.ts';
import type { CallResult } from '../../odata/batch.ts';
import type { BusinessRecord } from '../record-sets/record-set.ts';
import { isEtagMismatch, rejectedOutcome, type WriteOutcome } from './outcomes.ts';
import type { RecordPart } from './writer.ts';

/** An outcome. With `next`, it is returned only if no time is left for the next step. */
export type Decision<Outcome> = Outcome & { readonly next?: 'readAgain' | 'sendAgain' };

/** The rules to settle one write. Only `decide` throws `UpstreamError`: other failures are values. */
export interface Settlement<Result, Outcome> {
  /** Returns the result of a successful attempt; otherwise the failure. */
  parse(answer: CallResult): Result | UpstreamError;
  /** Returns the outcome of a successful attempt. */
  complete(result: Result): Promise<Outcome>;
  /**
   * Decides after the last attempt failed. `lost` has the failures of all attempts that may have been carried out. Throws
   * `UpstreamError` if nothing was carried out and the caller cannot act on the error.
   */
  decide(failure: UpstreamError, lost: readonly UpstreamError[]): Promise<Decision<Outcome>>;
  /** Waits after a failure. Returns false if no time is left. */
  pause(failure: UpstreamError): Promise<boolean>;
  sendAgain(): Promise<CallResult>;
}

/**
 * Settles a write, given the response to its last attempt. `lostBefore` has the failures of earlier attempts that may have been
 * carried out. Settles all creates, updates, deletes, parts of transactions and actions (docs/decisions/writes.md).
 */
export async function settle<Result, Outcome>(
  write: Settlement<Result, Outcome>,
  answer: CallResult,
  lostBefore: readonly UpstreamError[] = [],
): Promise<Outcome> {
  const attempt = write.parse(answer);
  if (!(attempt instanceof UpstreamError)) return write.complete(attempt);
  const lost = attempt.delivery === 'unknown' ? [...lostBefore, attempt] : lostBefore;
  for (;;) {
    const decision: Decision<Outcome> = await write.decide(attempt, lost);
    if (!decision.next || !(await write.pause(attempt))) return decision;
    if (decision.next === 'readAgain') continue;
    const retry = await write.sendAgain();
    // A retry that was not carried out says nothing about the lost attempts: the record decides again.
    const isNotCarriedOut = retry instanceof UpstreamError && canResend(retry);
    if (!isNotCarriedOut || lost.length === 0) return settle(write, retry, lost);
    if (!(await write.pause(retry))) return decision;
  }
}

/**
 * What the record shows about a write whose outcome is unknown.
 *
 * `appliedByThisCall`: this write was carried out. `applied`: it was carried out, by this call or, less likely, by an equal
 * write of another client. `matches`: the record is as requested, and may have been before. `notApplied`: the write has not
 * been carried out yet. `gone`: the record to update does not exist.
 */
export interface Evidence {
  readonly shows: 'appliedByThisCall' | 'applied' | 'matches' | 'notApplied' | 'gone' | 'nothing';
  readonly record: BusinessRecord | null;
}

export const noEvidence = { shows: 'nothing', record: null } as const satisfies Evidence;

/** Whether the record is as requested. */
export const isAsRequested = ({ shows }: Evidence): boolean =>
  shows === 'appliedByThisCall' || shows === 'applied' || shows === 'matches';

/** A write that is ready to be sent, with the rules to settle it. */
export interface SentWrite extends Omit<Settlement<BusinessRecord | null, WriteOutcome>, 'decide'> {
  readonly part: RecordPart;
  /** Whether the record can show the outcome of the write. */
  readonly canShowOutcome: boolean;
  /** How the caller can check an unknown outcome. */
  readonly checkAdvice: string;
  /** The write is sent again after at most this many lost attempts. */
  readonly maxLost: number;
  /** Whether the write may be sent again if its record shows that it was not carried out. */
  mayResend(): boolean;
  /**
   * Returns the outcome of a rejected attempt; null if an earlier attempt was lost and the record has to decide. Throws
   * `UpstreamError` if the caller cannot act on the error.
   */
  decideRejected(
    failure: UpstreamError,
    lost: readonly UpstreamError[],
  ): Promise<Decision<WriteOutcome> | null>;
  /** Reads the record, and returns what it shows about the write. Never throws `UpstreamError`. */
  readEvidence(): Promise<Evidence>;
}

/** A write that is ready to be sent, or the errors of its input. */
export type PreparedWrite = SentWrite | { readonly faults: readonly UserError[] };

/** Settles a write, given the response to its first attempt. */
export const settleWrite = (write: SentWrite, first: CallResult): Promise<WriteOutcome> =>
  settle({ ...write, decide: (failure, lost) => decideByRecord(write, failure, lost) }, first);

/**
 * Decides by the record. If it is as requested, the write succeeded. If it shows that the write was not carried out, the write
 * is sent again, unless that could carry it out twice. Otherwise the outcome is unknown.
 */
async function decideByRecord(
  { checkAdvice, maxLost, mayResend, decideRejected, readEvidence }: SentWrite,
  failure: UpstreamError,
  lost: readonly UpstreamError[],
): Promise<Decision<WriteOutcome>> {
  const [firstLost] = lost;
  const isRejected = failure.delivery !== 'unknown';
  const rejection = isRejected ? await decideRejected(failure, lost) : null;
  if (rejection) return rejection;
  const evidence = await readEvidence();
  const { shows, record } = evidence;
  if (isAsRequested(evidence)) return { record, userErrors: [] };
  if (shows === 'gone') return rejectedOutcome(targetNotFound());
  const unknown = { record, userErrors: [outcomeUnknown(firstLost ?? failure, checkAdvice)] };
  if (shows === 'nothing' || !mayResend()) return unknown;
  if (isRejected) {
    // After an ETag mismatch the outcome is unknown: an earlier attempt may have changed the ETag.
    const userError = isEtagMismatch(failure) ? null : mapUpstreamError(failure, checkAdvice);
    return userError ? { record, userErrors: [userError] } : unknown;
  }
  return lost.length > maxLost ? unknown : { ...unknown, next: 'sendAgain' };
}
