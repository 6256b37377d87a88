import type { ErrorCode, UpstreamName } from '../errors.ts';
import type { UserErrorCode } from '../graph/user-errors.ts';
import type { CallObserver } from '../http/call-tracing.ts';
import type { GraphqlRequest } from './guard/guard.ts';
import type { ShedReason } from './load/shedding.ts';

/** The outcome of an operation: its first error, or the first user error of its mutations. */
export interface OperationOutcome {
  readonly code: 'OK' | ErrorCode | UserErrorCode;
  readonly reason?: string | undefined;
  /** The upstream whose failure is the first error. */
  readonly upstream?: UpstreamName | undefined;
  /**
   * The upstream's code of a user error. Not set for a failed read, whose code may contain data that the caller may not
   * see.
   */
  readonly upstreamCode?: string | null | undefined;
}

/** An operation being executed; for a subscription, one event. */
export interface ObservedOperation {
  readonly observers: readonly CallObserver[];
  end(outcome: OperationOutcome): void;
}

export interface OperationObserver {
  operationStarted(request: GraphqlRequest): ObservedOperation;
  /** Called when a subscription starts; call the returned function when it ends. */
  subscriptionStarted(): () => void;
}

export interface ServerState {
  readonly requestsInFlight: number;
  readonly sockets: number;
  readonly eventStreams: number;
  readonly loopDelayMs: number;
}

/** Observes requests before they become operations, and renders the metrics. */
export interface ServerObserver {
  observeState(state: () => ServerState): void;
  requestShed(reason: ShedReason): void;
  /** Returns all metrics in the Prometheus text format. */
  renderMetrics(): Promise<string>;
  readonly metricsContentType: string;
}
