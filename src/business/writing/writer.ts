import { setTimeout as sleep } from 'node:timers/promises';
import { asUpstreamError, UpstreamError } from '../../errors.ts';
import type { Selection } from '../../graph/selection.ts';
import type { UserError } from '../../graph/user-errors.ts';
import type { Access } from '../../http/auth/access.ts';
import type { UpstreamClient } from '../../http/client.ts';
import { badResponseError } from '../../http/errors.ts';
import type { UpstreamResponse } from '../../http/response.ts';
import { apiRoot } from '../../odata/api-path.ts';
import { type CallResult, trySend, type WritePart } from '../../odata/batch.ts';
import { buildQueryString, parseEntity } from '../../odata/collection.ts';
import { type Deadline, startDeadline } from '../../runtime/deadline.ts';
import type { Dialect } from '../dialect.ts';
import type { ExpansionPlanner } from '../reading/expansions.ts';
import type { Reads, RecentWrites } from '../reading/reads.ts';
import { parseRecord, requireRecordId } from '../reading/row-parser.ts';
import { createFullView, recordPath } from '../reading/views.ts';
import type { FieldKinds, RecordOf, RecordSet } from '../record-set.ts';
import type { ClientSuppliedIds } from './client-supplied-ids.ts';
import { acceptedFailure, type WriteOutcome } from './outcomes.ts';
import { decideByRecord, type RecordRules, type Settlement, settle } from './settlement.ts';
import { type AttemptResult, createVerificationReads, type VerificationReads } from './verification-reads.ts';
import type { WriteBody, WriteInput } from './write-fields.ts';

/** The record of a write. */
export interface WriteTarget {
  readonly companyId: string;
  /** Null if the upstream assigns the id. */
  readonly id: string | null;
  /** The record that it belongs to, if its set has an `ownerSet`. */
  readonly ownerId?: string | undefined;
  /** The path from the mutation's `input` to the fields of this record. */
  readonly path: readonly string[];
  /** What is wrong with the input, where that is known already. */
  readonly faults?: readonly UserError[];
}

/** A write as a part of a batch of its API, or as a call of its own. */
export interface RecordPart extends WritePart {
  /** The root of its API: a batch has parts of one API only. */
  readonly root: string;
}

/** One write that is being sent and settled. Nothing here throws `UpstreamError`: failures are values. */
export interface PendingWrite<F extends FieldKinds> extends VerificationReads<F> {
  /** Parses the result of an attempt; a record with another id is an error. */
  parse(answer: CallResult): AttemptResult<F>;
  /** Sends it again, in turn with the other writes of the mutation. */
  send(part: RecordPart): Promise<CallResult>;
  /** Waits after a failure; false if the backoff of this write is used up. */
  pause(failure: UpstreamError): Promise<boolean>;
}

/** A write that is ready to be sent, with the rules by which it is settled; or why it is not sent. */
export type PreparedWrite<F extends FieldKinds> = SentWrite<F> | { readonly faults: readonly UserError[] };

export interface SentWrite<F extends FieldKinds>
  extends RecordRules<F>,
    Omit<Settlement<RecordOf<F> | null, WriteOutcome<F>>, 'decide'> {
  readonly part: RecordPart;
  /** Whether the record can show if the write was carried out. */
  readonly canShow: boolean;
}

/** The outcome of a write whose first attempt was answered by `first`. */
export const settleWrite = <F extends FieldKinds>(
  write: SentWrite<F>,
  first: CallResult,
): Promise<WriteOutcome<F>> =>
  settle({ ...write, decide: (failure, lost) => decideByRecord(write, failure, lost) }, first);

/** What the writes of one mutation share. */
export interface RecordWriter {
  readonly dialect: Dialect;
  readonly clientSuppliedIds: ClientSuppliedIds;
  /** False in a transaction, whose writes are not sent alone. */
  readonly mayResend: boolean;
  /** The `$expand` query string of a create, or ''. */
  expandQuery(set: RecordSet): string;
  /** Begins a write of the fields of `input`. Verification reads include them besides the selection. */
  beginWrite<F extends FieldKinds>(
    set: RecordSet<F>,
    target: WriteTarget,
    input: WriteInput,
  ): PendingWrite<F>;
}

export interface RecordWriterOptions {
  readonly client: UpstreamClient;
  readonly dialect: Dialect;
  readonly planner: ExpansionPlanner;
  readonly clientSuppliedIds: ClientSuppliedIds;
  readonly recentWrites: RecentWrites;
  /** How long one attempt of a write may take. */
  readonly writeTimeoutMs: number;
}

