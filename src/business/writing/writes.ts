import { asUpstreamError, InputError, UpstreamError } from '../../errors.ts';
import { findNamed, outcomeUnknown } from '../../graph/user-errors.ts';
import { type CallResult, sendWriteBatch } from '../../odata/batch.ts';
import { columnName } from '../record-sets/columns.ts';
import type { Dialect } from '../record-sets/dialect.ts';
import type { RecordSet } from '../record-sets/record-set.ts';
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
import { type PreparedWrite, settleWrite } from './settlement.ts';
import { settleTransaction, type TransactionEntry } from './transactions.ts';
import {
  createRecordWriter,
  type RecordPart,
  type RecordWriter,
  sendPart,
  type WriteContext,
} from './writer.ts';

/** One record to write. */
export type RecordWrite = { readonly set: RecordSet } & (
  | { readonly write: 'create'; readonly target: RecordCreation }
  | { readonly write: 'update'; readonly target: RecordUpdate }
  | { readonly write: 'delete'; readonly target: RecordDeletion }
);

export interface WriteOptions {
  /** Whether to carry out all writes or none. */
  readonly isTransaction?: boolean;
}

/**
 * Carries out writes, and returns their outcomes in the same order. A single write is sent as a call, several as one batch for
 * each API; the batches are sent in sequence. Throws `InputError` for a transaction of several APIs. Throws `UpstreamError` if
 * nothing was carried out and the caller cannot act on the error.
 */
export async function carryOutWrites(
  context: WriteContext,
  writes: readonly RecordWrite[],
  options?: WriteOptions,
): Promise<readonly WriteOutcome[]> {
  const isTransaction = options?.isTransaction === true && writes.length > 1;
  if (isTransaction) requireOneApi(writes);
  const writer = createRecordWriter(context, !isTransaction);
  const shared = findShared(writes);
  const entries = writes.map((write) => ({
    ...prepareWrite(writer, write),
    path: write.target.path,
    companyId: write.target.companyId,
    isShared: shared.has(write),
  }));
  const sent = entries.filter((entry) => 'part' in entry);
  /** Merges the outcomes of the entries that were sent with the errors of those that were not. */
  const combine = (outcomes: readonly WriteOutcome[]) => {
    const rest = outcomes.values();
    return entries.map((entry, index) =>
      'faults' in entry
        ? rejectedOutcome(...entry.faults)
        : locateErrors(writes[index] as RecordWrite, context.dialect, rest.next().value as WriteOutcome),
    );
  };
  if (isTransaction && sent.length < entries.length)
    return combine(sent.map(() => rejectedOutcome(transactionError('another one is invalid'))));
  const companyIds = new Set(sent.map(({ companyId }) => companyId));
  return markWrites(context, companyIds, async () => {
    const parts = sent.map(({ part }) => part);
    const attempts = await sendAll(context, parts, isTransaction).catch(asUpstreamError);
    if (attempts instanceof UpstreamError) {
      const userError = toUserError(attempts, 'Check the records before you repeat the mutation.');
      return combine(sent.map(() => rejectedOutcome(userError)));
    }
    if (isTransaction) return combine(await settleTransaction(sent, attempts));
    const settled = await Promise.all(sent.map((entry, index) => settleOne(entry, attempts[index])));
    const failures = settled.filter((outcome) => outcome instanceof UpstreamError);
    if (failures[0] && failures.length === settled.length) throw failures[0];
    return combine(
      settled.map((outcome) =>
        outcome instanceof UpstreamError ? rejectedOutcome(notAttemptedError(outcome)) : outcome,
      ),
    );
  });
}

/** Adds to errors of the upstream the path of the input field that the upstream names. Fields of new lines get no path. */
function locateErrors(
  change: RecordWrite,
  dialect: Dialect,
  { record, userErrors }: WriteOutcome,
): WriteOutcome {
  if (change.write === 'delete' || userErrors.length === 0) return { record, userErrors };
  const given = change.write === 'create' ? change.target.fields : change.target.patch;
  const path = ['input', ...change.target.path, ...(change.write === 'update' ? ['patch'] : [])];
  const fields = new Map(Object.keys(given).map((field) => [columnName(change.set, dialect, field), field]));
  return {
    record,
    userErrors: userErrors.map((error) => {
      const isRejection = error.code === 'INVALID_INPUT' || error.code === 'REFUSED';
      const named =
        isRejection && error.path === null && error.upstream && findNamed(error.upstream, [...fields.keys()]);
      return named ? { ...error, path: [...path, fields.get(named) as string] } : error;
    }),
  };
}

