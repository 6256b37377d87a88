import type { ErrorCode } from '../errors.ts';
import type { CallWatch } from '../upstream/watch.ts';
import type { Request } from './executor.ts';
import type { ShedReason } from './shedding.ts';

/** How an operation ended: the code of its first error, where it has one. */
export type Outcome = 'OK' | ErrorCode;

/** An operation that is carried out; of a subscription, one event. */
export interface RunningOperation {
  /** What follows its upstream calls. */
  readonly watches: readonly CallWatch[];
  end(outcome: Outcome): void;
}

/** Told of the operations of all transports. */
export interface OperationObserver {
  begin(request: Request): RunningOperation;
  /** A subscription runs; what is returned is told of its end. */
  subscribed(): () => void;
  /** Code was generated for an operation. */
  compiled(): void;
}

/** How much there is to do. */
export interface ServerState {
  readonly requestsInFlight: number;
  /** How many wait for a rate limit, without a place. */
  readonly requestsWaiting: number;
  readonly sockets: number;
  readonly eventStreams: number;
  /** How late the event loop is, lastingly. */
  readonly loopDelayMs: number;
}

/** Told of what becomes of requests before they are operations, and asked what operators read. */
export interface ServerObserver {
  /** Given how to look at the server, whenever somebody wants to know. */
  follow(state: () => ServerState): void;
  /** A request was refused by one of the limits of what is worked on at once. */
  shed(reason: ShedReason): void;
  /** All metrics, as Prometheus reads them. */
  metrics(): Promise<string>;
  readonly metricsType: string;
}
