import { asUpstreamError, canResend, UpstreamError } from '../../errors.ts';
import { mergeObjects } from '../../graph/selected-object.ts';
import type { Selection } from '../../graph/selection.ts';
import type { UserError } from '../../graph/user-errors.ts';
import { classifyAbsence } from '../../http/absence.ts';
import type { Access } from '../../http/auth/access.ts';
import type { UpstreamClient } from '../../http/client.ts';
import { badResponseError } from '../../http/errors.ts';
import type { UpstreamResponse } from '../../http/response.ts';
import { apiRoot, type CallResult, trySend, type WritePart } from '../../odata/batch.ts';
import {
  buildQueryString,
  parseCollection,
  parseEntity,
  quoteString,
  requireCollection,
} from '../../odata/collection.ts';
import { type Deadline, startDeadline } from '../../runtime/deadline.ts';
import { findSetFailure } from '../reading/absence.ts';
import type { ExpansionPlanner } from '../reading/expansions.ts';
import type { Reads, RecentWrites } from '../reading/reads.ts';
import { parseRecord, requireRecordId } from '../reading/row-parser.ts';
import { appendQuery, recordPath } from '../reading/views.ts';
import { columnName } from '../record-sets/columns.ts';
import type { Dialect } from '../record-sets/dialect.ts';
import { type BusinessRecord, type RecordSet, toUpstreamCode } from '../record-sets/record-set.ts';
import type { ClientSuppliedIds } from './client-supplied-ids.ts';
import { acceptedFailure } from './outcomes.ts';
import { createBackoff, createRetryWindow } from './retry-window.ts';
import { selectInput, type WriteBody, type WriteInput } from './write-fields.ts';

/** The record of a write. */
export interface WriteTarget {
  readonly companyId: string;
  /** For a create, the id that the caller chose; null if Tributary or the upstream chooses one. */
  readonly id: string | null;
  /** The id of its owner, if its set has an `ownerSet`. */
  readonly ownerId?: string | undefined;
  /** The path from the mutation's `input` to the fields of this record. */
  readonly path: readonly string[];
  /** Errors of the input that are already known. */
  readonly faults?: readonly UserError[];
}

/** A write, to be sent as a part of a batch or as a separate call. */
export interface RecordPart extends WritePart {
  /** The API root. A batch has parts of one root only. */
  readonly root: string;
}

/** The result of one attempt or read: a record; the failure; or null for a success without a record or a missing record. */
export type AttemptResult = BusinessRecord | null | UpstreamError;

/**
 * One write that is being sent and settled. Its reads go to the primary, and select the fields of the operation and of the
 * input. No method throws `UpstreamError`: failures are values.
 */
export interface PendingWrite {
  /** Parses the result of an attempt. A record with another id is a failure. */
  parse(answer: CallResult): AttemptResult;
  /** Sends the write again, within the retry window. */
  send(part: RecordPart): Promise<CallResult>;
  /** Waits after a failure; false if the backoff of this write is used up. */
  pause(failure: UpstreamError): Promise<boolean>;
  /** Reads the record with this id; null for a 404, which proves absence only if `isSetReadable`. */
  readById(id: string): Promise<AttemptResult>;
  /** Reads the record with this number, which is unique in its set; null if none is found. */
  readByNumber(number: string): Promise<AttemptResult>;
  /** Whether a list shows that the owner does not exist; false for records without an owner. */
  isOwnerAbsent(): Promise<boolean>;
  /** Repeats a failed read with backoff. Use it if the outcome of the write depends on the result. */
  withRetry(read: () => Promise<AttemptResult>): Promise<AttemptResult>;
  /** Reads the set, with retries. Returns null if it can be read; otherwise the last error. */
  findSetFailure(): Promise<UpstreamError | null>;
  /** Whether the set can be read, with retries. Only then does a 404 prove that a record does not exist. */
  isSetReadable(): Promise<boolean>;
}

/** The state that all writes of one mutation share. */
export interface RecordWriter {
  readonly dialect: Dialect;
  readonly clientSuppliedIds: ClientSuppliedIds;
  /** False in a transaction: no write of a transaction is sent again by itself. */
  readonly mayResend: boolean;
  /** The `$expand` query string of a create, or ''. */
  expandQuery(set: RecordSet): string;
  /** Begins a write of the fields of `input`. */
  beginWrite(set: RecordSet, target: WriteTarget, input: WriteInput): PendingWrite;
}

export interface BusinessWriteOptions {
  readonly client: UpstreamClient;
  readonly dialect: Dialect;
  readonly clientSuppliedIds: ClientSuppliedIds;
  readonly recentWrites: RecentWrites;
}

/** `BusinessWriteOptions` with the state of one request. */
export interface WriteContext extends BusinessWriteOptions {
  readonly access: Access;
  readonly planner: ExpansionPlanner;
  readonly reads: Reads;
  readonly selection: Selection;
}

/** Sends a write as a separate call, and returns an `UpstreamError` as a value. */
export const sendPart = (
  { client, access }: Pick<WriteContext, 'client' | 'access'>,
  { root, url, ...call }: RecordPart,
  deadline?: Deadline,
): Promise<CallResult> =>
  trySend(client, access, { ...call, path: `${root}/${url}`, kind: 'write', ...(deadline && { deadline }) });