/** Marks the companies as recently written, before the writes are sent and after they have ended, also with a failure. */
function markWrites<Value>(
  { recentWrites, access }: Pick<WriteContext, 'recentWrites' | 'access'>,
  companyIds: Iterable<string>,
  write: () => Promise<Value>,
): Promise<Value> {
  const mark = () => {
    for (const companyId of companyIds) recentWrites.mark(access.person, companyId);
  };
  mark();
  return write().finally(mark);
}

/** Sends an action of a record once, and returns an `UpstreamError` as a value. */
export const sendAction = (
  context: Pick<WriteContext, 'client' | 'recentWrites' | 'access'>,
  companyId: string,
  part: RecordPart,
): Promise<CallResult> => markWrites(context, [companyId], () => sendPart(context, part));

function prepareWrite(writer: RecordWriter, { set, ...change }: RecordWrite): PreparedWrite {
  const { faults = [] } = change.target;
  if (faults.length > 0) return { faults };
  if (change.write === 'create') return prepareCreate(writer, set, change.target);
  if (change.write === 'update') return prepareUpdate(writer, set, change.target);
  return prepareDelete(writer, set, change.target);
}

/** Finds writes to a record that another write changes, too. Such a record does not show which writes were carried out. */
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

/** A batch, and therefore a transaction, can only write records of one API. */
function requireOneApi(writes: readonly RecordWrite[]): void {
  const routes = [...new Set(writes.map(({ set }) => set.route))];
  if (routes.length > 1)
    throw new InputError(
      `\`atomic\` takes entries of one API of the upstream; these are of ${routes.map((route) => `\`${route}\``).join(' and ')}. Leave \`atomic\` out, or send one mutation for each.`,
    );
}

type Attempts = readonly (CallResult | null)[];

/**
 * Sends one batch for each API. Throws if there is a single batch and it was not carried out. Of several batches, a failure is
 * the result of each of its parts.
 */
async function sendAll(
  context: WriteContext,
  parts: readonly RecordPart[],
  isTransaction: boolean,
): Promise<Attempts> {
  const roots = new Set(parts.map(({ root }) => root));
  const results = new Map<RecordPart, CallResult | null>();
  for (const root of roots) {
    const ofRoot = parts.filter((part) => part.root === root);
    const attempts = await sendToApi(context, root, ofRoot, isTransaction).catch((error: unknown) => {
      const failure = asUpstreamError(error);
      if (roots.size === 1) throw failure;
      return ofRoot.map(() => failure);
    });
    for (const [index, part] of ofRoot.entries()) results.set(part, attempts[index] ?? null);
  }
  return parts.map((part) => results.get(part) ?? null);
}

async function sendToApi(
  context: WriteContext,
  root: string,
  parts: readonly RecordPart[],
  isTransaction: boolean,
): Promise<Attempts> {
  const [only, ...others] = parts;
  if (only && others.length === 0) return [await sendPart(context, only)];
  const ofRoot = parts.map(({ root: _root, ...part }) => part);
  return sendWriteBatch(context.client, root, context.access, ofRoot, isTransaction);
}

/** Settles one entry. Returns an `UpstreamError` that the caller cannot act on as a value: other entries keep their outcomes. */
function settleOne(
  entry: TransactionEntry,
  attempt: CallResult | null = null,
): Promise<WriteOutcome | UpstreamError> {
  const answer = attempt ?? unansweredFailure();
  const isLost = answer instanceof UpstreamError && answer.delivery === 'unknown';
  if (entry.isShared && isLost)
    return Promise.resolve(rejectedOutcome(outcomeUnknown(answer, sharedRecordAdvice)));
  return settleWrite(entry, answer).catch(asUpstreamError);
}
