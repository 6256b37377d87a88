import type { ErrorCode } from '../errors.ts';
import type { UserErrorCode } from '../graph/user-errors.ts';
import type { CallObserver } from '../http/call-tracing.ts';
import type { GraphqlRequest } from './guard/guard.ts';
import type { ShedReason } from './load/shedding.ts';

/** The outcome of an operation: its first error, or the first user error of its mutations. */
export interface OperationOutcome {
  readonly code: 'OK' | ErrorCode | UserErrorCode;
  readonly reason?: string | undefined;
  /**
   * The upstream's code of a user error. Not set for a failed read, whose code may contain data that the caller may not
   * see.
   */
  readonly upstreamCode?: string | null | undefined;
}

/** An operation being executed; for a subscription, one event. */
export interface ObservedOperation {
  /** Observers of its upstream calls. */
  readonly observers: readonly CallObserver[];
  end(outcome: OperationOutcome): void;
}

/** Observes operations of all transports. */
export interface OperationObserver {
  operationStarted(request: GraphqlRequest): ObservedOperation;
  /** Called when a subscription starts; call the returned function when it ends. */
  subscriptionStarted(): () => void;
}

/** Current load. */
export interface ServerState {
  readonly requestsInFlight: number;
  readonly sockets: number;
  readonly eventStreams: number;
  /** Sustained event-loop delay. */
  readonly loopDelayMs: number;
}

/** Observes requests before they become operations, and renders the metrics. */
export interface ServerObserver {
  /** Registers a function that reads the current load. */
  observeState(state: () => ServerState): void;
  /** Called when load shedding rejects a request. */
  requestShed(reason: ShedReason): void;
  /** Returns all metrics in the Prometheus text format. */
  renderMetrics(): Promise<string>;
  readonly metricsContentType: string;
}
