import { createBroadcast } from '../runtime/conflated-channel.ts';
import { type Bus, startLease } from './bus.ts';

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

/** What one poll has found. */
export interface PollResult<State> {
  /** Null when this poll failed and the next may succeed. */
  readonly state: State | null;
  readonly isFinished: boolean;
  /** How long the upstream asks to wait before the next poll; null leaves it to the poller. */
  readonly waitMs: number | null;
}

/** Reads the state once. `before` is the last state known here, or null. */
export type Poll<State> = (before: State | null) => Promise<PollResult<State>>;

/** Polls a topic while this replica holds its lease, and otherwise receives the states that the leader publishes. */
export interface Poller<State> {
  /** The state now, and every change until the end. The last subscriber leaving stops the poller. */
  subscribe(): AsyncIterableIterator<State>;
}

export interface PollerOptions<State> {
  readonly bus: Bus;
  readonly topic: string;
  readonly poll: Poll<State>;
  /** The first pause between two polls where the upstream asks for none; later ones grow. */
  readonly pollMs: number;
  /** Checks a state that another replica has published; null for one that none of this version can have. */
  readonly parseState: (state: unknown) => unknown;
  readonly onStop: () => void;
}

const pauseGrowth = 1.5;
const maxPauseMs = 30_000;
// Upstreams have been seen to ask for longer, up to times that no timer takes.
const maxWaitMs = 600_000;

export function startPoller<State>(options: PollerOptions<State>): Poller<State> {
  const { bus, topic, poll, pollMs, parseState, onStop } = options;
  const states = createBroadcast<State>(() => stop());
  const order = createMessageOrder();
  let pauseMs = pollMs;
  let isPolling = false;
  let isStopped = false;
  let timer: NodeJS.Timeout | undefined;

  const stop = () => {
    isStopped = true;
    clearTimeout(timer);
    lease.release();
    onStop();
  };

  const deliverState = (state: State | null, isFinished: boolean) => {
    if (state !== null) states.publish(state);
    if (!isFinished) return;
    stop();
    states.end();
  };

  const receive = (text: string) => {
    const message = parseStateMessage(text);
    if (isStopped || message === null || !order.isNewer(message.number, lease.isHeld())) return;
    const state = message.state === null ? null : parseState(message.state);
    if (state === null && message.state !== null) return;
    order.accept(message.number);
    deliverState(state as State | null, message.isFinished);
  };

  const pollOnce = async () => {
    isPolling = true;
    try {
      const { state, isFinished, waitMs } = await poll(states.latest());
      if (isStopped) return;
      // Published even if nothing has changed, since a replica may have missed the last message; and before the end
      // releases the lease, so that the next holder knows of the end.
      if (state !== null || isFinished)
        lease.publish(JSON.stringify({ number: order.next(), state, isFinished } satisfies StateMessage));
      deliverState(state, isFinished);
      if (isFinished || !lease.isHeld()) return;
      timer = setTimeout(pollOnce, waitMs === null ? pauseMs : Math.min(waitMs, maxWaitMs));
      pauseMs = Math.min(pauseMs * pauseGrowth, maxPauseMs);
    } catch (error) {
      if (isStopped) return;
      stop();
      states.fail(error);
    } finally {
      isPolling = false;
    }
  };

  let wasHeld = false;
  const lease = startLease({
    bus,
    topic,
    onMessage: receive,
    onRenewal(isHeld) {
      if (!isHeld) clearTimeout(timer);
      // A poll that began before the lease was lost continues by itself.
      else if (!wasHeld && !isPolling) void pollOnce();
      wasHeld = isHeld;
      return Number.POSITIVE_INFINITY;
    },
  });
  return { subscribe: states.subscribe };
}

/** What one replica publishes of the state of a topic. */
export interface StateMessage {
  /**
   * Grows with every message, whichever replica sends it. It is the time in milliseconds since 1970, or one more than
   * the last number where the clock is not ahead of that, so that replicas agree again after they were apart.
   */
  readonly number: number;
  readonly state: unknown;
  readonly isFinished: boolean;
}

/** Null for a message that no replica of this version sends. */
export function parseStateMessage(text: string): StateMessage | null {
  try {
    const message = JSON.parse(text) as Partial<StateMessage> | null;
    const isValid =
      Number.isSafeInteger(message?.number) &&
      message?.state !== undefined &&
      typeof message.isFinished === 'boolean';
    return isValid ? (message as StateMessage) : null;
  } catch {
    return null;
  }
}

/** The order of the messages of a topic: of those sent here, and of those received. */
export interface MessageOrder {
  /** Numbers a message of this replica. */
  next(): number;
  /** Whether a received message is newer than all that were sent or accepted before. */
  isNewer(number: number, isLeader: boolean): boolean;
  accept(number: number): void;
}

// Messages overtake each other by less than this. A lower number after it comes from a replica whose clock is behind.
const maxOvertakingMs = 10_000;

export function createMessageOrder(): MessageOrder {
  let last = 0;
  let acceptedAt = Number.NEGATIVE_INFINITY;

  const accept = (number: number) => {
    last = number;
    acceptedAt = performance.now();
  };
  return {
    next() {
      accept(Math.max(last + 1, Date.now()));
      return last;
    },
    isNewer(number, isLeader) {
      if (number === last) return false;
      // The leader has read the state itself.
      return number > last || !(isLeader || performance.now() - acceptedAt < maxOvertakingMs);
    },
    accept,
  };
}
