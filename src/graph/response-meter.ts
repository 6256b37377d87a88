import { InputError } from '../errors.ts';

/** Limits the bytes of responses that are not sent yet, per process and per caller. */
export interface ByteBudget {
  /** Reserves more bytes. Returns false if the limit is reached. */
  reserve(bytes: number): boolean;
  /** Releases the reserved bytes except `kept` of them. */
  release(kept?: number): void;
  /** Resolves when the cooperative queue gives the caller its next turn for long work. */
  waitForTurn(): Promise<void>;
}

export interface ResponseLimits {
  readonly maxRows: number;
  readonly maxBytes: number;
}

/** Bytes are reserved in steps of this size. Most responses are smaller and reserve none. */
export const reservationBytes = 64 * 1024;
// An operation above one of these thresholds is long work, and takes turns on the event loop with others.
const longWorkRows = 500;
const longWorkBytes = 256 * 1024;
// An estimate: an error has a message, a path, a location, a code and an id, and often the upstream's own error.
const errorBytes = 500;

/**
 * Counts the rows and bytes of a response while it is built. Above a limit, every check throws, which ends the operation. A
 * class, so that the instances, one per operation, share their methods.
 */
export class ResponseMeter {
  /** The error of the limit that was exceeded; null below all limits. */
  failure: InputError | null = null;
  bytes = 0;
  rows = 0;
  readonly #limits: ResponseLimits;
  readonly #byteBudget: ByteBudget;
  readonly #mayReadMany: boolean;
  #reserved = 0;

  /** `expectedRows` is the upper bound of rows that the operation reads. */
  constructor(limits: ResponseLimits, byteBudget: ByteBudget, expectedRows: number) {
    this.#limits = limits;
    this.#byteBudget = byteBudget;
    this.#mayReadMany = expectedRows > longWorkRows;
  }

  /** Throws an `InputError` above a limit. */
  assertWithinLimits(): void {
    this.checkLimits();
    if (this.failure) throw this.failure;
  }

  /** As `assertWithinLimits`, but only sets `failure`, for results that must be returned at any size. */
  checkLimits(): void {
    if (this.failure) return;
    const { maxRows, maxBytes } = this.#limits;
    if (this.rows > maxRows)
      this.failure = new InputError(responseTooManyRowsMessage(maxRows), 'QUERY_TOO_COMPLEX');
    else if (this.bytes > maxBytes)
      this.failure = new InputError(responseTooLongMessage(maxBytes), 'QUERY_TOO_COMPLEX');
    else if (this.bytes > this.#reserved + reservationBytes) this.#reserveMore();
  }

  /** Counts errors as rows, because each is an object of the response. Call it before the errors are formatted. */
  addErrors(count: number): void {
    this.rows += count;
    this.bytes += count * errorBytes;
    this.checkLimits();
  }

  /** Whether the operation has to take turns on the event loop. */
  isLongWork(): boolean {
    return this.#mayReadMany || this.bytes >= longWorkBytes;
  }

  /** Resolves when the operation may continue. */
  waitForTurn(): Promise<void> {
    return this.#byteBudget.waitForTurn();
  }

  /** Releases the reserved bytes. Call it after the response is built. */
  release(): void {
    if (this.#reserved > 0) this.#byteBudget.release();
  }

  #reserveMore(): void {
    const more = this.bytes - this.#reserved;
    if (this.#byteBudget.reserve(more)) this.#reserved += more;
    else this.failure = new InputError(responseBacklogMessage, 'OVERLOADED');
  }
}

const advice = 'Request shorter pages or fewer fields.';
export const responseTooLongMessage = (most: number) =>
  `The response is larger than ${most} bytes. ${advice}`;
const responseTooManyRowsMessage = (most: number) => `The response has more than ${most} rows. ${advice}`;
export const responseBacklogMessage =
  'Too many response bytes are not read yet. Read them, and retry in a second.';
