/** Every `extensions.code` that a response can carry; docs/errors.md explains each. */
export type ErrorCode =
  | 'UNAUTHENTICATED'
  | 'FORBIDDEN'
  | 'BAD_USER_INPUT'
  | 'GRAPHQL_PARSE_FAILED'
  | 'GRAPHQL_VALIDATION_FAILED'
  | 'DOCUMENT_NOT_TRUSTED'
  | 'QUERY_TOO_COMPLEX'
  | 'UPSTREAM_THROTTLED'
  | 'UPSTREAM_TIMEOUT'
  | 'UPSTREAM_UNAVAILABLE'
  | 'UPSTREAM_REJECTED'
  | 'UPSTREAM_NOT_FOUND'
  | 'UPSTREAM_BAD_RESPONSE'
  | 'UPSTREAM_NOT_CONFIGURED'
  | 'OPERATION_EXPIRED'
  | 'OVERLOADED'
  | 'RATE_LIMITED'
  | 'INTERNAL_SERVER_ERROR';

export type UpstreamName = 'business' | 'instances' | 'health';

/** The error in an upstream's response, with the fields of `ErrorDetail` of area B. */
export interface ErrorDetail {
  readonly code: string | null;
  readonly message: string | null;
  readonly target: string | null;
  readonly details: readonly ErrorDetail[];
  readonly additionalInfo: readonly { readonly type: string | null; readonly info: unknown }[];
}

/**
 * Whether a failed request may have been carried out. `notSent`: it was not sent. `rejected`: the upstream did not carry it
 * out. `unknown`: it was sent, and may have been carried out.
 */
export type Delivery = 'notSent' | 'rejected' | 'unknown';

/**
 * Runs code that creates expected errors, without their stacks: collecting a stack takes longer than all other work for an
 * error, and a request may cause thousands of errors.
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

/** An error that a request or an upstream causes, not a bug. It has no stack (`withoutStacks`). */
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
  /** The HTTP status, or the one that the error code in the body means; null without a response. */
  readonly status: number | null;
  readonly detail: ErrorDetail | null;
  readonly retryAfterSeconds: number | null;
  /** The upstream's id of the request, for its operators; null if the response has none. */
  readonly upstreamRequestId: string | null;
  /** The claims challenge for the next token: Base64 of a JSON object (`encodeClaims`). */
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

/** Whether the upstream did not carry out a request because another transaction or operation locked its records. */
export const isLockConflict = ({ delivery, code }: UpstreamError): boolean =>
  delivery === 'rejected' && code === 'UPSTREAM_UNAVAILABLE';

/** Whether a request was certainly not carried out, for a temporary reason, so that it can be sent again. */
export const canResend = (failure: UpstreamError): boolean =>
  failure.delivery === 'notSent' || failure.status === 429 || isLockConflict(failure);

/** The caller sent something invalid, and nothing was sent to an upstream. The message says what to send instead. */
export class InputError extends ExpectedError {
  override readonly name = 'InputError';
  readonly code: ErrorCode;

  constructor(message: string, code: ErrorCode = 'BAD_USER_INPUT') {
    super(message);
    this.code = code;
  }
}
