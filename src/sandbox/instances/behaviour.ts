/** An `ErrorDetail` (B) as it is sent; it may hold anything at any depth. */
export type SentError = Readonly<Record<string, unknown>>;

/** An answer to a start or stop that is neither 200 nor 202. */
export interface Refused {
  readonly status: number;
  /** Sent as an ErrorResponse. */
  readonly error?: SentError;
  /** Sent as HTML, as gateways do. */
  readonly text?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Carries the action out nevertheless; `followed` adds the headers that tell where to look. */
  readonly carriedOut?: 'unseen' | 'followed';
}

/** What the polls of an operation from one to another are answered instead; the first poll is 1. */
export interface DisturbedPolls {
  readonly from: number;
  /** The last one; without it there is no end. */
  readonly to?: number;
  readonly status: number;
  readonly retryAfter?: string;
}

/**
 * How an instance answers a start or stop, and how the operation behind it goes. Everything is JSON,
 * so that it can be set at run time: see `instance-control.ts`.
 */
export interface Behaviour {
  /**
   * The first answer: 202 (`accepted`), 200 that still runs (`tracked`), 200 with the end (`done`),
   * 200 without a body (`empty`) or 202 without an address (`unfollowed`).
   */
  readonly answer: 'accepted' | 'tracked' | 'done' | 'empty' | 'unfollowed';
  /** Sent instead of the first answer. */
  readonly refusal?: Refused;
  /** Which headers tell where to look. */
  readonly follow: 'status' | 'location' | 'both';
  /** Name of the header with the address of the status, in the spelling it is sent in. */
  readonly header: string;
  /** That address, with `{origin}`, `{host}`, `{path}` and `{relative}`, the path without its first slash. */
  readonly address: string;
  /** Characters that path and query of the address have together, if it has more than usual. */
  readonly addressLength?: number;
  /** The api-version in the address. */
  readonly apiVersion: string;
  /** True when the path, too, must come back byte for byte. */
  readonly isSealed?: boolean;
  /** What `Location` answers at the end: its status, 202 for ever, or `status` for an OperationStatusResult at all times. */
  readonly result: 200 | 202 | 204 | 'status';
  /** `Retry-After` while running, empty for none, `date` for an HTTP date; by the length of a step when left out. */
  readonly retryAfter?: string;
  readonly polls?: readonly DisturbedPolls[];
  /** From this step on the status has a new address, and the old one shows no more of it. */
  readonly movesAtStep?: number;

  /** The step at which it fails; without it, it succeeds after the last. */
  readonly failsAtStep?: number;
  readonly error?: SentError;
  readonly isEndless?: boolean;
  /** The status at the end; `Succeeded` or `Failed` when left out. */
  readonly endWord?: string;
  /** The status by step while running; the last one goes on. */
  readonly words: readonly unknown[];
  /** `percentComplete` by step; a fifth of the whole for each when left out. */
  readonly percents?: readonly unknown[];
  /** How times are written: ISO 8601, with seven decimals and an offset, or with a blank for the T. */
  readonly times: 'iso' | 'seven' | 'blank';
  /** How deep operations are nested below the first ones. */
  readonly depth: number;
  /** True when id and name of the status are those of the instance. */
  readonly isSelfNamed?: boolean;
  /** Merged into the status at all times, and at the end. */
  readonly body?: Readonly<Record<string, unknown>>;
  readonly endBody?: Readonly<Record<string, unknown>>;
  /** Fields that the status does not have. */
  readonly omit?: readonly string[];

  /** Machine the instance is on; instances of one machine do one thing at a time. */
  readonly machine?: string;
  /** Status of the instance before anything is done with it. */
  readonly status: string;
  /** When and as what the instance comes to rest, where that is not what the operation says. */
  readonly settlesAtStep?: number;
  readonly settlesAs?: string;
  /** Merged into `properties` of the instance. */
  readonly properties?: Readonly<Record<string, unknown>>;
  /** True for a resource with next to nothing in it. */
  readonly isSparse?: boolean;
  /** How long a step takes here; as everywhere when left out. */
  readonly stepMs?: number;
}

/** What goes without saying: 202 with an absolute address, five steps, then `Succeeded`. */
export const usual: Behaviour = {
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

/** A named instance: what it plays, and how that departs from the usual. */
export type NamedBehaviour = readonly [about: string, differences: Partial<Behaviour>];
