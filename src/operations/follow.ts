import { z } from 'zod';
import { UpstreamError } from '../errors.ts';
import { isTransient } from '../http/errors.ts';
import { type ConflatedChannel, createConflatedChannel } from '../runtime/conflated-channel.ts';
import { type Bus, createMemoryBus, parseMessage, startLease } from './bus.ts';

/**
 * Follows what is polled under a key: every value, until a poll is the last one or fails for a reason that does not pass.
 * A slow follower may miss values in between, never the last.
 *
 * However many follow one key in the process, and with `replicas` on the bus, one poll serves all, that of the first. So the key
 * must contain what keeps callers apart, and no secret. The last follower leaving stops it.
 */
export type Follow<Value> = (
  key: string,
  createPoll: (trigger: () => void) => Poll<Value>,
) => AsyncIterableIterator<Value>;

/** What is polled. Calling `trigger` makes the next read come at once, unless the upstream has asked to wait. */
export interface Poll<Value> {
  /**
   * Reads once; `before` is the last value known here, or null. A transient `UpstreamError` is no value, and the next read
   * comes after its Retry-After. Any other error ends every follower on this replica.
   */
  read(before: Value | null): Promise<PollResult<Value>>;
  /**
   * Called when the poll ends; `isLeader` says whether this replica polled for all. Where it returns a promise, no other
   * replica takes over before that resolves. Must not reject.
   */
  onStop?: ((isLeader: boolean) => void | Promise<void>) | undefined;
}

export interface PollResult<Value> {
  /** Null where there is nothing to deliver. */
  readonly value: Value | null;
  /** Whether this is the last value. */
  readonly isFinished?: boolean;
  /** The pause before the next read, where it is not that of the options. */
  readonly waitMs?: number | null | undefined;
  /** A transient failure to read a part of the value: the next read comes after its Retry-After. */
  readonly failure?: UpstreamError | null;
}

export interface FollowOptions<Value> {
  /** The pause between two reads. */
  readonly pollMs: number;
  /** Up to this the pause grows with each read. Default: `pollMs`. */
  readonly maxPollMs?: number;
  /** The replicas that poll a key once; without it, each process polls by itself. Not with `merge`. */
  readonly replicas?: {
    readonly bus: Bus;
    /** Checks a value that another replica has published; null for one that none of this version can have. */
    parseValue(value: unknown): Value | null;
  };
  /**
   * Makes one value of one that a follower has not taken and the next. Values are then changes: each is delivered, to
   * those who follow already. Without it values are states: one that joins gets the last, equal ones are delivered once.
   */
  readonly merge?: (unread: Value, next: Value) => Value;
}

const pauseGrowth = 1.5;
// Upstreams have been seen to ask for longer, up to times that no timer takes.
const maxWaitMs = 600_000;
// Messages overtake each other by less than this. A lower number after it comes from a replica whose clock is behind.
const maxOvertakingMs = 10_000;

export function createFollow<Value>(options: FollowOptions<Value>): Follow<Value> {
  const joins = new Map<string, () => AsyncIterableIterator<Value>>();

  return (key, createPoll) => {
    const onStop = () => void joins.delete(key);
    const join = joins.get(key) ?? startPolling(options, key, createPoll, onStop);
    joins.set(key, join);
    return join();
  };
}

/**
 * Polls a key while this replica holds its lease, and otherwise receives the values that the leader publishes. Returns
 * the function by which followers join.
 */
