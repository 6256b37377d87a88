import { hash } from 'node:crypto';
import { UpstreamError } from '../errors.ts';
import { filterRows } from '../graph/rows/row-filter.ts';
import { isTransient } from '../http/errors.ts';
import { type ConflatedChannel, createConflatedChannel } from '../runtime/conflated-channel.ts';
import { type RunResult, startRepeatingTask } from '../runtime/repeating-task.ts';
import type { HealthEventRecord } from './event-record.ts';

/** Polls lists of events for watchers of all their events. */
export interface EventListPoller {
  /**
   * The events of a list that are new or have changed, by tracking id, from now on until the watcher leaves. One that
   * changes again before it is taken is given once, as it is then. Fails where the list may no longer be read.
   *
   * One poll serves all watchers with the same key, with the `read` of the first, and ends with the last of them. So the
   * key must contain what keeps callers apart.
   */
  watch(key: string, principal: string, read: ReadList): AsyncIterableIterator<ChangedEvents>;
}

type ReadList = () => Promise<readonly HealthEventRecord[]>;
type ChangedEvents = ReadonlyMap<string, HealthEventRecord>;

interface ListPoll {
  readonly channels: Set<ConflatedChannel<ChangedEvents>>;
  stop(): void;
}

// Upstreams may ask for longer, up to times that no timer takes.
const maxRetryAfterMs = 600_000;

export function createEventListPoller(pollMs: number): EventListPoller {
  const polls = new Map<string, ListPoll>();

  const start = (key: string, principal: string, read: ReadList): ListPoll => {
    const channels: ListPoll['channels'] = new Set();
    const findChanges = createChangeFinder(principal);

    const poll = async (): Promise<RunResult> => {
      try {
        const changed = await findChanges(await read());
        const byId = new Map(changed.map((event) => [event.trackingId, event]));
        if (byId.size > 0) for (const channel of channels) channel.push(byId);
        return { waitMs: pollMs, isMinimum: false };
      } catch (error) {
        if (error instanceof UpstreamError && isTransient(error)) {
          const retryAfterMs = Math.min((error.retryAfterSeconds ?? 0) * 1_000, maxRetryAfterMs);
          return { waitMs: Math.max(pollMs, retryAfterMs), isMinimum: true };
        }
        // Including programming errors, of which nobody else would learn.
        stop();
        for (const channel of channels) channel.fail(error);
        return { waitMs: pollMs, isMinimum: false };
      }
    };
    const task = startRepeatingTask(poll);
    let isStopped = false;
    const stop = () => {
      // A run that was not over when the last watcher left may fail later, when the key may be of another poll.
      if (isStopped) return;
      isStopped = true;
      task.stop();
      polls.delete(key);
    };
    return { channels, stop };
  };

  return {
    watch(key, principal, read) {
      const poll = polls.get(key) ?? start(key, principal, read);
      polls.set(key, poll);
      const onCancel = () => {
        poll.channels.delete(channel);
        if (poll.channels.size === 0) poll.stop();
      };
      const channel = createConflatedChannel<ChangedEvents>(
        onCancel,
        (unread, next) => new Map([...unread, ...next]),
      );
      poll.channels.add(channel);
      return channel.values;
    },
  };
}

// Events that are no longer listed, so that one that is listed again is not reported unless it has changed.
const maxUnlisted = 1_000;

/** Returns a function that finds the events of a list that differ from those of earlier lists; none in the first. */
function createChangeFinder(principal: string) {
  // Digests of events by their tracking ids.
  let known: ReadonlyMap<string, string> | null = null;

  return async (events: readonly HealthEventRecord[]): Promise<readonly HealthEventRecord[]> => {
    const before = known;
    const listed = new Map<string, string>();
    const changed = await filterRows(
      events,
      (event) => {
        const digest = hash('sha256', JSON.stringify(event), 'base64url');
        listed.set(event.trackingId, digest);
        return before !== null && before.get(event.trackingId) !== digest;
      },
      principal,
    );
    const unlisted = [...(before ?? [])].filter(([trackingId]) => !listed.has(trackingId));
    known = new Map([...unlisted.slice(-maxUnlisted), ...listed]);
    return changed;
  };
}