export function createRecordWriter(
  { client, dialect, planner, clientSuppliedIds, writeTimeoutMs }: RecordWriterOptions,
  access: Access,
  reads: Reads,
  selection: Selection,
  mayResend: boolean,
): RecordWriter {
  const retryWindow = createRetryWindow(writeTimeoutMs);
  const inTime = async <Value>(act: (deadline: Deadline) => Promise<Value>): Promise<Value> => {
    const deadline = startDeadline(retryWindow.remainingMs());
    return act(deadline).finally(() => deadline.end());
  };
  // Second attempts are sent one by one, and none before a `Retry-After` is over.
  let turn: Promise<unknown> = Promise.resolve();
  const sendInTurn = ({ root, url, ...call }: RecordPart): Promise<CallResult> => {
    const sent = turn.then(() => {
      if (retryWindow.remainingMs() <= 0) return retryWindowExpired();
      return inTime((deadline) =>
        trySend(client, access, { ...call, path: `${root}/${url}`, kind: 'write', deadline }),
      );
    });
    const afterwards = async (result: CallResult) => {
      const seconds = result instanceof UpstreamError ? result.retryAfterSeconds : null;
      if (seconds) await sleep(Math.max(0, Math.min(seconds * 1_000, retryWindow.remainingMs())));
    };
    // An exception goes to the caller of this write only, and must not block the queue.
    turn = sent.then(afterwards).catch(() => {});
    return sent;
  };

  return {
    dialect,
    clientSuppliedIds,
    mayResend,
    expandQuery(set) {
      const { $expand } = planner.planForWrite(set, selection.ofType(set.type)).options;
      return dialect.supportsExpandOnCreate ? buildQueryString({ $expand }) : '';
    },
    beginWrite(set, target, input) {
      const { companyId, id } = target;
      const { pause } = createBackoff(retryWindow);
      return {
        ...createVerificationReads({ dialect, reads, planner, selection, inTime, pause }, set, target, input),
        pause,
        send: sendInTurn,
        parse(answer) {
          if (answer instanceof UpstreamError) return answer;
          if (answer.status === 202) return acceptedFailure();
          if (answer.body === null) return isBodyOptional(answer) ? null : emptyResponse(answer);
          try {
            const view = createFullView(set, dialect);
            const record = parseRecord(view, parseEntity('business', answer), companyId);
            return id === null ? record : requireRecordId(record, id);
          } catch (error) {
            return asUpstreamError(error);
          }
        },
      };
    },
  };
}

// A response to a write may leave the record out: 204, or 200 and 201 of services that write less than they may.
const isBodyOptional = ({ status }: UpstreamResponse): boolean =>
  status === 200 || status === 201 || status === 204;

const emptyResponse = (response: UpstreamResponse) =>
  badResponseError('business', 'The upstream responded without the record.', response);

export function buildWritePart(
  method: WritePart['method'],
  set: RecordSet,
  { companyId, id, ownerId }: Omit<WriteTarget, 'path'>,
  {
    ifMatch,
    body,
    query = '',
  }: { readonly ifMatch?: string; readonly body?: WriteBody; readonly query?: string },
): RecordPart {
  const root = apiRoot(set.route);
  return {
    root,
    method,
    url: recordPath(set, companyId, id ?? undefined, ownerId).slice(root.length + 1) + query,
    headers: ifMatch === undefined ? {} : { 'if-match': ifMatch },
    ...(body && { body }),
  };
}

/** The time in which the unsettled writes of one mutation are settled. */
export interface RetryWindow {
  /** Milliseconds. Zero or negative once the window is over. The first call starts the window. */
  remainingMs(): number;
}

const retryWindowMs = 60_000;

/**
 * One minute, or less if the first attempt took longer than `writeTimeoutMs` because it waited for its turn: a mutation
 * ends within `writeTimeoutMs` and a minute.
 */
export function createRetryWindow(writeTimeoutMs: number): RetryWindow {
  const latest = performance.now() + writeTimeoutMs + retryWindowMs;
  let end: number | null = null;
  return {
    remainingMs() {
      end ??= Math.min(performance.now() + retryWindowMs, latest);
      return end - performance.now();
    },
  };
}

/** Growing random pauses between the attempts to settle one write. */
export interface Backoff {
  /** Waits after a failure, at least for its `Retry-After`; false, at once, if no pause or too little time is left. */
  pause(failure: UpstreamError): Promise<boolean>;
}

const maxPauses = 10;
const firstPauseMs = 50;
const longestPauseMs = 5_000;

/** The backoff of one write: at most ten pauses, within the retry window. */
export function createBackoff(retryWindow: RetryWindow): Backoff {
  let pauses = 0;

  return {
    async pause({ retryAfterSeconds }) {
      const longest = Math.min(firstPauseMs * 2 ** pauses, longestPauseMs);
      const ms = Math.max(Math.random() * longest, (retryAfterSeconds ?? 0) * 1_000);
      pauses += 1;
      if (pauses > maxPauses || ms > retryWindow.remainingMs()) return false;
      await sleep(ms);
      return true;
    },
  };
}

/** The failure of a second attempt for which no time is left. */
const retryWindowExpired = () =>
  new UpstreamError('UPSTREAM_TIMEOUT', 'There was no time left to retry the write.', {
    upstream: 'business',
    delivery: 'notSent',
  });
