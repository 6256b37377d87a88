import { UpstreamError } from '../errors.ts';
import type { RecordType } from '../generated/graphql.ts';
import { isPassing } from '../upstream/error-answers.ts';
import { createNews } from './news.ts';
import type { Change, RecordReader } from './record-reader.ts';
import { slowness, type Webhooks } from './webhooks.ts';

/** What is watched: a kind of record of a company, as one principal sees it. */
export interface Watched {
  readonly principal: string;
  readonly companyId: string;
  readonly type: RecordType;
}

export interface Listener {
  tell(changes: readonly Change[]): void;
  /** The end: the watcher may no longer read, or never could. */
  fail(error: unknown): void;
}

export interface Polls {
  /** Tells what changes from now on. One poll serves all listeners to the same; the last one leaving ends it. */
  listen(watched: Watched, reader: RecordReader, listener: Listener): () => void;
}

export interface PollsOptions {
  readonly pollMs: number;
  /** Where the upstream tells of changes, it is asked when it does, and seldom else. */
  readonly webhooks: Webhooks | null;
}

// An upstream may ask for longer, up to values that no timer holds.
const maxWaitMs = 600_000;

export function createPolls({ pollMs, webhooks }: PollsOptions): Polls {
  const polls = new Map<string, { readonly listeners: Set<Listener>; stop(): void }>();

  const start = (key: string, { companyId, type }: Watched, reader: RecordReader) => {
    const listeners = new Set<Listener>();
    const news = createNews({
      latest: () => reader.latest(type, companyId),
      since: (instant) => reader.since(type, companyId, instant),
      read: (ids) => reader.read(type, companyId, ids),
    });
    let timer: NodeJS.Timeout | undefined;
    let isStopped = false;
    let isPolling = false;
    let isDue = false;
    let isTold = false;
    let heldUpUntil = 0;

    const poll = async () => {
      isPolling = true;
      isDue = false;
      let waitMs = pollMs;
      try {
        const changes = await news.next();
        if (changes.length > 0) for (const listener of listeners) listener.tell(changes);
        if (isTold) waitMs = pollMs * slowness;
      } catch (error) {
        // A mistake of our own, too, is told to who listens: a timer has nobody else to tell it to.
        if (!(error instanceof UpstreamError && isPassing(error))) {
          stop();
          for (const listener of listeners) listener.fail(error);
          return;
        }
        waitMs = Math.max(pollMs, Math.min((error.retryAfterSeconds ?? 0) * 1_000, maxWaitMs));
        heldUpUntil = Date.now() + waitMs;
      }
      isPolling = false;
      if (!isStopped) timer = setTimeout(poll, isDue ? Math.max(heldUpUntil - Date.now(), 0) : waitMs);
    };
    const pollNow = () => {
      isDue = true;
      if (isPolling || isStopped) return;
      clearTimeout(timer);
      timer = setTimeout(poll, Math.max(heldUpUntil - Date.now(), 0));
    };
    const stop = () => {
      isStopped = true;
      clearTimeout(timer);
      if (polls.get(key)?.stop === stop) polls.delete(key);
      leave?.();
    };
    const leave = webhooks?.listen(
      { companyId, type },
      {
        // What has changed before the upstream told of changes, and after it did, is not missed.
        stand(isStanding) {
          isTold = isStanding;
          pollNow();
        },
        notice(notices) {
          news.notice(notices);
          pollNow();
        },
      },
    );
    polls.set(key, { listeners, stop });
    clearTimeout(timer);
    void poll();
    return { listeners, stop };
  };

  return {
    listen(watched, reader, listener) {
      const key = JSON.stringify([watched.principal, watched.companyId, watched.type]);
      const { listeners, stop } = polls.get(key) ?? start(key, watched, reader);
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
        if (listeners.size === 0) stop();
      };
    },
  };
}
