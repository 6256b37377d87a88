/** Every `extensions.code` that a response can carry; docs/errors.md explains each. */
export type ErrorCode =
  | 'UNAUTHENTICATED'
  | 'FORBIDDEN'
  | 'BAD_USER_INPUT'
  | 'GRAPHQL_PARSE_FAILED'
  | 'GRAPHQL_VALIDATION_FAILED'
  | 'DOCUMENT_NOT_TRUSTED'
  | 'QUERY_TOO_COMPLEX'
  | UpstreamErrorCode
  | 'OPERATION_EXPIRED'
  | 'OVERLOADED'
  | 'RATE_LIMITED'
  | 'INTERNAL_SERVER_ERROR';

type UpstreamErrorCode =
  | 'UPSTREAM_THROTTLED'
  | 'UPSTREAM_TIMEOUT'
  | 'UPSTREAM_UNAVAILABLE'
  | 'UPSTREAM_REJECTED'
  | 'UPSTREAM_NOT_FOUND'
  | 'UPSTREAM_BAD_RESPONSE'
  | 'UPSTREAM_NOT_CONFIGURED';

export type UpstreamName = 'business' | 'instances' | 'health';

/** The error in an upstream's response, with the fields of `ErrorDetail` of area B. */
export interface ErrorDetail {
  readonly code: string | null;
  readonly message: string | null;
  readonly target: string | null;
  readonly details: readonly ErrorDetail[];
  readonly additionalInfo: readonly ErrorAdditionalInfo[];
}

export interface ErrorAdditionalInfo {
  readonly type: string | null;
  readonly info: unknown;
}

/**
 * What is known of whether a failed request was carried out: it was not sent; the upstream rejected it and did not carry
 * it out; or it was sent and nothing is known. Only the last leaves the outcome of a write unknown.
 */
export type Delivery = 'notSent' | 'rejected' | 'unknown';

/**
 * Runs code that makes errors of what a request contains or an upstream responds. They get no stack: collecting one takes
 * longer than all other work for an error, and a request may cause thousands.
 */
export function withoutStacks<Value>(run: () => Value): Value {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    return run();
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

/** An error of what a request contains or an upstream responds, not of the code. It has no stack. */
export class ExpectedError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super(message, options);
    Error.stackTraceLimit = stackTraceLimit;
  }
}

interface UpstreamErrorOptions {
  readonly upstream: UpstreamName;
  readonly delivery: Delivery;
  readonly status?: number;
  readonly detail?: ErrorDetail | null;
  readonly retryAfterSeconds?: number | null;
  readonly upstreamRequestId?: string | null;
  readonly claims?: string | null;
  readonly cause?: unknown;
}

/** An upstream rejected a request, failed, did not respond, or responded with something invalid. Callers see the message. */
export class UpstreamError extends ExpectedError {
  override readonly name = 'UpstreamError';
  readonly code: ErrorCode;
  readonly upstream: UpstreamName;
  readonly delivery: Delivery;
  /** The HTTP status, or that of the same meaning where the body tells another; null where there was no response. */
  readonly status: number | null;
  readonly detail: ErrorDetail | null;
  readonly retryAfterSeconds: number | null;
  /** The upstream's own id of the request, for its operators; null where there was no response, or none with an id. */
  readonly upstreamRequestId: string | null;
  /** What a next token has to claim: Base64 of a JSON object, as `encodeClaims` makes it. */
  readonly claims: string | null;

  constructor(code: ErrorCode, message: string, options: UpstreamErrorOptions) {
    super(message, { cause: options.cause });
    this.code = code;
    this.upstream = options.upstream;
    this.delivery = options.delivery;
    this.status = options.status ?? null;
    this.detail = options.detail ?? null;
    this.retryAfterSeconds = options.retryAfterSeconds ?? null;
    this.upstreamRequestId = options.upstreamRequestId ?? null;
    this.claims = options.claims ?? null;
  }
}

/** Returns an `UpstreamError` as a value; throws any other error, which is a bug. */
export function asUpstreamError(error: unknown): UpstreamError {
  if (error instanceof UpstreamError) return error;
  throw error;
}

/** Whether another transaction or operation held the records, so that the upstream did not carry out this one. */
export const isLockConflict = ({ delivery, code }: UpstreamError): boolean =>
  delivery === 'rejected' && code === 'UPSTREAM_UNAVAILABLE';

/** Whether a request was certainly not carried out, for a reason that may pass: the same request can be sent again. */
export const canResend = (failure: UpstreamError): boolean =>
  failure.delivery === 'notSent' || failure.status === 429 || isLockConflict(failure);

/** The caller sent something invalid; the message says what to send instead. Nothing was sent to an upstream. */
export class InputError extends ExpectedError {
  override readonly name = 'InputError';
  readonly code: ErrorCode;

  constructor(message: string, code: ErrorCode = 'BAD_USER_INPUT') {
    super(message);
    this.code = code;
  }
}
