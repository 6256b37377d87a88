import type { Area } from '../journal.ts';

/**
 * A fault that affects the next `times` matching requests or, with `part`, the next matching parts of batches.
 * With `status`, the request is not executed unless `after` is set.
 */
export interface Fault {
  /** Under which it is listed and removed. */
  readonly id?: number;
  /** The kind that it was added by. Fields that were given beside it take precedence. */
  readonly kind?: FaultKindName;
  readonly area?: Area;
  readonly method?: string;
  readonly path?: string;
  /** Delays the response. The request is executed before the delay. */
  readonly delayMs?: number;
  /** Delays the execution, and so the response. The request is executed even when its caller has disconnected. */
  readonly lateMs?: number;
  readonly status?: number;
  /** Executes the request before responding with `status`, like a gateway that loses the response. */
  readonly after?: boolean;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly bytes?: number;
  readonly cutAt?: number;
  readonly reset?: 'before' | 'after';
  readonly part?: boolean;
  /** Omits the part from the response of its batch. With `before`, it is not executed either. */
  readonly missing?: boolean | 'before';
  /** Executes the request twice, like an intermediary that delivers it twice, and returns the second response. */
  readonly repeat?: boolean;
  /** Hides the created record from reads for this long. */
  readonly unseenMs?: number;
  /** Sends an unrequested `100 Continue` before the response. */
  readonly interim?: boolean;
  /** Closes the connection this long after the response. */
  readonly closeAfterMs?: number;
  times: number;
}

/** A kind of failure, as random faults and the control API name it. */
interface FaultKind {
  /** What happens to the request; begins with whether it is executed. */
  readonly description: string;
  /** True for kinds that random faults have only when named, so that adding a kind does not change the faults of a seed. */
  readonly isOptIn?: true;
  /** What it can affect. `all` are requests and parts of batches, which have no connection of their own. */
  readonly affects: 'all' | 'requests' | 'parts';
  /** The `share` is from 0 to 199. */
  fault(draw: { readonly share: number; readonly slowMs: number }): Omit<Fault, 'times'>;
}

/** `slowMs`, unless it is given. */
export const usualSlowMs = 1_000;

const errorBody = (code: string, message: string): Pick<Fault, 'body'> => ({
  body: { error: { code, message } },
});

const internalError = errorBody('Internal_ServerError', 'An error occurred.');
const unavailable = errorBody('ServiceUnavailable', 'The service is unavailable.');

const kinds = {
  resetBefore: {
    description: 'Not executed: the connection is reset.',
    affects: 'requests',
    fault: () => ({ reset: 'before' }),
  },
  resetAfter: {
    description: 'Executed: the connection is reset instead of a response.',
    affects: 'requests',
    fault: () => ({ reset: 'after' }),
  },
  error500: {
    description: 'Not executed: 500.',
    affects: 'all',
    fault: () => ({ status: 500, ...internalError }),
  },
  error500After: {
    description: 'Executed: responds with 500.',
    affects: 'all',
    fault: () => ({ status: 500, after: true, ...internalError }),
  },
  error503: {
    description: 'Not executed: 503.',
    affects: 'all',
    fault: () => ({ status: 503, ...unavailable }),
  },
  throttle: {
    description: 'Not executed: 429 with Retry-After: 1; of random faults, every other one without.',
    affects: 'all',
    fault: ({ share }) => ({
      status: 429,
      ...errorBody('Application_TooManyRequests', 'Too many requests reached. Actual (101). Maximum (100).'),
      ...(share % 2 === 0 ? { headers: { 'retry-after': '1' } } : {}),
    }),
  },
  truncated: {
    description:
      'Executed: the connection is closed within the first 200 bytes of the body. A response without a body arrives complete.',
    affects: 'requests',
    fault: ({ share }) => ({ cutAt: share }),
  },
  slow: {
    description: 'Executed: the response is delayed by slowMs.',
    affects: 'requests',
    fault: ({ slowMs }) => ({ delayMs: slowMs }),
  },
  late: {
    description: 'Executed after slowMs, even when the caller has disconnected.',
    isOptIn: true,
    affects: 'requests',
    fault: ({ slowMs }) => ({ lateMs: slowMs }),
  },
  error503After: {
    description: 'Executed: responds with 503.',
    isOptIn: true,
    affects: 'all',
    fault: () => ({ status: 503, after: true, ...unavailable }),
  },
  omitted: {
    description: 'Executed: the part is omitted from the response of its batch.',
    isOptIn: true,
    affects: 'parts',
    fault: () => ({ missing: true }),
  },
  omittedBefore: {
    description: 'Not executed: the part is omitted from the response of its batch.',
    isOptIn: true,
    affects: 'parts',
    fault: () => ({ missing: 'before' }),
  },
  vanished: {
    description: 'Not executed: 404, as when the route of an API is temporarily missing.',
    isOptIn: true,
    affects: 'all',
    fault: () => ({
      status: 404,
      ...errorBody('BadRequest_NotFound', 'No HTTP resource was found that matches the request URI.'),
    }),
  },
  noEnvironment: {
    description: 'Not executed: 404 with XML, as for an environment that does not exist.',
    isOptIn: true,
    affects: 'requests',
    fault: () => ({
      status: 404,
      headers: { 'content-type': 'application/xml; charset=utf-8' },
      body: '<?xml version="1.0" encoding="utf-8"?><error xmlns="http://docs.oasis-open.org/odata/ns/metadata"><code>NoEnvironment</code><message>Environment does not exist.</message></error>',
    }),
  },
  forbidden500: {
    description: 'Not executed: a missing permission, reported as 500.',
    isOptIn: true,
    affects: 'all',
    fault: () => ({
      status: 500,
      ...errorBody(
        'Internal_ServerError',
        'Sorry, the current permissions prevented the action. (TableData 18 Customer Read: Base Application)',
      ),
    }),
  },
  repeated: {
    description: 'Executed twice: returns the second response.',
    isOptIn: true,
    affects: 'requests',
    fault: () => ({ repeat: true }),
  },
  unseen: {
    description: 'Executed: the connection is reset, and reads do not show the created record for slowMs.',
    isOptIn: true,
    affects: 'requests',
    fault: ({ slowMs }) => ({ reset: 'after', unseenMs: slowMs }),
  },
  interim: {
    description: 'Executed: an unrequested 100 Continue precedes the response.',
    isOptIn: true,
    affects: 'requests',
    fault: () => ({ interim: true }),
  },
  idleClose: {
    description: 'Executed: the connection is closed up to 19 ms after the response.',
    isOptIn: true,
    affects: 'requests',
    fault: ({ share }) => ({ closeAfterMs: share % 20 }),
  },
} as const satisfies Readonly<Record<string, FaultKind>>;

export type FaultKindName = keyof typeof kinds;

/** The kinds by name. */
export const faultKinds: Readonly<Record<FaultKindName, FaultKind>> = kinds;

/** Names of all kinds, in the order in which random faults number them. */
export const faultKindNames = Object.keys(kinds) as readonly FaultKindName[];

/** The names of the kinds that can affect a part of a batch, or a request as a whole. */
export const kindsOf = (affected: 'requests' | 'parts'): readonly FaultKindName[] =>
  faultKindNames.filter((name) => ['all', affected].includes(faultKinds[name].affects));
