import { InputError } from '../errors.ts';
import { ownRound } from '../rounds.ts';

/** Where the bytes of answers on their way are counted, for a process and a caller. */
export interface ByteAccount {
  /** Counts more bytes; false where there is no room for them. */
  take(bytes: number): boolean;
  /** Ends the count of all that was taken. */
  release(): void;
}

export interface AnswerLimits {
  readonly maxRows: number;
  readonly maxBytes: number;
}

/** How many bytes are counted on the account at a time: most answers have fewer, and never ask it. */
export const takenAtOnce = 64 * 1024;
// Operations that may read more rows, or have shown more bytes, are long pieces of work.
const manyRows = 500;
const manyBytes = 256 * 1024;

/**
 * Counts the rows and bytes of an answer while it is made: whoever hands something out to be shown charges it first. At
 * the bound it throws, and ever after, so that nothing more is made of what is refused. A class, since there is one for
 * each operation, and its methods are shared.
 */
export class AnswerMeter {
  /** Why the answer ends; null as long as it does not. */
  failure: InputError | null = null;
  bytes = 0;
  rows = 0;
  readonly #limits: AnswerLimits;
  readonly #account: ByteAccount;
  readonly #mayReadMany: boolean;
  #taken = 0;
  #round: Promise<void> | null = null;

  /** `expectedRows` is how many the operation may read. */
  constructor(limits: AnswerLimits, account: ByteAccount, expectedRows: number) {
    this.#limits = limits;
    this.#account = account;
    this.#mayReadMany = expectedRows > manyRows;
  }

  /** Counts what is about to be shown. Throws `InputError` where it is too much. */
  charge(rows: number, bytes: number): void {
    this.count(rows, bytes);
    if (this.failure) throw this.failure;
  }

  /** The same for what has to be told, however much it is. */
  count(rows: number, bytes: number): void {
    this.rows += rows;
    this.bytes += bytes;
    if (this.failure) return;
    const { maxRows, maxBytes } = this.#limits;
    if (this.rows > maxRows) this.failure = new InputError(tooManyRows(maxRows), 'QUERY_TOO_COMPLEX');
    else if (this.bytes > maxBytes) this.failure = new InputError(tooLong(maxBytes), 'QUERY_TOO_COMPLEX');
    else if (this.bytes > this.#taken + takenAtOnce) this.#take();
  }

  /** When to go on with what has come; null for at once. What comes until then goes on together. */
  round(): Promise<void> | null {
    if (!this.#mayReadMany && this.bytes < manyBytes) return null;
    this.#round ??= ownRound().then(() => {
      this.#round = null;
    });
    return this.#round;
  }

  /** To be called when the answer is made. */
  release(): void {
    if (this.#taken > 0) this.#account.release();
  }

  #take(): void {
    const more = this.bytes - this.#taken;
    if (this.#account.take(more)) this.#taken += more;
    else this.failure = new InputError(noRoom, 'OVERLOADED');
  }
}

const advice = 'Ask for shorter pages or fewer fields.';
export const tooLong = (most: number) => `The answer is longer than ${most} bytes. ${advice}`;
const tooManyRows = (most: number) => `The answer has more than ${most} rows. ${advice}`;
export const noRoom =
  'Too much of what was answered is still on its way. Read it, and try again in a second.';
