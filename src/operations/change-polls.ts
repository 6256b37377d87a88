import { UpstreamError } from '../errors.ts';
import { isTransient } from '../http/errors.ts';
import { type RepeatingTask, type RunResult, startRepeatingTask } from '../runtime/repeating-task.ts';

/** Polls that find changes, by key, within this process. */
export interface ChangePolls<Change> {
  /**
   * Reports what changes from now on, and returns how to unsubscribe. One poll, which the first listener creates, serves
   * all with the same key, and ends with the last of them. So the key must contain what keeps callers apart.
   */
  listen(
    key: string,
    listener: ChangeListener<Change>,
    createPoll: (trigger: () => void) => ChangePoll<Change>,
  ): () => void;
}

export interface ChangeListener<Change> {
  onChanges(changes: readonly Change[]): void;
  /** Called once, as the last: the caller may no longer read what is polled, or never could. */
  onError(error: unknown): void;
}

export interface ChangePoll<Change> {
  /** What has changed since the last poll. */
  read(): Promise<readonly Change[]>;
  /** The time until the next poll, unless it is triggered before. Default: `pollMs`. */
  waitMs?(): number;
  /** Called when the poll ends. */
  onStop?: (() => void) | undefined;
}

interface RunningPoll<Change> {
  readonly listeners: Set<ChangeListener<Change>>;
  stop(): void;
}

// Upstreams may ask for longer, up to times that no timer takes.
const maxRetryAfterMs = 600_000;

export function createChangePolls<Change>(pollMs: number): ChangePolls<Change> {
  const polls = new Map<string, RunningPoll<Change>>();

  const start = (
    key: string,
    createPoll: (trigger: () => void) => ChangePoll<Change>,
  ): RunningPoll<Change> => {
    const listeners = new Set<ChangeListener<Change>>();
    let task: RepeatingTask | null = null;
    const poll = createPoll(() => task?.trigger());

    const run = async (): Promise<RunResult> => {
      try {
        const changes = await poll.read();
        if (changes.length > 0) for (const listener of listeners) listener.onChanges(changes);
        return { waitMs: poll.waitMs?.() ?? pollMs, isMinimum: false };
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
    let isStopped = false;
    const stop = () => {
      // A run that was not over when the last listener left may fail later, when the key may be of another poll.
      if (isStopped) return;
      isStopped = true;
      task?.stop();
      poll.onStop?.();
      polls.delete(key);
    };
    task = startRepeatingTask(run);
    return { listeners, stop };
  };

  return {
    listen(key, listener, createPoll) {
      const poll = polls.get(key) ?? start(key, createPoll);
      polls.set(key, poll);
      poll.listeners.add(listener);
      return () => {
        poll.listeners.delete(listener);
        if (poll.listeners.size === 0) poll.stop();
      };
    },
  };
}
