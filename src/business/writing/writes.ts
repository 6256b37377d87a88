import { asUpstreamError, UpstreamError } from '../../errors.ts';
import type { Selection } from '../../graph/selection.ts';
import type { Access } from '../../http/auth/access.ts';
import { sendWriteBatch, trySend, type WritePart } from '../../odata/batch.ts';
import type { Reads } from '../reading/reads.ts';
import type { FieldKinds, RecordSet } from '../record-set.ts';
import { prepareCreate, type RecordCreation } from './creates.ts';
import { prepareDelete, type RecordDeletion } from './deletes.ts';
import { notAttemptedError, rejectedOutcome, toUserError, type WriteOutcome } from './outcomes.ts';
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

/**
 * Carries out writes and returns their outcomes in the same order: one is sent as a call, several as one batch. Throws
 * `UpstreamError` if none was carried out, and the caller cannot act on the error.
 */
export type CarryOutWrites = <F extends FieldKinds>(
  writes: readonly RecordWrite<F>[],
) => Promise<readonly WriteOutcome<F>[]>;

/** The writes of one request. */
export function createRecordWrites(
  options: RecordWriterOptions,
  access: Access,
  reads: Reads,
  selection: Selection,
): CarryOutWrites {
  const { client, recentWrites } = options;

  const sendAll = async (parts: readonly WritePart[]) => {
    const [only, ...others] = parts;
    if (!only) return [];
    if (others.length > 0) return sendWriteBatch(client, writeRoot, access, parts);
    const { url, ...call } = only;
    return [await trySend(client, access, { ...call, path: `${writeRoot}/${url}`, kind: 'write' })];
  };

  /** Marks the companies before sending and after the end, whatever the outcome. */
  const carryOutMarked = async <F extends FieldKinds>(
    writes: readonly RecordWrite<F>[],
    prepared: readonly PreparedWrite<F>[],
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
    return carryOut(prepared).finally(mark);
  };

  const carryOut = async <F extends FieldKinds>(
    prepared: readonly PreparedWrite<F>[],
  ): Promise<readonly WriteOutcome<F>[]> => {
    const sent = prepared.filter((entry) => 'part' in entry);
    const attempts = await sendAll(sent.map(({ part }) => part)).catch(asUpstreamError);
    if (attempts instanceof UpstreamError) {
      const userError = toUserError(attempts, 'Check the records before you repeat the mutation.');
      return prepared.map((entry) => rejectedOutcome(...('faults' in entry ? entry.faults : [userError])));
    }
    // If one entry fails, the others keep their outcomes.
    const settled = await Promise.all(
      sent.map(({ settle }, index) =>
        settle(attempts[index] as (typeof attempts)[number]).catch(asUpstreamError),
      ),
    );
    const failures = settled.filter((outcome) => outcome instanceof UpstreamError);
    if (failures[0] && failures.length === sent.length) throw failures[0];
    const outcomes = settled.values();
    return prepared.map((entry) => {
      if ('faults' in entry) return rejectedOutcome(...entry.faults);
      const outcome = outcomes.next().value as (typeof settled)[number];
      return outcome instanceof UpstreamError ? rejectedOutcome(notAttemptedError(outcome)) : outcome;
    });
  };

  return (writes) => {
    const writer = createRecordWriter(options, access, reads, selection);
    return carryOutMarked(
      writes,
      writes.map((write) => prepareWrite(writer, write)),
    );
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
