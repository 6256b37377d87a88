import { asUpstreamError, InputError, UpstreamError } from '../../errors.ts';
import type { Selection } from '../../graph/selection.ts';
import { outcomeUnknown } from '../../graph/user-errors.ts';
import type { Access } from '../../http/auth/access.ts';
import { type CallResult, sendWriteBatch, trySend } from '../../odata/batch.ts';
import type { Reads } from '../reading/reads.ts';
import type { FieldKinds, RecordSet } from '../record-set.ts';
import {
  prepareDelete,
  prepareUpdate,
  type RecordDeletion,
  type RecordUpdate,
} from './conditional-writes.ts';
import { prepareCreate, type RecordCreation } from './creates.ts';
import {
  notAttemptedError,
  rejectedOutcome,
  sharedRecordAdvice,
  toUserError,
  transactionError,
  unansweredFailure,
  type WriteOutcome,
} from './outcomes.ts';
import { settleTransaction } from './transactions.ts';
import {
  createRecordWriter,
  type PreparedWrite,
  type RecordPart,
  type RecordWriter,
  type RecordWriterOptions,
  settleWrite,
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
 * Carries out writes and returns their outcomes in the same order: one is sent as a call, several as one batch of each API, one
 * after another in the order of their first writes. Throws `InputError` for a transaction of several APIs. Throws
 * `UpstreamError` if none was carried out, and the caller cannot act on the error.
 */
export type CarryOutWrites = <F extends FieldKinds>(
  writes: readonly RecordWrite<F>[],
  options?: WriteOptions,
) => Promise<readonly WriteOutcome<F>[]>;

/** The writes to records that several are about: of these, the state of a record does not show what each has done. */
function findShared(writes: readonly RecordWrite[]): ReadonlySet<RecordWrite> {
  const byRecord = new Map<string, RecordWrite[]>();
  for (const write of writes) {
    const { set, target } = write;
    if (target.id === null) continue;
    const key = `${set.route} ${set.entitySet} ${target.companyId} ${target.id}`.toLowerCase();
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

  /** Throws the failure of a batch that was not carried out at all. */
  const sendToOne = async (
    root: string,
    parts: readonly RecordPart[],
    isTransaction: boolean,
  ): Promise<readonly (CallResult | null)[]> => {
    const ofRoot = parts.map(({ root: _root, ...part }) => part);
    const [only, ...others] = ofRoot;
    if (!only) return [];
    if (others.length > 0) return sendWriteBatch(client, root, access, ofRoot, isTransaction);
    const { url, ...call } = only;
    return [await trySend(client, access, { ...call, path: `${root}/${url}`, kind: 'write' })];
  };

  const sendAll = async (
    parts: readonly RecordPart[],
    isTransaction: boolean,
  ): Promise<readonly (CallResult | null)[]> => {
    const roots = new Set(parts.map(({ root }) => root));
    const [first = ''] = roots;
    if (roots.size <= 1) return sendToOne(first, parts, isTransaction);
    const results = new Map<RecordPart, CallResult | null>();
    for (const root of roots) {
      const ofRoot = parts.filter((part) => part.root === root);
      // The batches of other APIs have their own outcomes.
      const answered = await sendToOne(root, ofRoot, false).catch((error: unknown) => {
        const failure = asUpstreamError(error);
        return ofRoot.map(() => failure);
      });
      for (const [index, part] of ofRoot.entries()) results.set(part, answered[index] ?? null);
    }
    return parts.map((part) => results.get(part) ?? null);
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
      'part' in entry
        ? [
            {
              ...entry,
              path: (writes[index] as RecordWrite<F>).target.path,
              isShared: shared.has(writes[index] as RecordWrite<F>),
            },
          ]
        : [],
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
    const settled: (WriteOutcome<F> | UpstreamError)[] = [];
    const settleOne = async (entry: (typeof sent)[number], index: number) => {
      const attempt = attempts[index] ?? unansweredFailure();
      if (entry.isShared && attempt instanceof UpstreamError && attempt.delivery === 'unknown')
        return rejectedOutcome(outcomeUnknown(attempt, sharedRecordAdvice));
      return settleWrite(entry, attempt).catch(asUpstreamError);
    };
    // If one entry fails, the others keep their outcomes.
    if (isTransaction) settled.push(...(await settleTransaction(sent, attempts)));
    else if (isOrdered(attempts, new Set<RecordSet>(writes.map(({ set }) => set))))
      for (const [index, entry] of sent.entries()) settled.push(await settleOne(entry, index));
    else settled.push(...(await Promise.all(sent.map(settleOne))));
    const failures = settled.filter((outcome) => outcome instanceof UpstreamError);
    if (failures[0] && failures.length === settled.length) throw failures[0];
    const outcomes = settled.values();
    return prepared.map((entry) => {
      if ('faults' in entry) return rejectedOutcome(...entry.faults);
      const outcome = outcomes.next().value as (typeof settled)[number];
      return outcome instanceof UpstreamError ? rejectedOutcome(notAttemptedError(outcome)) : outcome;
    });
  };

  return (writes, how) => {
    const isTransaction = how?.isTransaction === true && writes.length > 1;
    if (isTransaction) requireOneApi(writes);
    const writer = createRecordWriter(options, access, reads, selection, !isTransaction);
    const prepared = writes.map((write) => prepareWrite(writer, write));
    return carryOutMarked(writes, prepared, isTransaction);
  };
}

/** Sends an action of a record once, and returns an `UpstreamError` as a value. */
export async function sendAction(
  { client, recentWrites }: Pick<RecordWriterOptions, 'client' | 'recentWrites'>,
  access: Access,
  companyId: string,
  { root, url, ...call }: RecordPart,
): Promise<CallResult> {
  const mark = () => recentWrites.mark(access.callerKey, companyId);
  mark();
  return trySend(client, access, { ...call, path: `${root}/${url}`, kind: 'write' }).finally(mark);
}

/** A batch, and so a transaction, reaches the records of one API only. */
function requireOneApi(writes: readonly RecordWrite[]): void {
  const routes = [...new Set(writes.map(({ set }) => set.route))];
  if (routes.length > 1)
    throw new InputError(
      `\`atomic\` takes entries of one API of the upstream; these are of ${routes.map((route) => `\`${route}\``).join(' and ')}. Leave \`atomic\` out, or send one mutation for each.`,
    );
}

function prepareWrite<F extends FieldKinds>(
  writer: RecordWriter,
  { set, ...change }: RecordWrite<F>,
): PreparedWrite<F> {
  const { faults = [] } = change.target;
  if (faults.length > 0) return { faults };
  if (change.write === 'create') return prepareCreate(writer, set, change.target);
  if (change.write === 'update') return prepareUpdate(writer, set, change.target);
  return prepareDelete(writer, set, change.target);
}
