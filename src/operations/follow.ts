import { z } from 'zod';
import { UpstreamError } from '../errors.ts';
import { isTransient } from '../http/errors.ts';
import { type ConflatedChannel, createConflatedChannel } from '../runtime/conflated-channel.ts';
import { type Bus, createMemoryBus, parseMessage, startLease } from './bus.ts';

/**
 * Follows the values that are polled under a key, until the last value or a permanent failure. A slow follower gets
 * only the last value, or with `merge` all unread values combined.
 *
 * One poll serves all followers of a key: that of the first follower in the process, or with `replicas` that of the leader.
 * The key must therefore identify everything that distinguishes callers; it must not contain a secret. The poll stops when
 * the last follower leaves.
 */
export type Follow<Value> = (
  key: string,
  createPoll: (trigger: () => void) => Poll<Value>,
) => AsyncIterableIterator<Value>;

/**
 * Reads a value repeatedly. Calling `trigger` starts the next read on the replica that polls: immediately, or after the pause
 * that follows a transient failure.
 */
export interface Poll<Value> {
  /**
   * Reads once; `before` is the last value known to this replica, or null; always null with `merge`. After a transient
   * `UpstreamError` the next read waits for its Retry-After. Any other error ends every follower on this replica.
   */
  read(before: Value | null): Promise<PollResult<Value>>;
  /**
   * Called when the poll ends; `isLeader` says whether this replica polled for all. No other replica takes over before the
   * returned promise resolves. Must not reject.
   */
  onStop?: ((isLeader: boolean) => void | Promise<void>) | undefined;
}

export interface PollResult<Value> {
  /** Null if there is nothing to deliver. */
  readonly value: Value | null;
  readonly isFinished?: boolean;
  /** The pause before the next read. Default: that of the options. */
  readonly waitMs?: number | null | undefined;
  /** A transient failure to read a part of the value. The next read waits for its Retry-After. */
  readonly failure?: UpstreamError | null;
}

export interface FollowOptions<Value> {
  readonly pollMs: number;
  /** The pause grows with each read up to this. Default: `pollMs`. */
  readonly maxPollMs?: number;
  /** Shares one poll per key between replicas; without it, each process polls by itself. Not with `merge`. */
  readonly replicas?: {
    readonly bus: Bus;
    /** Parses a value that another replica has published; null if it is invalid. */
    parseValue(value: unknown): Value | null;
  };
  /**
   * Combines an unread value with the next one. With `merge` values are changes: each is delivered to the present
   * followers. Without it values are states: a new follower gets the last one, and equal states are delivered once.
   */
  readonly merge?: (unread: Value, next: Value) => Value;
}

const pauseGrowth = 1.5;
// A `Retry-After` may be longer than a timer can be.
const maxWaitMs = 600_000;
// Messages can arrive out of order within this time. A lower number after it comes from a replica whose clock is behind.
const maxReorderingMs = 10_000;

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
 * Polls a key while this replica holds its lease; otherwise receives the values that the leader publishes. Returns the
 * function that adds a follower.
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
  // Compares in a function: the compiler assumes that `phase` does not change during an `await`.
  const isPhase = (expected: typeof phase) => phase === expected;

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
    if (isPhase('stopped') || message === null || !order.isNewer(message.number, lease.isHeld())) return;
    const value = message.state === null ? null : (replicas?.parseValue(message.state) ?? null);
    if (value === null && message.state !== null) return;
    order.accept(message.number);
    deliver(value, message.isFinished);
  };

  const readAfter = (ms: number) => {
    clearTimeout(timer);
    timer = setTimeout(readOnce, Math.max(ms, earliestAt - performance.now(), 0));
  };
  /** Returns the pause after a transient failure, which `trigger` does not shorten. */
  const backOff = ({ retryAfterSeconds }: UpstreamError): number => {
    const waitMs = retryAfterSeconds ? Math.max(pollMs, retryAfterSeconds * 1_000) : pauseMs;
    earliestAt = performance.now() + Math.min(waitMs, maxWaitMs);
    return waitMs;
  };
  const readOnce = async () => {
    phase = 'reading';
    let waitMs: number;
    try {
      const result = await poll.read(latest?.value ?? null);
      if (isPhase('stopped')) return;
      const { value, isFinished = false, failure } = result;
      // Publish even an unchanged value: a replica may have missed the last message. Publish before `deliver`, which
      // releases the lease at the end: the next holder must know of the end.
      if (replicas && (value !== null || isFinished))
        lease.publish(
          JSON.stringify({ number: order.next(), state: value, isFinished } satisfies StateMessage),
        );
      deliver(value, isFinished);
      if (isFinished) return;
      waitMs = failure ? backOff(failure) : (result.waitMs ?? pauseMs);
    } catch (error) {
      if (isPhase('stopped')) return;
      if (!(error instanceof UpstreamError && isTransient(error))) {
        // Programming errors, too: they would otherwise go unnoticed.
        stop();
        for (const follower of followers) follower.fail(error);
        return;
      }
      waitMs = backOff(error);
    }
    pauseMs = Math.min(pauseMs * pauseGrowth, Math.max(pollMs, maxPollMs));
    if (isPhase('readingAndTriggered')) waitMs = 0;
    phase = 'waiting';
    if (lease.isHeld()) readAfter(Math.min(waitMs, maxWaitMs));
  };

  let wasHeld = false;
  const poll = createPoll(() => {
    if (phase === 'reading') phase = 'readingAndTriggered';
    // The first read starts when the lease is acquired.
    if (phase === 'waiting' && wasHeld) readAfter(0);
  });
  const lease = startLease(replicas?.bus ?? createMemoryBus(), key, receive, (isHeld) => {
    if (!isHeld) clearTimeout(timer);
    // If a read is still running, it schedules the next one.
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

/** A message about one key between replicas, perhaps of different versions: its field names are a wire format. */
interface StateMessage {
  /**
   * Increases with every message of any replica. The time in milliseconds since 1970, or the last number plus one if that
   * is higher, so that replicas agree again after a partition.
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

/** Orders the messages that this replica sends and receives for one key. */
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
    /** Whether a received message is newer than every message sent or accepted before. */
    isNewer: (number: number, isLeader: boolean): boolean =>
      number > last || (number < last && !isLeader && performance.now() - acceptedAt >= maxReorderingMs),
  };
}
