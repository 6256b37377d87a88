import { UpstreamError } from '../../errors.ts';
import type { Access } from '../../http/auth/access.ts';
import type { ExplainedRelation } from '../../http/call.ts';
import type { UpstreamClient } from '../../http/client.ts';
import type { UpstreamResponse } from '../../http/response.ts';
import {
  apiRootOf,
  type CallResult,
  companyIdIn,
  maxBatchParts,
  type ReadPart,
  sendReadBatch,
} from '../../odata/batch.ts';
import { type Deadline, latestDeadline } from '../../runtime/deadline.ts';
import { type OnLate, SingleFlight } from '../../runtime/single-flight.ts';
import { primaryReadHeaders } from '../dialect.ts';

/** Reads of area A for one request. Equal reads in flight are joined; reads of one event-loop turn are coalesced. */
export interface Reads {
  /** Returns the response to a GET of this path. Throws `UpstreamError`. */
  get(path: string, options?: ReadOptions): Promise<UpstreamResponse>;
  /** Calls `act` after pending microtasks, just before the flush, so that reads it requests join the flush. */
  beforeFlush(act: () => void): void;
  /** Sends the reads of the next flush as one batch, however few they are. */
  joinNext(): void;
  /** Names of query parameters that the address of the upstream adds to every read, in lower case. */
  readonly addedParameters: ReadonlySet<string>;
  /** Call it after every write: later reads join no read that started before. */
  invalidate(): void;
}

export interface ReadOptions {
  /** How many rows a page may have; the upstream's own choice when left out. */
  readonly size?: number | undefined;
  /** Number of keys that the read looks up; for explanations and metrics. */
  readonly keys?: number | undefined;
  /** Reads with the same group are one call: the parts of a lookup by more keys than fit into one filter. */
  readonly group?: object | undefined;
  /** How the relations of its rows are read; shown by explain only. */
  readonly relations?: (() => readonly ExplainedRelation[]) | undefined;
  /** A `poll` is never retried, because its caller repeats it. */
  readonly kind?: 'read' | 'poll';
  /** The request's deadline by default. */
  readonly deadline?: Deadline;
}

/** Which callers wrote to which companies within the read-after-write window. */
export interface RecentWrites {
  /** Restarts a caller's window in a company. Call it before a write is sent, and when it has ended, however it ended. */
  mark(person: string, companyId: string): void;
  /** Returns the number of the last mark within the window, higher for later marks, or 0. Extends no window. */
  markOf(person: string, companyId: string): number;
  /** Returns the number of marks of all callers so far. */
  marks(): number;
}

export interface ReadsOptions {
  readonly client: UpstreamClient;
  readonly inFlight: SharedReads;
  readonly recentWrites: RecentWrites;
  /** As in `Reads`; none by default. */
  readonly addedParameters?: ReadonlySet<string>;
}

interface PendingRead extends Omit<ReadPart, 'url'> {
  readonly path: string;
  readonly group: object | undefined;
  readonly relations: (() => readonly ExplainedRelation[]) | undefined;
  readonly kind: 'read' | 'poll';
  readonly deadline: Deadline;
  resolve(answer: UpstreamResponse): void;
  reject(error: unknown): void;
}

// Parts of a batch run in sequence, calls in parallel; above four reads the saved round trips outweigh that.
const maxParallelReads = 4;

const noParameters: ReadonlySet<string> = new Set();
const resolvedPromise = Promise.resolve();

// Numbers requests that read the primary: their reads join no read of another request.
let primaryRequests = 0;

/**
 * Collects reads until pending microtasks have run, then sends up to four in parallel, more as batches. Reads ask for
 * the primary if `isPrimary`, or if the caller wrote to their company within the window.
 */