export function createRecordWriter(context: WriteContext, mayResend: boolean): RecordWriter {
  const { dialect, planner, clientSuppliedIds, reads, selection } = context;
  const retryWindow = createRetryWindow();
  const withinWindow = async <Value>(run: (deadline: Deadline) => Promise<Value>): Promise<Value> => {
    const deadline = startDeadline(retryWindow.remainingMs());
    return run(deadline).finally(() => deadline.end());
  };
  return {
    dialect,
    clientSuppliedIds,
    mayResend,
    expandQuery(set) {
      const { $expand } = planner.planForWrite(set, selection.ofType(set.type)).options;
      return dialect.supportsExpandOnCreate ? buildQueryString({ $expand }) : '';
    },
    beginWrite(set, { companyId, id: ownId, ownerId }, input) {
      const pause = createBackoff(retryWindow);
      const selected = mergeObjects(selection.ofType(set.type), selectInput(set, input));
      const view = planner.planForWrite(set, selected);
      // `invalidate` sends the read to the primary, and keeps it from joining one in flight.
      const readPrimary = (path: string) => {
        reads.invalidate();
        return withinWindow((deadline) => reads.get(path, { keys: 1, kind: 'poll', deadline }));
      };
      const withRetry = async <Value>(
        read: () => Promise<Value | UpstreamError>,
        isFinal = isPermanent,
      ): Promise<Value | UpstreamError> => {
        for (;;) {
          const result = await read();
          if (!(result instanceof UpstreamError)) return result;
          if (isFinal(result) || !(await pause(result))) return result;
        }
      };
      const findFailure = () => {
        reads.invalidate();
        const collection = recordPath(set, companyId, undefined, ownerId);
        return withinWindow((deadline) =>
          findSetFailure(reads, collection, ownId, { kind: 'poll', deadline }),
        );
      };
      const findFailureWithRetry = () =>
        withRetry(findFailure, (failure) => isPermanent(failure) || classifyAbsence(failure) === 'possible');

      return {
        pause,
        send: (part) => withinWindow((deadline) => sendPart(context, part, deadline)),
        withRetry,
        findSetFailure: findFailureWithRetry,
        isSetReadable: async () => (await findFailureWithRetry()) === null,
        parse(answer) {
          if (answer instanceof UpstreamError) return answer;
          if (answer.status === 202) return acceptedFailure();
          if (answer.body === null) return isBodyOptional(answer) ? null : emptyResponse(answer);
          try {
            const record = parseRecord(view, parseEntity('business', answer), companyId);
            return ownId === null ? record : requireRecordId(record, ownId);
          } catch (error) {
            return asUpstreamError(error);
          }
        },
        async readById(id) {
          const path = appendQuery(recordPath(set, companyId, id, ownerId), view);
          try {
            const answer = await readPrimary(path);
            return requireRecordId(parseRecord(view, parseEntity('business', answer), companyId), id);
          } catch (error) {
            return classifyAbsence(error) === 'unproven' ? asUpstreamError(error) : null;
          }
        },
        async isOwnerAbsent() {
          if (ownerId === undefined || set.ownerSet === undefined) return false;
          const owners = recordPath({ ...set, entitySet: set.ownerSet }, companyId);
          const query = buildQueryString({ $filter: `id eq ${ownerId}`, $top: '1', $select: 'id' });
          const answer = await readPrimary(owners + query).catch(asUpstreamError);
          return !(answer instanceof UpstreamError) && parseCollection(answer.body)?.value.length === 0;
        },
        async readByNumber(number) {
          const name = columnName(set, dialect, 'number');
          const $filter = `${name} eq ${quoteString(toUpstreamCode(number))}`;
          const path = appendQuery(recordPath(set, companyId), view, { $filter, $top: '1' });
          try {
            const answer = await readPrimary(path);
            const rows = requireCollection('business', answer).value;
            // The upstream may compare by the rules of a language, and find a number that differs from this one.
            const row = rows.find((found) => toUpstreamCode(String(found[name])) === toUpstreamCode(number));
            return row ? parseRecord(view, row, companyId) : null;
          } catch (error) {
            return asUpstreamError(error);
          }
        },
      };
    },
  };
}

// A successful response to a write need not contain the record: 204, and 200 and 201 of some services.
const isBodyOptional = ({ status }: UpstreamResponse): boolean =>
  status === 200 || status === 201 || status === 204;

const emptyResponse = (response: UpstreamResponse) =>
  badResponseError('business', 'The upstream responded without the record.', response);

/** `suffix` is appended to the record's path: a query string, or the name of an action. */
export function buildWritePart(
  method: WritePart['method'],
  set: RecordSet,
  { companyId, id, ownerId }: Omit<WriteTarget, 'path'>,
  {
    ifMatch,
    body,
    suffix = '',
  }: { readonly ifMatch?: string; readonly body?: WriteBody; readonly suffix?: string },
): RecordPart {
  const root = apiRoot(set.route);
  return {
    root,
    method,
    url: recordPath(set, companyId, id ?? undefined, ownerId).slice(root.length + 1) + suffix,
    headers: ifMatch === undefined ? {} : { 'if-match': ifMatch },
    ...(body && { body }),
  };
}

/** Reads the record once. Returns null for a failure, which must not hide or delay the outcome of the write. */
export async function readOrNull(write: PendingWrite, id: string): Promise<BusinessRecord | null> {
  const record = await write.readById(id);
  return record instanceof UpstreamError ? null : record;
}

/** Whether a retry would be rejected again. Not a missing route: routes of the real service can be missing briefly. */
const isPermanent = (failure: UpstreamError): boolean =>
  failure.delivery === 'rejected' && !canResend(failure) && failure.code !== 'UPSTREAM_NOT_FOUND';
