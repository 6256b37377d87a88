/** An `ErrorDetail` (B) as sent. It may contain any JSON. */
export type SentError = Readonly<Record<string, unknown>>;

/** A response to a start or stop other than 200 and 202. */
export interface RejectedAction {
  readonly status: number;
  /** Sent as an ErrorResponse. */
  readonly error?: SentError;
  /** Sent as HTML, as by a gateway. */
  readonly text?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Executes the action nevertheless. `followed` adds the headers with the address of its status. */
  readonly carriedOut?: 'unseen' | 'followed';
}

/** A fault for a range of polls of an operation. The first poll is 1. */
export interface PollFault {
  readonly from: number;
  /** The last poll; none when left out. */
  readonly to?: number;
  readonly status: number;
  readonly retryAfter?: string;
}

/**
 * How an instance responds to a start or stop, and how the operation proceeds. Everything is JSON.
 */
export interface Behaviour {
  /**
   * The first response: 202 (`accepted`), 200 while running (`tracked`), 200 with the final status (`done`),
   * 200 without a body (`empty`) or 202 without an address (`unfollowed`).
   */
  readonly answer: 'accepted' | 'tracked' | 'done' | 'empty' | 'unfollowed';
  /** Sent instead of the first response. */
  readonly refusal?: RejectedAction;
  /** Which headers contain the address of the status. */
  readonly follow: 'status' | 'location' | 'both';
  /** Name, in the exact spelling, of the header with the address of the status. */
  readonly header: string;
  /**
   * Template of that address, with `{origin}`, `{host}`, `{path}` and `{relative}`, which is the path without
   * its leading slash.
   */
  readonly address: string;
  /** Minimum length of the address's path and query. */
  readonly addressLength?: number;
  /** The api-version in the address. */
  readonly apiVersion: string;
  /** True when polls must repeat the path byte by byte, too. */
  readonly isSealed?: boolean;
  /** The status of `Location` at the end. 202 never ends. `status` is an OperationStatusResult at all times. */
  readonly result: 200 | 202 | 204 | 'status';
  /** `Retry-After` while running. Empty: none; `date`: an HTTP date. Default: the duration of a step. */
  readonly retryAfter?: string;
  readonly polls?: readonly PollFault[];
  /** From this step on the status has a new address, and the old one shows no further progress. */
  readonly movesAtStep?: number;

  /** The step at which the operation fails. It succeeds when left out. */
  readonly failsAtStep?: number;
  readonly error?: SentError;
  readonly isEndless?: boolean;
  /** The final status. Default: `Succeeded` or `Failed`. */
  readonly endWord?: string;
  /** The status by step while running. The last one is used for the remaining steps. */
  readonly words: readonly unknown[];
  /** `percentComplete` by step. Default: 20 for each step. */
  readonly percents?: readonly unknown[];
  /** The form of times: ISO 8601, with seven decimals and an offset, or with a blank instead of the T. */
  readonly times: 'iso' | 'seven' | 'blank';
  /** Depth of nested operations below the first level. */
  readonly depth: number;
  /** True when `id` and `name` of the status are those of the instance. */
  readonly isSelfNamed?: boolean;
  /** `body` is merged into every status, `endBody` into the final one. */
  readonly body?: Readonly<Record<string, unknown>>;
  readonly endBody?: Readonly<Record<string, unknown>>;
  /** Fields to leave out of the status. */
  readonly omit?: readonly string[];

  /** The instance's machine. Only one instance per machine can start or stop at a time. */
  readonly machine?: string;
  /** Status of the instance before its first operation. */
  readonly status: string;
  /**
   * The step at which the instance reaches its final status, and that status, where they differ from the
   * operation's.
   */
  readonly settlesAtStep?: number;
  readonly settlesAs?: string;
  /** Merged into `properties` of the instance. */
  readonly properties?: Readonly<Record<string, unknown>>;
  /** True for a resource with few fields. */
  readonly isSparse?: boolean;
}

export const defaultBehaviour: Behaviour = {
  answer: 'accepted',
  follow: 'status',
  header: 'vendor-asyncoperation',
  address: '{origin}{path}',
  apiVersion: '2023-04-01',
  result: 204,
  words: ['Preparing System Configuration', 'InProgress'],
  times: 'iso',
  depth: 0,
  status: 'Running',
};

/** A named instance: what it is for, and how it differs from the default. */
export type NamedBehaviour = readonly [about: string, differences: Partial<Behaviour>];
