import type { Bus, Member } from './bus.ts';
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
   * state before; its error ends the following of everyone here.
   *
   * However many follow one key, on however many replicas, one poller looks, with a follower's own `look`: what
   * keeps callers apart has to be part of the key, and no secret may be. The last follower leaving stops it.
   */
  follow<State>(
    key: string,
    look: (before: State | null) => Promise<Look<State>>,
  ): AsyncIterableIterator<State>;
}

export interface TrackerOptions {
  /** The first pause between two looks where the upstream asks for none; later ones grow. */
  readonly pollMs: number;
  readonly bus: Bus;
  /** A state that another replica tells, as it is to be; null for what none can have told. */
  readonly readState?: (told: unknown) => unknown;
}

/** What one replica tells the others of a topic. */
interface Told {
  /**
   * Grows with every look, whoever looks: a state with a lower number is older. It is the time in milliseconds, or
   * one more than the last where that is as late, so that replicas that looked apart for a while agree again.
   */
  readonly number: number;
  readonly state: unknown;
  readonly isFinished: boolean;
}

interface Poller {
  latest: unknown;
  readonly feeds: Set<Feed<unknown>>;
  stop(): void;
}

const growth = 1.5;
const maxPollMs = 30_000;
// Longer requests to wait have been seen, up to values that no timer holds.
const maxWaitMs = 600_000;

export function createTracker({ pollMs, bus, readState = asItIs }: TrackerOptions): Tracker {
  const pollers = new Map<string, Poller>();

  const start = <State>(key: string, look: (before: State | null) => Promise<Look<State>>): Poller => {
    let member: Member | null = null;
    let isLeading = false;
    let isLooking = false;
    let isStopped = false;
    let pauseMs = pollMs;
    let latestText = '';
    let number = 0;
    let nextLook: NodeJS.Timeout | undefined;
    let nextAsk: NodeJS.Timeout | undefined;

    const poller: Poller = {
      latest: null,
      feeds: new Set(),
      stop() {
        isStopped = true;
        if (pollers.get(key) === poller) pollers.delete(key);
        clearTimeout(nextLook);
        clearTimeout(nextAsk);
        member?.leave();
      },
    };
    const end = (finish: (feed: Feed<unknown>) => void) => {
      poller.stop();
      for (const feed of poller.feeds) finish(feed);
    };

    /** Takes a state, from a look or from another replica. */
    const accept = (state: unknown, isFinished: boolean) => {
      const text = JSON.stringify(state);
      if (state !== null && text !== latestText) {
        latestText = text;
        poller.latest = state;
        for (const feed of poller.feeds) feed.push(state);
      }
      if (isFinished) end((feed) => feed.end());
    };

    const hear = (message: string) => {
      const told = readTold(message);
      if (isStopped || told === null || told.number <= number) return;
      const state = told.state === null ? null : readState(told.state);
      if (state === null && told.state !== null) return;
      number = told.number;
      accept(state, told.isFinished);
    };

    const poll = async () => {
      isLooking = true;
      try {
        const { state, isFinished, waitMs } = await look(poller.latest as State | null);
        if (isStopped) return;
        if (state !== null || isFinished) {
          number = Math.max(number + 1, Date.now());
          // Told although it may be no news here, and before the end gives up the right to look: whoever gets it,
          // or missed the last, has heard.
          member?.tell(JSON.stringify({ number, state, isFinished } satisfies Told));
        }
        accept(state, isFinished);
        if (isFinished || !isLeading) return;
        nextLook = setTimeout(poll, waitMs === null ? pauseMs : Math.min(waitMs, maxWaitMs));
        pauseMs = Math.min(pauseMs * growth, maxPollMs);
      } catch (error) {
        if (!isStopped) end((feed) => feed.fail(error));
      } finally {
        isLooking = false;
      }
    };

    const ask = async () => {
      const leads = await (member as Member).leads();
      if (isStopped) return;
      if (leads && !isLeading && !isLooking) void poll();
      if (!leads) clearTimeout(nextLook);
      isLeading = leads;
      const { askAgainMs } = member as Member;
      if (askAgainMs !== null) nextAsk = setTimeout(ask, askAgainMs);
    };

    const join = async () => {
      member = await bus.join(key, hear);
      if (isStopped) member.leave();
      else await ask();
    };
    pollers.set(key, poller);
    void join();
    return poller;
  };

  return {
    follow(key, look) {
      const poller = pollers.get(key) ?? start(key, look);
      const feed = createFeed<unknown>(() => {
        poller.feeds.delete(feed);
        if (poller.feeds.size === 0 && pollers.get(key) === poller) poller.stop();
      });
      if (poller.latest !== null) feed.push(poller.latest);
      poller.feeds.add(feed);
      return feed.values as AsyncIterableIterator<never>;
    },
  };
}

const asItIs = (told: unknown) => told;

/** Null for what no replica of this version tells. */
function readTold(message: string): Told | null {
  try {
    const told = JSON.parse(message) as Partial<Told> | null;
    const isTold =
      Number.isSafeInteger(told?.number) && told?.state !== undefined && typeof told.isFinished === 'boolean';
    return isTold ? (told as Told) : null;
  } catch {
    return null;
  }
}
