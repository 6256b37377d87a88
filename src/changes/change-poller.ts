import { UpstreamError } from '../errors.ts';
import type { RecordType } from '../generated/graphql.ts';
import { isTransient } from '../http/errors.ts';
import { type RepeatingTask, type RunResult, startRepeatingTask } from '../runtime/repeating-task.ts';
import { createChangeDetector } from './change-detector.ts';
import type { DetectedChange, RecordReader } from './record-reader.ts';
import { activePollFactor, type ChangeWebhooks } from './webhooks.ts';

/** The records of one type in a company, as one principal sees them. */
export interface PollTarget {
  readonly principal: string;
  readonly companyId: string;
  readonly type: RecordType;
}

export interface ChangeListener {
  onChanges(changes: readonly DetectedChange[]): void;
  /** Called once, as the last: the principal may no longer read these records, or never could. */
  onError(error: unknown): void;
}

export interface ChangePoller {
  /**
   * Reports what changes from now on, and returns how to unsubscribe. One poll serves all listeners of the same target;
   * it ends with the last of them.
   */
  listen(target: PollTarget, reader: RecordReader, listener: ChangeListener): () => void;
}

export interface ChangePollerOptions {
  readonly pollMs: number;
  /** While the upstream sends notifications, a poll follows each of them, and regular polls are rare. */
  readonly webhooks: ChangeWebhooks | null;
}

interface TargetPoll {
  readonly listeners: Set<ChangeListener>;
  stop(): void;
}

// Upstreams may ask for longer, up to times that no timer takes.
const maxRetryAfterMs = 600_000;

export function createChangePoller({ pollMs, webhooks }: ChangePollerOptions): ChangePoller {
  const polls = new Map<string, TargetPoll>();

  const start = (key: string, { companyId, type }: PollTarget, reader: RecordReader): TargetPoll => {
    const listeners = new Set<ChangeListener>();
    const detector = createChangeDetector({
      now: reader.now,
      readLatest: () => reader.latest(type, companyId),
      readChangedSince: (instant) => reader.since(type, companyId, instant),
      readRecords: (ids) => reader.read(type, companyId, ids),
    });
    let areWebhooksActive = false;
    let task: RepeatingTask | null = null;

    const poll = async (): Promise<RunResult> => {
      try {
        const changes = await detector.poll();
        if (changes.length > 0) for (const listener of listeners) listener.onChanges(changes);
        return { waitMs: areWebhooksActive ? pollMs * activePollFactor : pollMs, isMinimum: false };
      } catch (error) {
        if (error instanceof UpstreamError && isTransient(error)) {
          const retryAfterMs = Math.min((error.retryAfterSeconds ?? 0) * 1_000, maxRetryAfterMs);
          return { waitMs: Math.max(pollMs, retryAfterMs), isMinimum: true };
        }
        // Including programming errors, of which nobody else would learn.
        stop();
        for (const listener of listeners) listener.onError(error);
        return { waitMs: pollMs, isMinimum: false };
      }
    };
    const unsubscribe = webhooks?.listen(
      { companyId, type },
      {
        onActiveChange(isActive) {
          areWebhooksActive = isActive;
          // Finds what changed while no notifications were sent.
          task?.trigger();
        },
        onNotices(notices) {
          detector.addNotices(notices);
          task?.trigger();
        },
      },
    );
    let isStopped = false;
    const stop = () => {
      // The last listener unsubscribes after an error, too, when the key may be of another poll.
      if (isStopped) return;
      isStopped = true;
      task?.stop();
      unsubscribe?.();
      polls.delete(key);
    };
    task = startRepeatingTask(poll);
    return { listeners, stop };
  };

  return {
    listen(target, reader, listener) {
      const key = JSON.stringify([target.principal, target.companyId, target.type]);
      const poll = polls.get(key) ?? start(key, target, reader);
      polls.set(key, poll);
      poll.listeners.add(listener);
      return () => {
        poll.listeners.delete(listener);
        if (poll.listeners.size === 0) poll.stop();
      };
    },
  };
}
