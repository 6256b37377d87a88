import { isPutOff, UpstreamError } from '../errors.ts';
import { invalidInput, notFound, outcomeUnknown, userErrorOf } from '../graph/user-errors.ts';
import type { WritePart } from '../upstream/batch.ts';
import { isReadable, isStale, type Outcome, refused, staleRecord } from './outcomes.ts';
import type { Fields, RecordOf, RecordSet } from './records.ts';
import { holds } from './wanted.ts';
import { type Input, tagFaults, writeFields } from './write-fields.ts';
import {
  type Answered,
  lookFirmly,
  type Pending,
  type Prepared,
  partOf,
  seen,
  type Target,
  type Writer,
} from './writer.ts';

/** The fields to change of one record, as it was under a tag. */
export interface Change extends Target {
  readonly id: string;
  readonly ifMatch: string;
  readonly patch: Input;
}

export function prepareUpdate<F extends Fields>(
  writer: Writer,
  set: RecordSet<F>,
  change: Change,
): Prepared<F> {
  const { ifMatch, patch, path } = change;
  const { body, faults } = writeFields(set, writer.dialect, patch, [...path, 'patch']);
  const allFaults = [...tagFaults(ifMatch, path), ...faults];
  if (allFaults.length > 0) return { faults: allFaults };
  if (Object.keys(body).length === 0)
    return { faults: [invalidInput('Name at least one field to change.', ...path, 'patch')] };
  const part = partOf('PATCH', set, change, { ifMatch, body });
  const write = writer.begin(set, change, patch);
  return { part, settle: (first) => settleUpdate(change, part, write, write.tell(first)) };
}

const lookHere =
  'The record is given as it now stands, where it can be read: compare it with the change before you send that again.';

/**
 * What became of a PATCH whose first sending ended in `first`.
 *
 * Where that says nothing, the record does: its tag is still the one of `ifMatch`, then the change is sent once
 * more under it; it holds everything wanted, then it was made; else nobody can tell. STALE_RECORD is said only where
 * the upstream refused the tag. Throws `UpstreamError` for what a caller cannot act on.
 */
async function settleUpdate<F extends Fields>(
  { id, ifMatch, patch, path }: Change,
  part: WritePart,
  write: Pending<F>,
  first: Answered<F>,
): Promise<Outcome<F>> {
  const made = async (answer: RecordOf<F> | null) => ({
    record: answer ?? (await seen(write, id)),
    userErrors: [],
  });
  if (!(first instanceof UpstreamError)) return made(first);
  if (first.fate !== 'unknown') {
    const error = isStale(first) ? staleRecord(first, path) : refused(first, lookHere);
    return { record: isReadable(error) ? await seen(write, id) : null, userErrors: [error] };
  }

  const unknown = (record: RecordOf<F> | null) => ({ record, userErrors: [outcomeUnknown(first, lookHere)] });
  const isBooked = write.set.booked?.some((column) => patch[column] !== undefined) ?? false;
  // A Retry-After holds for the second sending as it would for another caller's.
  const isInTime = first.retryAfterSeconds === null || (await write.pause(first));
  let second: UpstreamError | null = null;
  for (;;) {
    const record = await lookFirmly(write, id);
    if (record instanceof UpstreamError) return unknown(null);
    if (record === null) return { record, userErrors: [notFound()] };
    // Even where it holds everything: the first sending may yet arrive, and only a moved tag turns it away.
    const isResendable = record.etag === ifMatch && !isBooked && !second && isInTime;
    if (!isResendable) {
      const isMoved = record.etag !== ifMatch || isBooked;
      if (isMoved && holds(write.set, record, patch)) return { record, userErrors: [] };
      // What the upstream refused while the tag stood still was not done the first time either.
      const isRefused = record.etag === ifMatch && second?.fate === 'refused' && !isStale(second);
      const refusal = isRefused ? userErrorOf(second as UpstreamError, lookHere) : null;
      return refusal ? { record, userErrors: [refusal] } : unknown(record);
    }

    const again = await write.send(part);
    if (!(again instanceof UpstreamError)) return made(again);
    if (!isPutOff(again)) second = again;
    else if (!(await write.pause(again))) return unknown(record);
  }
}
