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
import { primaryReadHeaders } from '../record-sets/dialect.ts';

/** Reads of area A for one request. Equal reads in flight are shared; reads of one event-loop turn are coalesced. */
export interface Reads {
  /** Returns the response to a GET of this path. Throws `UpstreamError`. */
  get(path: string, options?: ReadOptions): Promise<UpstreamResponse>;
  /** Calls `callback` after pending microtasks, just before the flush. Reads that it requests join the flush. */
  beforeFlush(callback: () => void): void;
  /** Sends the reads of the next flush as one batch, even if there are only two. */
  joinNext(): void;
  /** Names of the query parameters in the upstream's configured URL, in lower case. Every read has them. */
  readonly addedParameters: ReadonlySet<string>;
  /** Call it after every write: later reads share no read that started before. */
  invalidate(): void;
}

export interface ReadOptions {
  /** The maximum number of rows of a page; the upstream's default if undefined. */
  readonly size?: number | undefined;
  /** The number of keys that the read looks up; for explanations and metrics. */
  readonly keys?: number | undefined;
  /** Reads of the same group are sent as one batch, such as a lookup with more keys than fit into one filter. */
  readonly group?: object | undefined;
  /** How the relations of the rows are read; for explanations only. */
  readonly relations?: (() => readonly ExplainedRelation[]) | undefined;
  /** A `poll` is never retried, because its caller repeats it. */
  readonly kind?: 'read' | 'poll' | undefined;
  /** Default: the request's deadline. */
  readonly deadline?: Deadline;
}

/** Which callers wrote to which companies within the read-after-write window. */
export interface RecentWrites {
  /** Restarts a caller's window in a company. Call it before a write is sent, and after it has ended, also with a failure. */
  mark(person: string, companyId: string): void;
  /** Returns the sequence number of the last mark within the window, or 0. Does not extend the window. */
  markOf(person: string, companyId: string): number;
  /** Returns the sequence number of the last mark of any caller. */
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

// The parts of a batch run in sequence, calls in parallel. Above four reads, a batch is faster because it saves round trips.
const maxParallelReads = 4;

const noParameters: ReadonlySet<string> = new Set();
const resolvedPromise = Promise.resolve();

// A request that reads the primary shares no read with another request: its number is part of the key of its reads.
let primaryRequests = 0;

/**
 * Collects reads until pending microtasks have run, then sends up to four in parallel, and more as batches. Reads go to the
 * primary if `isPrimary` is set, or if the caller wrote to the company within the read-after-write window.
 */
export function createReads(
  { client, inFlight, recentWrites, addedParameters = noParameters }: ReadsOptions,
  access: Access,
  isPrimary = false,
): Reads {
  let isInvalidated = false;
  // A read that started before this request may miss a write that the caller made through another replica.
  const primaryRequest = isPrimary ? ++primaryRequests : 0;
  let waiting: PendingRead[] = [];
  const callbacks: (() => void)[] = [];
  let isScheduled = false;
  let isJoined = false;

  const sendOne = ({ path, headers, kind, deadline, keys, relations, resolve, reject }: PendingRead) => {
    const call = { method: 'GET', path, access, headers, kind, deadline, keys, relations } as const;
    client.send(call).then(resolve, reject);
  };

  const sendBatch = async (root: string, reads: readonly PendingRead[]) => {
    const batch = {
      parts: reads.map((read) => ({ url: read.path.slice(root.length + 1), ...read })),
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
    for (const callback of callbacks.splice(0)) callback();
    isScheduled = false;
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
    if (!isScheduled) void resolvedPromise.then(() => process.nextTick(flush));
    isScheduled = true;
  };

  return {
    addedParameters,
    get(path, { size, keys, group, relations, kind = 'read', deadline: until } = {}) {
      const companyId = companyIdIn(path);
      const mark = companyId === null ? 0 : recentWrites.markOf(access.person, companyId);
      // The mark is part of the key, so that a read after a write does not share one that started before the write.
      const key = `${kind} ${size} ${isInvalidated} ${primaryRequest} ${mark} ${path}`;
      const headers = {
        ...(size !== undefined && { prefer: `odata.maxpagesize=${size}` }),
        ...((isInvalidated || isPrimary || mark > 0) && primaryReadHeaders),
      };
      return inFlight.share(access, key, until ?? access.deadline, (deadline) => {
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
    beforeFlush(callback) {
      schedule();
      callbacks.push(callback);
    },
    invalidate() {
      inFlight.detach();
      isInvalidated = true;
    },
  };
}

/** Single-flight of identical reads of area A. */
export interface SharedReads {
  /**
   * Returns the response to a running read with the same principal, languages and key; otherwise starts one. `start` gets the
   * latest deadline of all waiters. The languages matter because failures are shared, too, and error messages are
   * translated. Rejects with an `UpstreamError` when the waiter's own deadline expires.
   */
  share(
    access: Access,
    key: string,
    deadline: Deadline | null,
    start: (deadline: Deadline) => Promise<UpstreamResponse>,
  ): Promise<UpstreamResponse>;
  /** Stops sharing the reads started so far: after a write they may return the old state. */
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
    share(access, key, deadline, start) {
      const fullKey = `${access.principal} ${access.language ?? ''}/${key}`;
      return (reads.get(fullKey) ?? reads.start(fullKey, start)).wait(deadline, rejectLate);
    },
    detach: () => reads.detach(),
  };
}