export function createReads(
  { client, inFlight, recentWrites, addedParameters = noParameters }: ReadsOptions,
  access: Access,
  isPrimary = false,
): Reads {
  let isFresh = false;
  // A read that started before this request may miss a write that the caller made through another replica.
  const own = isPrimary ? ++primaryRequests : 0;
  let waiting: PendingRead[] = [];
  const acts: (() => void)[] = [];
  let isDue = false;
  let isJoined = false;

  const sendOne = ({ resolve, reject, group: _group, ...call }: PendingRead) => {
    client.send({ method: 'GET', access, ...call }).then(resolve, reject);
  };

  const sendBatch = async (root: string, reads: readonly PendingRead[]) => {
    const batch = {
      parts: reads.map((read) => ({ ...read, url: read.path.slice(root.length + 1) })),
      kind: reads.every(({ kind }) => kind === 'poll') ? ('poll' as const) : ('read' as const),
      deadline: latestDeadline(reads.map(({ deadline }) => deadline)),
    };
    try {
      const answers = await sendReadBatch(client, root, access, batch);
      for (const [index, read] of reads.entries()) {
        const answer = answers[index] as CallResult;
        if (answer instanceof Error) read.reject(answer);
        else read.resolve(answer);
      }
    } catch (error) {
      for (const read of reads) read.reject(error);
    }
  };

  const flush = () => {
    for (const act of acts.splice(0)) act();
    isDue = false;
    const reads = waiting;
    waiting = [];
    const groups = new Set(reads.map((read) => read.group ?? read));
    const isBatch = isJoined || groups.size > maxParallelReads;
    isJoined = false;
    if (isBatch) return sendAsBatches(reads);
    for (const group of groups) {
      const [first, ...others] = reads.filter((read) => (read.group ?? read) === group);
      if (first && others.length === 0) sendOne(first);
      else if (first) sendAsBatches([first, ...others]);
    }
  };

  const sendAsBatches = (reads: readonly PendingRead[]) => {
    for (const root of new Set(reads.map(({ path }) => apiRootOf(path)))) {
      const ofRoot = reads.filter(({ path }) => apiRootOf(path) === root);
      for (let start = 0; start < ofRoot.length; start += maxBatchParts) {
        const some = ofRoot.slice(start, start + maxBatchParts);
        if (some.length === 1) sendOne(some[0] as PendingRead);
        else void sendBatch(root, some);
      }
    }
  };

  // A microtask, then `nextTick`: runs after pending microtasks, so that reads they request join this flush.
  const schedule = () => {
    if (!isDue) void resolvedPromise.then(() => process.nextTick(flush));
    isDue = true;
  };

  return {
    addedParameters,
    get(path, { size, keys, group, relations, kind = 'read', deadline: until } = {}) {
      const companyId = companyIdIn(path);
      const mark = companyId === null ? 0 : recentWrites.markOf(access.person, companyId);
      // The mark is part of the name: a read that started before the last write is not joined after it.
      const name = `${kind} ${size} ${isFresh} ${own} ${mark} ${path}`;
      const headers = {
        ...(size !== undefined && { prefer: `odata.maxpagesize=${size}` }),
        ...((isFresh || isPrimary || mark > 0) && primaryReadHeaders),
      };
      return inFlight.share(access, name, until ?? access.deadline, (deadline) => {
        return new Promise((resolve, reject) => {
          schedule();
          waiting.push({ path, headers, keys, group, relations, kind, deadline, resolve, reject });
        });
      });
    },
    joinNext() {
      schedule();
      isJoined = true;
    },
    beforeFlush(act) {
      schedule();
      acts.push(act);
    },
    invalidate() {
      inFlight.detach();
      isFresh = true;
    },
  };
}

/** Joins identical reads of area A that are running at the same time. */
export interface SharedReads {
  /**
   * Returns the response to a running read with the same principal, languages and name; else starts one. `start` gets the
   * latest deadline of all waiters. The languages count because the upstream's error messages depend on them, and a failure
   * is shared too. Rejects with an `UpstreamError` when the waiter's own deadline expires.
   */
  share(
    access: Access,
    name: string,
    deadline: Deadline | null,
    start: (deadline: Deadline) => Promise<UpstreamResponse>,
  ): Promise<UpstreamResponse>;
  /** Lets nobody join the reads started so far: after a write they may return the old state. */
  detach(): void;
}

export function createSharedReads(): SharedReads {
  const reads = new SingleFlight<UpstreamResponse>({ until: 'latest' });

  const rejectLate: OnLate<UpstreamResponse> = (read, _resolve, reject) => {
    read.leave();
    reject(
      new UpstreamError('UPSTREAM_TIMEOUT', 'The upstream did not respond in time.', {
        upstream: 'business',
        delivery: 'unknown',
      }),
    );
  };

  return {
    share(access, name, deadline, start) {
      const key = `${access.principal} ${access.language ?? ''}/${name}`;
      return (reads.get(key) ?? reads.start(key, start)).wait(deadline, rejectLate);
    },
    detach: () => reads.detach(),
  };
}
