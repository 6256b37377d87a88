import type { Readable } from 'node:stream';
import type { ErrorCode } from '../errors.ts';
import type { Deadline } from '../runtime/deadline.ts';
import type { Access } from './auth/access.ts';
import type { RateLimiterState } from './resilience/rate-limiter.ts';
import type { Redact } from './response.ts';

/**
 * Decides about retries. A read may be retried, a write only if it was certainly not carried out. A poll is not retried,
 * since its caller repeats it anyway.
 */
export type CallKind = 'read' | 'write' | 'poll';

export interface UpstreamCall {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Path and query below the base address, percent-encoded, beginning with a slash. Sent byte for byte. */
  readonly path: string;
  readonly access: Access;
  readonly headers?: Readonly<Record<string, string>>;
  /** JSON text. A stream is sent as it is, and only once. */
  readonly body?: string | Readable;
  /** Default: `read`. */
  readonly kind?: CallKind;
  /** Default: the deadline of `access` for a read or poll, none for a write. */
  readonly deadline?: Deadline;
  /** How long a write may wait to be sent. Once sent, it has its full time. Default: the timeout of reads. */
  readonly waitDeadline?: Deadline;
  readonly startAttempt?: (attempt: number, redact: Redact) => AttemptObserver;
  /** Shown to callers by `tributary-explain` in place of an internal path. */
  readonly displayPath?: string;
  /** How many keys the call looks up; for explanations and metrics. */
  readonly keys?: number | undefined;
  /** How the relations of the rows are read; for explanations. */
  readonly relations?: (() => readonly ExplainedRelation[]) | undefined;
  /** The parts of a batch; for explanations and metrics. */
  readonly parts?: readonly CallPart[];
}

/** How one relation of the rows is read: expanded with the rows, or loaded by key. */
export interface ExplainedRelation {
  readonly path: string;
  readonly plan: 'EXPANDED' | 'LOADED';
}

/** One part of a batch, as explanations and metrics show it. */
export interface CallPart {
  readonly method: string;
  readonly path: string;
  readonly keys: number | undefined;
  readonly relations?: (() => readonly ExplainedRelation[]) | undefined;
  /** 0 until the batch has a response. */
  readonly status: number;
}

export interface AttemptResult {
  /** Null without a response. */
  readonly status: number | null;
  /** Null for a success. */
  readonly code: ErrorCode | null;
  /** The upstream's own id of the request, for its operators; null without one. */
  readonly upstreamRequestId: string | null;
  /** The decompressed length of the response body; null without a response. */
  readonly bytes?: number | null;
  /** How many rows the response has; null if it is not a list. */
  readonly rows?: number | null;
}

export interface AttemptObserver {
  readonly headers?: Readonly<Record<string, string>>;
  onEnd(result: AttemptResult): void;
}

export interface UpstreamState extends RateLimiterState {
  readonly isBreakerOpen: boolean;
}

export interface UpstreamObserver {
  /** Receives the function that returns the upstream's state. */
  registerState(getState: () => UpstreamState): void;
  onAttemptEnd(call: UpstreamCall, result: AttemptResult, ms: number): void;
  /** A part of a batch failed with this status, inside a 2xx response. */
  onPartRejected(status: number): void;
  /** The rate limiter let a call start after it had waited `ms`. */
  onTurn(ms: number): void;
  /** A call has to wait for the caller's quota. */
  onPaced(): void;
  onRetry(call: UpstreamCall): void;
  /** A call failed before anything was sent. */
  onLocalFailure(code: ErrorCode): void;
  /** The upstream asked a caller to wait. */
  onThrottled(): void;
  onBreakerOpen(): void;
}
