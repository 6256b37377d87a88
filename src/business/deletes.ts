import { isPutOff, UpstreamError } from '../errors.ts';
import { outcomeUnknown, type UserError, userErrorOf } from '../graph/user-errors.ts';
import type { Attempt, WritePart } from '../upstream/batch.ts';
import { isReadable, isStale, type Outcome, refused, staleRecord } from './outcomes.ts';
import type { Fields, RecordSet } from './records.ts';
import { tagFaults } from './write-fields.ts';
import { lookFirmly, type Pending, type Prepared, partOf, seen, type Target, type Writer } from './writer.ts';

/** One record to delete, as it was under a tag. */
export interface Removal extends Target {
  readonly id: string;
  readonly ifMatch: string;
}

export function prepareRemoval<F extends Fields>(
  writer: Writer,
  set: RecordSet<F>,
  removal: Removal,
): Prepared<F> {
  const { ifMatch, path } = removal;
  const faults = tagFaults(ifMatch, path);
  if (faults.length > 0) return { faults };
  const part = partOf('DELETE', set, removal, { ifMatch });
  const write = writer.begin(set, removal, {});
  // Whatever body comes with it, 2xx says that the record is gone.
  const settle = (first: Attempt) =>
    settleRemoval(removal, part, write, first instanceof UpstreamError ? first : null);
  return { part, settle };
}

const lookHere = 'The record is given as it still stands, where it can be read.';

/**
 * What became of a DELETE whose first sending ended in `first`, null for a good answer.
 *
 * Where that says nothing, the record does: it is gone, then it was deleted; it stands, then the delete is sent
 * once more with the same tag, which the upstream refuses when the record has moved on. Throws `UpstreamError` for
 * what a caller cannot act on.
 */
async function settleRemoval<F extends Fields>(
  { id, path }: Removal,
  part: WritePart,
  write: Pending<F>,
  first: UpstreamError | null,
): Promise<Outcome<F>> {
  const deleted = { record: null, userErrors: [] };
  if (first === null) return deleted;
  const standing = async (error: UserError) => ({
    record: isReadable(error) ? await seen(write, id) : null,
    userErrors: [error],
  });
  if (first.fate !== 'unknown') return standing(refusalOf(first, path) ?? refused(first, lookHere));

  // A Retry-After holds for the second sending as it would for another caller's.
  const isInTime = first.retryAfterSeconds === null || (await write.pause(first));
  for (let isSentAgain = !isInTime; ; ) {
    const record = await lookFirmly(write, id);
    if (record === null) return deleted;
    const unknown = {
      record: record instanceof UpstreamError ? null : record,
      userErrors: [outcomeUnknown(first, lookHere)],
    };
    if (record instanceof UpstreamError || isSentAgain) return unknown;

    const again = await write.send(part);
    // Gone between the look and the sending: by the first one, or by somebody who wanted the same.
    if (!(again instanceof UpstreamError) || again.status === 404) return deleted;
    const refusal = refusalOf(again, path);
    if (refusal) return standing(refusal);
    if (!isPutOff(again)) isSentAgain = true;
    else if (!(await write.pause(again))) return unknown;
  }
}

/** The refusal of a delete as data; null where it was not refused, or by nothing its caller can act on. */
function refusalOf(failure: UpstreamError, path: readonly string[]): UserError | null {
  if (failure.fate !== 'refused') return null;
  return isStale(failure) ? staleRecord(failure, path) : userErrorOf(failure, lookHere);
}
