import type { CallObserver } from '../http/call-tracing.ts';
import type { Client } from '../server/caller.ts';
import type { OperationOutcome } from '../server/observer.ts';

/** Attributes of an operation's span. */
export interface TracedOperation {
  readonly kind: 'query' | 'mutation' | 'subscription';
  readonly name: string | undefined;
  readonly client: Client | null;
  /** The caller's `traceparent` header. */
  readonly traceparent: string | null;
}

export interface Trace {
  readonly traceId: string;
  /** Creates a span for every upstream call and sends its `traceparent`. */
  readonly callObserver: CallObserver;
  end(code: OperationOutcome['code']): void;
}

export interface Tracing {
  begin(operation: TracedOperation): Trace;
  /** Exports the remaining spans within three seconds. */
  stop(): Promise<void>;
}
