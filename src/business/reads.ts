import { UpstreamError } from '../errors.ts';
import type { Access } from '../upstream/access.ts';
import type { Answer } from '../upstream/answer.ts';
import { maxParts, type Part, readBatch } from '../upstream/batch.ts';
import type { Client } from '../upstream/client.ts';
import type { RowRange } from '../upstream/cut-rows.ts';
import { type Deadline, lastOf } from '../upstream/deadline.ts';
import type { InFlight } from '../upstream/in-flight.ts';
import type { Dialect } from './dialect.ts';

/** Reads of area A for one request: the fewest calls its own reads and those of others in flight allow. */
export interface Reads {
  /** The answer to a GET of this path. Throws `UpstreamError`. */
  get(path: string, options?: ReadOptions): Promise<Answer>;
  /** Acts when the promises of now are settled: what is asked for by then is sent with the rest. */
  onceSettled(act: () => void): void;
  /** To be called after every write: what is read from now on was not read before it. */
  startOver(): void;
}

export interface ReadOptions {
  /** The page size to ask for. */
  readonly size?: number | undefined;
  /** The rows of the answer that will be looked at; all when left out. */
  readonly rows?: RowRange | undefined;
  /** How many keys the read answers; for explanations only. */
  readonly keys?: number | undefined;
  /** `poll` where whoever asks does so again, and nothing is to be tried twice for it. */
  readonly kind?: 'read' | 'poll';
}

export interface ReadsOptions {
  readonly client: Client;
  readonly inFlight: InFlight;
  readonly dialect: Dialect;
}

interface Waiting extends Omit<Part, 'url'> {
  readonly path: string;
  readonly rows: RowRange | undefined;
  readonly kind: 'read' | 'poll';
  readonly deadline: Deadline;
  resolve(answer: Answer): void;
  reject(error: unknown): void;
}

// The parts of a batch run one after another, calls side by side; beyond four the saved trips weigh more.
const maxSideBySide = 4;

const settled = Promise.resolve();

/** Collects reads until the promises of now are settled: up to four go side by side, more as batches. */
export function createReads({ client, inFlight, dialect }: ReadsOptions, access: Access): Reads {
  let isFresh = false;
  let waiting: Waiting[] = [];
  const acts: (() => void)[] = [];
  let isDue = false;

  const sendOne = ({ path, headers, rows, keys, kind, deadline, resolve, reject }: Waiting) => {
    client
      .send({
        method: 'GET',
        path,
        access,
        headers,
        kind,
        deadline,
        ...(rows && { rows }),
        ...(keys !== undefined && { keys }),
      })
      .then(resolve, reject);
  };

  const sendBatch = async (root: string, reads: readonly Waiting[]) => {
    try {
      const parts = reads.map((read) => ({ ...read, url: read.path.slice(root.length + 1) }));
      const answers = await readBatch(client, root, access, parts, {
        kind: reads.every(({ kind }) => kind === 'poll') ? 'poll' : 'read',
        deadline: lastOf(reads.map(({ deadline }) => deadline)),
      });
      for (const [index, read] of reads.entries()) {
        const answer = answers[index] as Answer | Error;
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
    if (reads.length <= maxSideBySide) {
      for (const read of reads) sendOne(read);
      return;
    }
    for (const root of new Set(reads.map(({ path }) => rootOf(path)))) {
      const ofRoot = reads.filter(({ path }) => rootOf(path) === root);
      for (let start = 0; start < ofRoot.length; start += maxParts) {
        const some = ofRoot.slice(start, start + maxParts);
        if (some.length === 1) sendOne(some[0] as Waiting);
        else void sendBatch(root, some);
      }
    }
  };

  // Behind all that follows from what has come: every read that is going to be asked for is known then.
  const schedule = () => {
    if (!isDue) void settled.then(() => process.nextTick(flush));
    isDue = true;
  };

  return {
    get(path, { size, rows, keys, kind = 'read' } = {}) {
      const name = `${kind} ${size} ${rows?.from}-${rows?.to} ${isFresh} ${path}`;
      const headers = {
        ...(size !== undefined && { prefer: `odata.maxpagesize=${size}` }),
        ...(isFresh && dialect.primaryRead),
      };
      return inFlight.share(access, name, (deadline) => {
        return new Promise((resolve, reject) => {
          schedule();
          waiting.push({ path, headers, rows, keys, kind, deadline, resolve, reject });
        });
      });
    },
    onceSettled(act) {
      schedule();
      acts.push(act);
    },
    startOver() {
      inFlight.detach();
      isFresh = true;
    },
  };
}

// `/api/v2.0`: a batch reaches what lies below its own root.
const rootOf = (path: string) => path.split('/', 3).join('/');

/** Null for the failure of what the upstream says is not there. Throws every other one. */
export function nullWhenAbsent(failure: unknown): null {
  if (failure instanceof UpstreamError && failure.status === 404) return null;
  throw failure;
}
