import type { ExecutionResult } from 'graphql';
import type { Executor } from '../../execution/executor.ts';
import type { Guard } from '../../guard/guard.ts';
import type { AdmittedCaller } from '../../load/admission.ts';
import type { ConnectionLimiter } from '../../load/connection-limits.ts';
import { untilTokenExpires } from '../token-expiry.ts';
import { progressDocument } from './progress-document.ts';

/** What a client is told while an operation runs. `progress` grows with every report, up to `total`. */
export interface ProgressReport {
  readonly progress: number;
  readonly total: number;
  readonly message: string;
}

/** The last state that was read of an operation, or why none was. */
export interface FollowedOperation {
  readonly operation?: OperationState;
  readonly errors?: ExecutionResult['errors'];
}

interface OperationState {
  readonly state: string;
  readonly percentComplete: number | null;
}

export interface ProgressOptions {
  readonly executor: Pick<Executor, 'subscribe'>;
  readonly guard: Pick<Guard, 'prepare'>;
  readonly connections: ConnectionLimiter;
  /** How long an operation is followed, in milliseconds. */
  readonly followMs: number;
}

export interface OperationFollower {
  /**
   * Reports the progress of an operation until it has finished, the time is over, the client has disconnected or the
   * server stops. It counts as an event stream, not as a request. Null if the caller has too many of them.
   */
  follow(
    handle: string,
    caller: AdmittedCaller,
    signal: AbortSignal,
    report: (progress: ProgressReport) => Promise<void>,
  ): Promise<FollowedOperation | null>;
  /** Ends what is being followed: its tools answer with the last state. */
  close(): void;
}

export function createOperationFollower(options: ProgressOptions): OperationFollower {
  const { executor, guard, connections, followMs } = options;
  const stopping = new AbortController();

  const followEvents = async (
    events: AsyncIterableIterator<ExecutionResult>,
    signal: AbortSignal,
    report: (progress: ProgressReport) => Promise<void>,
  ): Promise<FollowedOperation> => {
    const end = () => void events.return?.();
    const timer = setTimeout(end, followMs);
    const signals = [signal, stopping.signal];
    for (const one of signals) one.addEventListener('abort', end, { once: true });
    if (signals.some(({ aborted }) => aborted)) end();
    let last: FollowedOperation = {};
    let reported = -1;
    try {
      for await (const { data, errors } of events) {
        const operation = data?.operationProgress as OperationState | null | undefined;
        if (errors || !operation) return { ...last, errors };
        last = { operation };
        // MCP requires that progress grows.
        const percent = operation.state === 'SUCCEEDED' ? 100 : (operation.percentComplete ?? 0);
        const progress = Math.max(percent, reported);
        if (progress === reported) continue;
        reported = progress;
        await report({ progress, total: 100, message: operation.state });
      }
    } finally {
      clearTimeout(timer);
      for (const one of signals) one.removeEventListener('abort', end);
    }
    return last;
  };

  return {
    async follow(handle, caller, signal, report) {
      const release = connections.acquireBoth('eventStreams', caller);
      if (!release) return null;
      try {
        const payload = { query: progressDocument, variables: { id: handle } };
        const prepared = await guard.prepare(payload, caller, 'subscriptions');
        if ('errors' in prepared) return { errors: prepared.errors };
        const events = await executor.subscribe(prepared);
        if (!('next' in events)) return { errors: events.errors };
        // What follows is no longer a request in progress.
        caller.slot.release();
        return await followEvents(untilTokenExpires(events, prepared.caller), signal, report);
      } finally {
        release();
      }
    },
    close: () => stopping.abort(),
  };
}
