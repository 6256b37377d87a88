import type { Bus } from './bus.ts';
import { type Poll, type Poller, startPoller } from './poller.ts';

export interface Tracker {
  /**
   * The state of an operation now, then every change until it has finished. An error of `poll` ends the stream of
   * every follower on this replica.
   *
   * However many follow one key, on however many replicas, one poller reads the upstream, with the `poll` of one of
   * the followers. So the key must contain what keeps callers apart, and no secret. The last follower leaving stops it.
   */
  follow<State>(key: string, poll: Poll<State>): AsyncIterableIterator<State>;
}

export interface TrackerOptions {
  /** The first pause between two polls where the upstream asks for none; later ones grow. */
  readonly pollMs: number;
  readonly bus: Bus;
  /** Checks a state that another replica has published; null for one that none of this version can have. */
  readonly parseState?: (state: unknown) => unknown;
}

export function createTracker({ pollMs, bus, parseState = (state) => state }: TrackerOptions): Tracker {
  const pollers = new Map<string, Poller<never>>();

  return {
    follow<State>(key: string, poll: Poll<State>) {
      const onStop = () => void pollers.delete(key);
      const poller =
        pollers.get(key) ?? startPoller<State>({ bus, topic: key, poll, pollMs, parseState, onStop });
      pollers.set(key, poller as Poller<never>);
      return poller.subscribe() as AsyncIterableIterator<State>;
    },
  };
}
