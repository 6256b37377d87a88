import { canResend, UpstreamError } from '../../errors.ts';
import { mapUpstreamError, outcomeUnknown, targetNotFound, type UserError } from '../../graph/user-errors.ts';
import type { CallResult } from '../../odata/batch.ts';
import type { BusinessRecord } from '../record-set.ts';
import { isEtagMismatch, rejectedOutcome, type WriteOutcome } from './outcomes.ts';
import type { RecordPart } from './writer.ts';

/** An outcome; with `next` it is told only if no time is left to go on. */
export type Decision<Outcome> = Outcome & { readonly next?: 'readAgain' | 'sendAgain' };

/** How one write is settled. Nothing here but `decide` throws `UpstreamError`: failures are values. */
export interface Settlement<Result, Outcome> {
  /** The result of an attempt that succeeded; otherwise the failure. */
  parse(answer: CallResult): Result | UpstreamError;
  /** The outcome after an attempt that succeeded. */
  complete(result: Result): Promise<Outcome>;
  /**
   * Decides after the failure of the last attempt; `lost` has those of all attempts that may have been carried out. Throws
   * `UpstreamError` if nothing was carried out, and the caller cannot act on the error.
   */
  decide(failure: UpstreamError, lost: readonly UpstreamError[]): Promise<Decision<Outcome>>;
  /** Waits after a failure; false if no time is left. */
  pause(failure: UpstreamError): Promise<boolean>;
  sendAgain(): Promise<CallResult>;
}

/**
 * Settles a write by the answer to its last attempt; `lostBefore` has the failures of earlier attempts that may have been
 * carried out. Every create, update, delete, part of a transaction and action ends here (docs/decisions/writes.md).
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
    const again = await write.sendAgain();
    const isNotCarriedOut = again instanceof UpstreamError && canResend(again);
    if (!isNotCarriedOut || lost.length === 0) return settle(write, again, lost);
    if (!(await write.pause(again))) return decision;
  }
}

/**
 * What a record shows of a write whose outcome is unknown.
 *
 * `madeHere`: this write was carried out. `made`: it was, by this write or, less likely, by the same write of another client.
 * `asAsked`: the record is as asked for, and may have been before. `notMade`: the write was not carried out, so far.
 * `gone`: the record to change does not exist.
 */
export interface Evidence {
  readonly shows: 'madeHere' | 'made' | 'asAsked' | 'notMade' | 'gone' | 'nothing';
  readonly record: BusinessRecord | null;
}

export const noEvidence = { shows: 'nothing', record: null } as const satisfies Evidence;

/** Whether the record is as if the write had been carried out. */
export const isAsIfMade = ({ shows }: Evidence): boolean =>
  shows === 'madeHere' || shows === 'made' || shows === 'asAsked';

/** A write of a record that is ready to be sent, with the rules by which creates, updates and deletes are settled. */
export interface SentWrite extends Omit<Settlement<BusinessRecord | null, WriteOutcome>, 'decide'> {
  readonly part: RecordPart;
  /** Whether the record can show if the write was carried out. */
  readonly canShow: boolean;
  /** How the caller can check an unknown outcome. */
  readonly checkAdvice: string;
  /** How many attempts may be lost before the write is not sent again. */
  readonly maxLost: number;
  /** Whether the write may be sent again while its record shows that it was not carried out. */
  mayResend(): boolean;
  /**
   * The outcome of an attempt that was refused; null if the record decides, because an earlier attempt was lost. Throws
   * `UpstreamError` if the caller cannot act on the error.
   */
  refuse(failure: UpstreamError, lost: readonly UpstreamError[]): Promise<Decision<WriteOutcome> | null>;
  /** Reads the record, and says what it shows of the write. Never throws `UpstreamError`. */
  findEvidence(): Promise<Evidence>;
}

/** A write that is ready to be sent; or why it is not sent. */
export type PreparedWrite = SentWrite | { readonly faults: readonly UserError[] };

/** The outcome of a write whose first attempt was answered by `first`. */
export const settleWrite = (write: SentWrite, first: CallResult): Promise<WriteOutcome> =>
  settle({ ...write, decide: (failure, lost) => decideByRecord(write, failure, lost) }, first);

/**
 * Decides by the record: one that is as asked for was written; one that shows that the write was not carried out is written
 * again where that cannot double it; of any other the outcome is unknown.
 */
async function decideByRecord(
  { checkAdvice, maxLost, mayResend, refuse, findEvidence }: SentWrite,
  failure: UpstreamError,
  lost: readonly UpstreamError[],
): Promise<Decision<WriteOutcome>> {
  const [firstLost] = lost;
  const isRefused = failure.delivery !== 'unknown';
  const refusal = isRefused ? await refuse(failure, lost) : null;
  if (refusal) return refusal;
  const evidence = await findEvidence();
  const { shows, record } = evidence;
  if (isAsIfMade(evidence)) return { record, userErrors: [] };
  if (shows === 'gone') return rejectedOutcome(targetNotFound());
  const unknown = { record, userErrors: [outcomeUnknown(firstLost ?? failure, checkAdvice)] };
  if (shows === 'nothing' || !mayResend()) return unknown;
  if (isRefused) {
    // An earlier attempt may have changed the ETag.
    const userError = isEtagMismatch(failure) ? null : mapUpstreamError(failure, checkAdvice);
    return userError ? { record, userErrors: [userError] } : unknown;
  }
  return lost.length > maxLost ? unknown : { ...unknown, next: 'sendAgain' };
}