function startPolling<Value>(
  { pollMs, maxPollMs = pollMs, replicas, merge }: FollowOptions<Value>,
  key: string,
  createPoll: (trigger: () => void) => Poll<Value>,
  onStop: () => void,
): () => AsyncIterableIterator<Value> {
  const followers = new Set<ConflatedChannel<Value>>();
  let latest: { readonly value: Value; readonly text: string } | null = null;
  let phase: 'waiting' | 'reading' | 'readingAndTriggered' | 'stopped' = 'waiting';
  let pauseMs = pollMs;
  let earliestAt = Number.NEGATIVE_INFINITY;
  let timer: NodeJS.Timeout | undefined;
  const isIn = (one: typeof phase) => phase === one;

  const stop = () => {
    phase = 'stopped';
    clearTimeout(timer);
    lease.stopRenewing();
    onStop();
    const stopped = poll.onStop?.(lease.isHeld());
    if (stopped) void stopped.then(lease.release);
    else lease.release();
  };

  const deliver = (value: Value | null, isFinished: boolean) => {
    const text = merge || value === null ? '' : JSON.stringify(value);
    if (value !== null && (merge || text !== latest?.text)) {
      if (!merge) latest = { value, text };
      for (const follower of followers) follower.push(value);
    }
    if (!isFinished) return;
    stop();
    for (const follower of followers) follower.end();
  };

  const order = createMessageOrder();
  const receive = (text: string) => {
    const message = parseMessage(stateMessageSchema, text);
    if (isIn('stopped') || message === null || !order.isNewer(message.number, lease.isHeld())) return;
    const value = message.state === null ? null : (replicas?.parseValue(message.state) ?? null);
    if (value === null && message.state !== null) return;
    order.accept(message.number);
    deliver(value, message.isFinished);
  };

  const readAfter = (ms: number) => {
    clearTimeout(timer);
    timer = setTimeout(readOnce, Math.max(ms, earliestAt - performance.now(), 0));
  };
  /** The pause after a transient failure, which no trigger makes shorter. */
  const backOff = ({ retryAfterSeconds }: UpstreamError): number => {
    const waitMs = retryAfterSeconds ? Math.max(pollMs, retryAfterSeconds * 1_000) : pauseMs;
    earliestAt = performance.now() + Math.min(waitMs, maxWaitMs);
    return waitMs;
  };
  const readOnce = async () => {
    phase = 'reading';
    let waitMs: number;
    try {
      const { value, isFinished = false, failure, ...asked } = await poll.read(latest?.value ?? null);
      if (isIn('stopped')) return;
      // Published even if nothing has changed, since a replica may have missed the last message; and before the end
      // releases the lease, so that the next holder knows of the end.
      if (replicas && (value !== null || isFinished))
        lease.publish(
          JSON.stringify({ number: order.next(), state: value, isFinished } satisfies StateMessage),
        );
      deliver(value, isFinished);
      if (isFinished) return;
      waitMs = failure ? backOff(failure) : (asked.waitMs ?? pauseMs);
    } catch (error) {
      if (isIn('stopped')) return;
      if (!(error instanceof UpstreamError && isTransient(error))) {
        // Including programming errors, of which nobody else would learn.
        stop();
        for (const follower of followers) follower.fail(error);
        return;
      }
      waitMs = backOff(error);
    }
    pauseMs = Math.min(pauseMs * pauseGrowth, Math.max(pollMs, maxPollMs));
    const isTriggered = isIn('readingAndTriggered');
    phase = 'waiting';
    if (lease.isHeld()) readAfter(isTriggered ? 0 : Math.min(waitMs, maxWaitMs));
  };

  let wasHeld = false;
  const poll = createPoll(() => {
    if (phase === 'reading') phase = 'readingAndTriggered';
    // The first read comes with the lease.
    if (phase === 'waiting' && wasHeld) readAfter(0);
  });
  const lease = startLease(replicas?.bus ?? createMemoryBus(), key, receive, (isHeld) => {
    if (!isHeld) clearTimeout(timer);
    // A read that began before the lease was lost continues by itself.
    else if (!wasHeld && phase === 'waiting') void readOnce();
    wasHeld = isHeld;
  });

  return () => {
    const follower = createConflatedChannel<Value>(() => {
      followers.delete(follower);
      if (followers.size === 0) stop();
    }, merge);
    if (latest) follower.push(latest.value);
    followers.add(follower);
    return follower.values;
  };
}

/** What one replica publishes of a key. The names of its fields are a wire format between replicas of different versions. */
interface StateMessage {
  /**
   * Grows with every message, whichever replica sends it. It is the time in milliseconds since 1970, or one more than
   * the last number where the clock is not ahead of that, so that replicas agree again after they were apart.
   */
  readonly number: number;
  readonly state: unknown;
  readonly isFinished: boolean;
}

const stateMessageSchema = z.object({
  number: z.int(),
  state: z.unknown().refine((state) => state !== undefined),
  isFinished: z.boolean(),
});

/** The order of the messages of a key: of those sent here, and of those received. */
function createMessageOrder() {
  let last = 0;
  let acceptedAt = Number.NEGATIVE_INFINITY;

  const accept = (number: number) => {
    last = number;
    acceptedAt = performance.now();
  };
  return {
    accept,
    /** Numbers a message of this replica. */
    next(): number {
      accept(Math.max(last + 1, Date.now()));
      return last;
    },
    /** Whether a received message is newer than all that were sent or accepted before. The leader has read the state itself. */
    isNewer: (number: number, isLeader: boolean): boolean =>
      number > last || (number < last && !isLeader && performance.now() - acceptedAt >= maxOvertakingMs),
  };
}
