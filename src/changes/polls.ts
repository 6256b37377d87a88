import { failureOf } from '../errors.ts';
import type { RecordType } from '../generated/graphql.ts';
import { isPassing } from '../upstream/error-answers.ts';
import type { RecordReader, Stamp } from './record-reader.ts';

/** What is watched: a kind of record of a company, as one principal sees it. */
export interface Watched {
  readonly principal: string;
  readonly companyId: string;
  readonly type: RecordType;
}

export interface Listener {
  tell(stamps: readonly Stamp[]): void;
  /** The end: the watcher may no longer read, or never could. */
  fail(error: unknown): void;
}

export interface Polls {
  /** Tells what changes from now on. One poll serves all listeners to the same; the last one leaving ends it. */
  listen(watched: Watched, reader: RecordReader, listener: Listener): () => void;
}

export interface PollsOptions {
  readonly pollMs: number;
}

// Records may come to be seen later than others that were changed after them.
const overlapMs = 10_000;
const beginning = '1970-01-01T00:00:00Z';

export function createPolls({ pollMs }: PollsOptions): Polls {
  const polls = new Map<string, { readonly listeners: Set<Listener>; stop(): void }>();

  const start = (key: string, { companyId, type }: Watched, reader: RecordReader) => {
    const listeners = new Set<Listener>();
    let timer: NodeJS.Timeout | undefined;
    let isStopped = false;
    let seen: ReadonlyMap<string, string> | null = null;
    let newest = beginning;

    const poll = async () => {
      let waitMs = pollMs;
      try {
        if (seen === null) newest = (await reader.latest(type, companyId)) ?? beginning;
        const stamps = await reader.since(type, companyId, before(newest));
        const news = stamps.filter(({ id, lastModifiedDateTime }) => seen?.get(id) !== lastModifiedDateTime);
        newest = stamps.reduce((last, { lastModifiedDateTime }) => later(last, lastModifiedDateTime), newest);
        // What stands at the beginning is no change.
        if (seen !== null && news.length > 0) for (const listener of listeners) listener.tell(news);
        const kept = stamps.filter(
          ({ lastModifiedDateTime }) => !isBefore(lastModifiedDateTime, before(newest)),
        );
        seen = new Map(kept.map(({ id, lastModifiedDateTime }) => [id, lastModifiedDateTime]));
      } catch (error) {
        const failure = failureOf(error);
        if (!isPassing(failure)) {
          stop();
          for (const listener of listeners) listener.fail(failure);
          return;
        }
        waitMs = Math.max(pollMs, (failure.retryAfterSeconds ?? 0) * 1_000);
      }
      if (!isStopped) timer = setTimeout(poll, waitMs);
    };
    const stop = () => {
      isStopped = true;
      clearTimeout(timer);
      // Somebody may have begun anew while the last look was on its way.
      if (polls.get(key) === own) polls.delete(key);
    };
    const own = { listeners, stop };
    polls.set(key, own);
    void poll();
    return own;
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

const isBefore = (left: string, right: string) => Date.parse(left) < Date.parse(right);
const later = (left: string, right: string) => (isBefore(left, right) ? right : left);
const before = (instant: string) => new Date(Math.max(0, Date.parse(instant) - overlapMs)).toISOString();
