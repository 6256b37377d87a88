import { createBroadcast } from '../runtime/broadcast.ts';
import type { Bus } from './bus.ts';
import { startLease } from './lease.ts';
import { createMessageOrder, parseStateMessage, type StateMessage } from './state-message.ts';

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
