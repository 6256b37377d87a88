import { asUpstreamError, UpstreamError } from '../../errors.ts';
import type { Selection } from '../../graph/selection.ts';
import { alreadyExists, isKeyTaken, outcomeUnknown } from '../../graph/user-errors.ts';
import type { Access } from '../../http/auth/access.ts';
import { type CallResult, sendWriteBatch, trySend, type WritePart } from '../../odata/batch.ts';
import type { Reads } from '../reading/reads.ts';
import type { FieldKinds, RecordSet } from '../record-set.ts';
import { prepareCreate, type RecordCreation } from './creates.ts';
import { prepareDelete, type RecordDeletion } from './deletes.ts';
import {
  isEtagMismatch,
  notAttemptedError,
  rejectedOutcome,
  staleRecordError,
  toUserError,
  transactionError,
  type WriteOutcome,
} from './outcomes.ts';
import { prepareUpdate, type RecordUpdate } from './updates.ts';
import {
  createRecordWriter,
  type PreparedWrite,
  type RecordWriter,
  type RecordWriterOptions,
  writeRoot,
} from './writer.ts';

/** One record to write. */
export type RecordWrite<F extends FieldKinds = FieldKinds> = { readonly set: RecordSet<F> } & (
  | { readonly write: 'create'; readonly target: RecordCreation }
  | { readonly write: 'update'; readonly target: RecordUpdate }
  | { readonly write: 'delete'; readonly target: RecordDeletion }
);

export interface WriteOptions {
  /** All writes or none: the upstream supports transactions (`Dialect`). */
  readonly isTransaction?: boolean;
}

/**
 * Carries out writes and returns their outcomes in the same order: one is sent as a call, several as one batch. Throws
 * `UpstreamError` if none was carried out, and the caller cannot act on the error.
 */
export type CarryOutWrites = <F extends FieldKinds>(
  writes: readonly RecordWrite<F>[],
  options?: WriteOptions,
) => Promise<readonly WriteOutcome<F>[]>;

const rolledBack = rejectedOutcome(transactionError('the upstream refused another one'));

const isSuccess = <Outcome extends WriteOutcome<FieldKinds>>(
  outcome: Outcome | UpstreamError,
): outcome is Outcome => !(outcome instanceof UpstreamError) && outcome.userErrors.length === 0;

const asAskedForAdvice = 'The record already is as asked for. Read the records of the other entries, too.';
const othersUnknownAdvice =
  'The upstream refused a change that is already made: it may have carried out all entries before. Read their records.';

const sharedRecordAdvice = 'Several entries are about this record. Read it before you repeat any of them.';
const undoneWithOthers = transactionError('the upstream refused it after another one about the same record');

/** The writes to records that several are about: of these, the state of a record does not show what each has done. */
function findShared(writes: readonly RecordWrite[]): ReadonlySet<RecordWrite> {
  const byRecord = new Map<string, RecordWrite[]>();
  for (const write of writes) {
    const { set, target } = write;
    if (target.id === null) continue;
    const key = `${set.entitySet} ${target.companyId} ${target.id}`.toLowerCase();
    byRecord.set(key, [...(byRecord.get(key) ?? []), write]);
  }
  return new Set([...byRecord.values()].filter(({ length }) => length > 1).flat());
}

/** Whether writes must be settled in order: a second attempt may refer to what an earlier entry creates. */
const isOrdered = (attempts: readonly (CallResult | null)[], sets: ReadonlySet<RecordSet>): boolean =>
  sets.size > 1 &&
  attempts.some((attempt) => attempt instanceof UpstreamError && attempt.delivery === 'unknown');

