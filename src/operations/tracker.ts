import { createFeed, type Feed } from './feed.ts';

/** What one look at an operation has shown. */
export interface Look<State> {
  /** How it stands, or null when this look failed and the next may not. */
  readonly state: State | null;
  readonly isFinished: boolean;
  /** How long the upstream asks to wait before the next look; null leaves it to the tracker. */
  readonly waitMs: number | null;
}

export interface Tracker {
  /**
   * How an operation stands now, then every change, until it has finished. `look` asks once, knowing the
   * state before; its error ends the following of everyone.
   *
   * However many follow one key, one poller looks, with the first follower's `look`: what keeps callers
   * apart has to be part of the key. The last follower leaving stops it.
   */
  follow<State>(
    key: string,
    look: (before: State | null) => Promise<Look<State>>,
  ): AsyncIterableIterator<State>;
}

interface Poller {
  latest: unknown;
  timer: NodeJS.Timeout | null;
  readonly feeds: Set<Feed<unknown>>;
}

export interface TrackerOptions {
  /** The first pause between two looks where the upstream asks for none; later ones grow. */
  readonly pollMs: number;
}

const growth = 1.5;
const maxPollMs = 30_000;
// Longer requests to wait have been seen, up to values that no timer holds.
const maxWaitMs = 600_000;

export function createTracker({ pollMs }: TrackerOptions): Tracker {
  const pollers = new Map<string, Poller>();

  const start = <State>(key: string, look: (before: State | null) => Promise<Look<State>>): Poller => {
    const poller: Poller = { latest: null, timer: null, feeds: new Set() };
    pollers.set(key, poller);
    let pauseMs = pollMs;
    let told = '';

    const end = (finish: (feed: Feed<unknown>) => void) => {
      pollers.delete(key);
      for (const feed of poller.feeds) finish(feed);
    };
    const poll = async () => {
      try {
        const { state, isFinished, waitMs } = await look(poller.latest as State | null);
        if (poller.feeds.size === 0) return;
        const text = JSON.stringify(state);
        if (state !== null && text !== told) {
          told = text;
          poller.latest = state;
          for (const feed of poller.feeds) feed.push(state);
        }
        if (isFinished) return end((feed) => feed.end());
        poller.timer = setTimeout(poll, waitMs === null ? pauseMs : Math.min(waitMs, maxWaitMs));
        pauseMs = Math.min(pauseMs * growth, maxPollMs);
      } catch (error) {
        end((feed) => feed.fail(error));
      }
    };
    void poll();
    return poller;
  };

  return {
    follow(key, look) {
      const poller = pollers.get(key) ?? start(key, look);
      const feed = createFeed<unknown>(() => {
        poller.feeds.delete(feed);
        if (poller.feeds.size > 0 || pollers.get(key) !== poller) return;
        pollers.delete(key);
        if (poller.timer) clearTimeout(poller.timer);
      });
      if (poller.latest !== null) feed.push(poller.latest);
      poller.feeds.add(feed);
      return feed.values as AsyncIterableIterator<never>;
    },
  };
}
