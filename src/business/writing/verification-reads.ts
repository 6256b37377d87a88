import { asUpstreamError, canResend, UpstreamError } from '../../errors.ts';
import { mergeObjects } from '../../graph/selected-object.ts';
import type { Selection } from '../../graph/selection.ts';
import { classifyAbsence } from '../../http/absence.ts';
import { badResponseError } from '../../http/errors.ts';
import { buildQueryString, parseCollection, parseEntity, quoteString } from '../../odata/collection.ts';
import type { Deadline } from '../../runtime/deadline.ts';
import { columnName } from '../columns.ts';
import type { Dialect } from '../dialect.ts';
import { findSetFailure as findFailureOfSet } from '../reading/absence.ts';
import type { ExpansionPlanner } from '../reading/expansions.ts';
import type { Reads } from '../reading/reads.ts';
import { parseRecord, requireRecordId } from '../reading/row-parser.ts';
import { appendQuery, recordPath } from '../reading/views.ts';
import { type FieldKinds, type RecordOf, type RecordSet, toUpstreamCode } from '../record-set.ts';
import { selectInput, type WriteInput } from './write-fields.ts';

/** The result of one attempt or read: a record; null, for success without a record or a missing record; or the failure. */
export type AttemptResult<F extends FieldKinds> = RecordOf<F> | null | UpstreamError;

/** Verification reads of one write, from the primary. They never throw `UpstreamError`: failures are values. */
export interface VerificationReads<F extends FieldKinds> {
  /** The current record with this id; null for a 404, which proves absence only if the set can be read. */
  readById(id: string): Promise<AttemptResult<F>>;
  /** The record with this number, which is unique in its set; null if none is found. */
  readByNumber(number: string): Promise<AttemptResult<F>>;
  /** Whether a list shows that there is no record that these belong to; false where they belong to none. */
  isOwnerAbsent(): Promise<boolean>;
  /** Repeats a read that fails, with backoff, because the outcome of the write depends on the result. */
  withRetry(read: () => Promise<AttemptResult<F>>): Promise<AttemptResult<F>>;
  /** Null if the set can be read; otherwise the last error, after retries with backoff. */
  findSetFailure(): Promise<UpstreamError | null>;
  /** Whether the set can be read, with retries. Only then does a missing record prove that it does not exist. */
  isSetReadable(): Promise<boolean>;
}

/** Where a record is: its company, and the record that it belongs to, if its set has an `ownerSet`. */
interface RecordLocation {
  readonly companyId: string;
  /** Null where the upstream assigns it. */
  readonly id: string | null;
  readonly ownerId?: string | undefined;
}

interface VerificationReadsOptions {
  readonly dialect: Dialect;
  readonly reads: Reads;
  readonly planner: ExpansionPlanner;
  readonly selection: Selection;
  /** Runs `act` with a deadline at the end of the retry window. */
  inTime<Value>(act: (deadline: Deadline) => Promise<Value>): Promise<Value>;
  /** Waits after a failure; false if the backoff of the write is used up. */
  pause(failure: UpstreamError): Promise<boolean>;
}

/** Verification reads select the operation's fields and those of the write's input. */
export function createVerificationReads<F extends FieldKinds>(
  { dialect, reads, planner, selection, inTime, pause }: VerificationReadsOptions,
  set: RecordSet<F>,
  { companyId, id: absentId, ownerId }: RecordLocation,
  input: WriteInput,
): VerificationReads<F> {
  const newView = () => {
    const selected = mergeObjects(selection.ofType(set.type), selectInput(set, input));
    return planner.planForWrite(set, selected);
  };
  // Reads the primary, and joins no read that is already in flight.
  const readPrimary = (path: string) => {
    reads.invalidate();
    return inTime((deadline) => reads.get(path, { keys: 1, kind: 'poll', deadline }));
  };

  const findSetFailure = async (): Promise<UpstreamError | null> => {
    const collection = recordPath(set, companyId, undefined, ownerId);
    for (;;) {
      reads.invalidate();
      const failure = await inTime((deadline) =>
        findFailureOfSet(reads, collection, absentId, { kind: 'poll', deadline }),
      );
      if (failure === null || isLasting(failure) || classifyAbsence(failure) === 'possible') return failure;
      if (!(await pause(failure))) return failure;
    }
  };

  return {
    findSetFailure,
    isSetReadable: async () => (await findSetFailure()) === null,
    async withRetry(read) {
      for (;;) {
        const record = await read();
        if (!(record instanceof UpstreamError)) return record;
        if (isLasting(record) || !(await pause(record))) return record;
      }
    },
    async readById(id) {
      const view = newView();
      const path = appendQuery(recordPath(set, companyId, id, ownerId), view);
      try {
        const answer = await readPrimary(path).catch(nullIfMissing);
        return answer && requireRecordId(parseRecord(view, parseEntity('business', answer), companyId), id);
      } catch (error) {
        return asUpstreamError(error);
      }
    },
    async isOwnerAbsent() {
      if (ownerId === undefined || set.ownerSet === undefined) return false;
      const owners = recordPath({ ...set, entitySet: set.ownerSet }, companyId);
      const query = buildQueryString({ $filter: `id eq ${ownerId}`, $top: '1', $select: 'id' });
      try {
        return parseCollection((await readPrimary(owners + query)).body)?.value.length === 0;
      } catch (error) {
        asUpstreamError(error);
        return false;
      }
    },
    async readByNumber(number) {
      const view = newView();
      const name = columnName(set, dialect, 'number');
      const $filter = `${name} eq ${quoteString(toUpstreamCode(number))}`;
      const path = appendQuery(recordPath(set, companyId), view, { $filter, $top: '1' });
      try {
        const answer = await readPrimary(path);
        const rows = parseCollection(answer.body)?.value;
        if (!rows)
          return badResponseError(
            'business',
            'The upstream responded with something other than a list.',
            answer,
          );
        // An upstream may compare by rules of a language, in which other numbers are equal to this one.
        const row = rows.find((found) => toUpstreamCode(String(found[name])) === toUpstreamCode(number));
        return row ? parseRecord(view, row, companyId) : null;
      } catch (error) {
        return asUpstreamError(error);
      }
    },
  };
}

function nullIfMissing(failure: unknown): null {
  if (classifyAbsence(failure) === 'unproven') throw failure;
  return null;
}

/** The current record, or null: a failure to read it must not hide or delay the outcome of the write. */
export async function readOrNull<F extends FieldKinds>(
  write: VerificationReads<F>,
  id: string,
): Promise<RecordOf<F> | null> {
  const record = await write.readById(id);
  return record instanceof UpstreamError ? null : record;
}

/** Whether a retry would be rejected again. Routes of the real service can be missing briefly. */
const isLasting = (failure: UpstreamError): boolean =>
  failure.delivery === 'rejected' && !canResend(failure) && failure.code !== 'UPSTREAM_NOT_FOUND';