/** The writes of one request. */
export function createRecordWrites(
  options: RecordWriterOptions,
  access: Access,
  reads: Reads,
  selection: Selection,
): CarryOutWrites {
  const { client, recentWrites } = options;

  const sendAll = async (
    parts: readonly WritePart[],
    isTransaction: boolean,
  ): Promise<readonly (CallResult | null)[]> => {
    const [only, ...others] = parts;
    if (!only) return [];
    if (others.length > 0) return sendWriteBatch(client, writeRoot, access, parts, isTransaction);
    const { url, ...call } = only;
    return [await trySend(client, access, { ...call, path: `${writeRoot}/${url}`, kind: 'write' })];
  };

  /** Marks the companies before sending and after the end, whatever the outcome. */
  const carryOutMarked = async <F extends FieldKinds>(
    writes: readonly RecordWrite<F>[],
    prepared: readonly PreparedWrite<F>[],
    isTransaction: boolean,
  ): Promise<readonly WriteOutcome<F>[]> => {
    const companies = new Set(
      writes
        .filter((_write, index) => 'part' in (prepared[index] as PreparedWrite<F>))
        .map(({ target }) => target.companyId),
    );
    const mark = () => {
      for (const companyId of companies) recentWrites.mark(access.callerKey, companyId);
    };
    mark();
    return carryOut(writes, prepared, isTransaction).finally(mark);
  };

  const carryOut = async <F extends FieldKinds>(
    writes: readonly RecordWrite<F>[],
    prepared: readonly PreparedWrite<F>[],
    isTransaction: boolean,
  ): Promise<readonly WriteOutcome<F>[]> => {
    const shared = findShared(writes);
    const sent = prepared.flatMap((entry, index) =>
      'part' in entry ? [{ ...entry, isShared: shared.has(writes[index] as RecordWrite<F>) }] : [],
    );
    if (isTransaction && sent.length < prepared.length)
      return prepared.map((entry) =>
        rejectedOutcome(...('faults' in entry ? entry.faults : [transactionError('another one is invalid')])),
      );
    const attempts = await sendAll(
      sent.map(({ part }) => part),
      isTransaction,
    ).catch(asUpstreamError);
    if (attempts instanceof UpstreamError) {
      const userError = toUserError(attempts, 'Check the records before you repeat the mutation.');
      return prepared.map((entry) => rejectedOutcome(...('faults' in entry ? entry.faults : [userError])));
    }
    const isRolledBack = attempts.includes(null);
    // The failure of an entry that may be a repeated one.
    let repeated: UpstreamError | null = null;
    /** Whether a record of another entry proves that no earlier delivery of the transaction was carried out. */
    const isNeverCarriedOut = async (refused: (typeof sent)[number]) => {
      const other = sent.find((entry) => entry !== refused && !entry.isShared && entry.isUndone !== null);
      return (await other?.isUndone?.()) === true;
    };
    const settleOne = async (entry: (typeof sent)[number], index: number) => {
      const { settle, isShared } = entry;
      const attempt = attempts[index] as (typeof attempts)[number];
      if (attempt === null) return rolledBack;
      if (!(attempt instanceof UpstreamError)) return settle(attempt).catch(asUpstreamError);
      if (isShared && attempt.delivery === 'unknown')
        return rejectedOutcome(outcomeUnknown(attempt, sharedRecordAdvice));
      if (!isRolledBack) return settle(attempt).catch(asUpstreamError);
      if (isShared && attempt.delivery === 'rejected') return rejectedOutcome(undoneWithOthers);
      // Nothing has the key that is taken: another entry of the transaction had it.
      if (isKeyTaken(attempt)) return rejectedOutcome(alreadyExists(attempt));
      const outcome = await settle(attempt).catch(asUpstreamError);
      if (!isSuccess(outcome)) return outcome;
      // Another client has written these values, or an earlier delivery of the transaction, by a proxy that repeats it.
      if (isEtagMismatch(attempt) && (await isNeverCarriedOut(entry))) {
        const { path } = (writes[index] as RecordWrite<F>).target;
        return { ...outcome, userErrors: [staleRecordError(attempt, path)] };
      }
      repeated = attempt;
      return { ...outcome, userErrors: [outcomeUnknown(attempt, asAskedForAdvice)] };
    };
    // If one entry fails, the others keep their outcomes.
    const settled: Awaited<ReturnType<typeof settleOne>>[] = [];
    if (isOrdered(attempts, new Set<RecordSet>(writes.map(({ set }) => set))))
      for (const [index, entry] of sent.entries()) settled.push(await settleOne(entry, index));
    else settled.push(...(await Promise.all(sent.map(settleOne))));
    const failures = settled.filter((outcome) => outcome instanceof UpstreamError);
    const isAnyDecided = settled.some(
      (outcome) => outcome !== rolledBack && !(outcome instanceof UpstreamError),
    );
    if (failures[0] && !isAnyDecided) throw failures[0];
    const outcomes = settled.values();
    return prepared.map((entry) => {
      if ('faults' in entry) return rejectedOutcome(...entry.faults);
      const outcome = outcomes.next().value as (typeof settled)[number];
      if (outcome === rolledBack && repeated)
        return rejectedOutcome(outcomeUnknown(repeated, othersUnknownAdvice));
      return outcome instanceof UpstreamError ? rejectedOutcome(notAttemptedError(outcome)) : outcome;
    });
  };

  return (writes, how) => {
    const isTransaction = how?.isTransaction === true && writes.length > 1;
    const writer = createRecordWriter(options, access, reads, selection, !isTransaction);
    const prepared = writes.map((write) => prepareWrite(writer, write));
    return carryOutMarked(writes, prepared, isTransaction);
  };
}

function prepareWrite<F extends FieldKinds>(
  writer: RecordWriter,
  { set, ...change }: RecordWrite<F>,
): PreparedWrite<F> {
  if (change.write === 'create') return prepareCreate(writer, set, change.target);
  if (change.write === 'update') return prepareUpdate(writer, set, change.target);
  return prepareDelete(writer, set, change.target);
}
