/** Every `extensions.code` a caller can meet; each has a line in docs/errors.md. */
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
  | 'UPSTREAM_BAD_RESPONSE'
  | 'UPSTREAM_NOT_CONFIGURED';

export type UpstreamName = 'business' | 'instances' | 'health';

/** What an upstream said about its refusal, in the words of the document (B: ErrorDetail). */
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
 * What became of a request: it never left, the upstream answered that it was not carried out,
 * or it left and nobody can tell. Only the last makes a write's outcome unknown.
 */
export type Fate = 'unsent' | 'refused' | 'unknown';

interface UpstreamErrorOptions {
  readonly upstream: UpstreamName;
  readonly fate: Fate;
  readonly status?: number;
  readonly detail?: ErrorDetail | null;
  readonly retryAfterSeconds?: number | null;
  readonly cause?: unknown;
}

/** An upstream refused, failed, stayed silent or made no sense. Its message is fit for a caller's eyes. */
export class UpstreamError extends Error {
  override readonly name = 'UpstreamError';
  readonly code: ErrorCode;
  readonly upstream: UpstreamName;
  readonly fate: Fate;
  readonly status: number | null;
  readonly detail: ErrorDetail | null;
  readonly retryAfterSeconds: number | null;

  constructor(code: ErrorCode, message: string, options: UpstreamErrorOptions) {
    super(message, { cause: options.cause });
    this.code = code;
    this.upstream = options.upstream;
    this.fate = options.fate;
    this.status = options.status ?? null;
    this.detail = options.detail ?? null;
    this.retryAfterSeconds = options.retryAfterSeconds ?? null;
  }
}

/** A failure of an upstream as a value; any other error is a mistake, and goes on. */
export function failureOf(error: unknown): UpstreamError {
  if (error instanceof UpstreamError) return error;
  throw error;
}

/** Whether a request was turned away for now: nothing came of it, and the same may be sent again. */
export const isPutOff = ({ fate, status }: UpstreamError): boolean => fate === 'unsent' || status === 429;

/** The caller sent something that cannot work; the message says what to send instead. Nothing went upstream. */
export class InputError extends Error {
  override readonly name = 'InputError';
  readonly code: ErrorCode;

  constructor(message: string, code: ErrorCode = 'BAD_USER_INPUT') {
    super(message);
    this.code = code;
  }
}
