import type { GraphQLError, GraphQLErrorExtensions } from 'graphql';
import { LRUCache } from 'lru-cache';
import type { RedisTokenBuckets } from '../../operations/redis-token-buckets.ts';
import type { Caller } from '../caller.ts';
import { digestTokens } from '../caller-tokens.ts';
import type { Guard } from '../guard/guard.ts';
import type { OnRejected, Rejection } from '../rejection.ts';
import {
  type LoadLimits,
  type LoadShedder,
  overloadMessages,
  type RequestSlot,
  type ShedReason,
} from './shedding.ts';

export interface AdmittedCaller extends Caller {
  readonly slot: RequestSlot;
}

/** Returns the token's share of an address; null for a verified caller, whose tokens share everything. */
const getTokenKey = ({ verified, tokens }: Caller): string | null => (verified ? null : digestTokens(tokens));

/** Admits requests of all transports: identifies the caller, checks its rate, and takes a slot. */
export interface Admission {
  /** Synchronous if the token is cached and Redis is not needed. Release the slot when the request ends. */
  admit(caller: Caller): AdmittedCaller | Rejection | Promise<AdmittedCaller | Rejection>;
}

export interface AdmissionOptions {
  readonly guard: Pick<Guard, 'identify'>;
  readonly shedding: LoadShedder;
  /** Null if the rate is not limited. */
  readonly requestRate: RequestRateLimiter | null;
  /** `maxRequests` also limits the requests that wait for token verification. Those hold no slot: anyone can send a token. */
  readonly limits: Pick<LoadLimits, 'maxRequests'>;
  /** Called for every request above the caller's rate. */
  readonly onRejected?: OnRejected;
}

export function createAdmission(options: AdmissionOptions): Admission {
  const { guard, shedding, requestRate, limits, onRejected } = options;
  let identifying = 0;

  const takeSlot = (caller: Caller): AdmittedCaller | Rejection => {
    const slot = shedding.acquire(caller.key, getTokenKey(caller));
    if (typeof slot === 'string') return overloadRejection(caller, slot);
    caller.slot = slot;
    return caller as AdmittedCaller;
  };

  /** `waitMs` is the time until the caller's rate allows the request; 0 if it is allowed now. */
  const takeSlotUnlessLimited = (caller: Caller, waitMs: number): AdmittedCaller | Rejection => {
    if (waitMs === 0) return takeSlot(caller);
    const rejection = rateLimitRejection(waitMs, caller);
    onRejected?.('RATE_LIMITED', caller.requestId, rejection.errors[0]?.message);
    return rejection;
  };

  const admitIdentified = (
    caller: Caller | Rejection,
  ): AdmittedCaller | Rejection | Promise<AdmittedCaller | Rejection> => {
    if ('errors' in caller) return caller;
    const waitMs = requestRate?.take(caller.key) ?? 0;
    return typeof waitMs === 'number'
      ? takeSlotUnlessLimited(caller, waitMs)
      : waitMs.then((ms) => takeSlotUnlessLimited(caller, ms));
  };

  return {
    admit(caller) {
      const identified = guard.identify(caller);
      if (!(identified instanceof Promise)) return admitIdentified(identified);
      if (identifying >= limits.maxRequests) {
        shedding.countRejection('requests');
        return overloadRejection(caller, 'requests');
      }
      identifying += 1;
      return identified
        .finally(() => {
          identifying -= 1;
        })
        .then(admitIdentified);
    },
  };
}

const overloadRejection = ({ requestId }: Caller, reason: ShedReason): Rejection =>
  createRejection(503, overloadMessages[reason], { code: 'OVERLOADED', requestId });

function rateLimitRejection(waitMs: number, { requestId }: Caller): Rejection {
  const retryAfterSeconds = Math.ceil(waitMs / 1_000);
  const message = `The caller exceeds its request rate (MAX_REQUESTS_PER_SECOND). Try again in ${retryAfterSeconds} s.`;
  const rejection = createRejection(429, message, { code: 'RATE_LIMITED', retryAfterSeconds, requestId });
  return { ...rejection, retryAfterSeconds };
}

// A plain object: capturing the stack of an error would double the cost of a rejection.
function createRejection(status: number, message: string, extensions: GraphQLErrorExtensions): Rejection {
  return { status, errors: [{ message, extensions } as GraphQLError] };
}

/** A token bucket per caller, with a capacity of one second. */
export interface RequestRateLimiter {
  /** Takes a token. Returns 0, or the milliseconds until one is available. */
  take(callerKey: string): number | Promise<number>;
}

export interface RequestRateLimits {
  readonly perSecond: number;
  /** Buckets shared by all replicas; null without Redis. */
  readonly shared: RedisTokenBuckets | null;
  /** Maps a caller key to its Redis key, which must be equal on all replicas and not reveal the caller. */
  redisKey(callerKey: string): string;
}

const maxBuckets = 10_000;

/**
 * Each replica checks its own bucket first, so that a request that it rejects takes no call to Redis. If Redis does not
 * respond, only the local bucket counts.
 */
export function createRequestRateLimiter({
  perSecond,
  shared,
  redisKey,
}: RequestRateLimits): RequestRateLimiter {
  const tokenMs = 1_000 / perSecond;
  // Generic cell rate algorithm: a bucket is stored as the time at which it is full again.
  const fullAt = new LRUCache<string, number>({ max: maxBuckets });

  const takeOwn = (callerKey: string): number => {
    const now = performance.now();
    const at = Math.max(fullAt.get(callerKey) ?? now, now);
    const waitMs = at + tokenMs - (now + 1_000);
    if (waitMs > 0) return waitMs;
    fullAt.set(callerKey, at + tokenMs);
    return 0;
  };

  return {
    take(callerKey) {
      const waitMs = takeOwn(callerKey);
      if (waitMs > 0 || shared === null) return waitMs;
      return shared.take(redisKey(callerKey), tokenMs).then((ms) => ms ?? 0);
    },
  };
}

/** Queues subscriptions until a slot is free, since clients do not resubscribe after an error. */
export interface SubscriptionQueue {
  /**
   * Resolves when a slot is free for the caller; after five seconds, with the normal admission result. The socket is paused
   * meanwhile, until one of its waiting subscriptions is admitted, so that more messages take no memory.
   */
  admit(caller: Caller, socket: { pause(): void; resume(): void }): Promise<AdmittedCaller | Rejection>;
}

interface QueuedSubscription {
  readonly caller: Caller;
  /** On the clock of `performance.now()`. */
  readonly until: number;
  resolve(admitted: AdmittedCaller | Rejection | Promise<AdmittedCaller | Rejection>): void;
}

const maxQueueWaitMs = 5_000;
const queuePollMs = 25;

/** First in, first out; skips callers whose share is used up. */
export function createSubscriptionQueue(
  admission: Admission,
  shedding: Pick<LoadShedder, 'hasSlot'>,
): SubscriptionQueue {
  let waiting: QueuedSubscription[] = [];
  let timer: NodeJS.Timeout | undefined;

  const admitWaiting = () => {
    const now = performance.now();
    waiting = waiting.filter(({ caller, until, resolve }) => {
      if (until > now && !shedding.hasSlot(caller.key, getTokenKey(caller))) return true;
      resolve(admission.admit(caller));
      return false;
    });
    if (waiting.length === 0) timer = void clearInterval(timer);
  };

  return {
    async admit(caller, socket) {
      if (waiting.length === 0 && shedding.hasSlot(caller.key, getTokenKey(caller)))
        return admission.admit(caller);
      timer ??= setInterval(admitWaiting, queuePollMs);
      socket.pause();
      const until = performance.now() + maxQueueWaitMs;
      return new Promise<AdmittedCaller | Rejection>((resolve) => {
        waiting.push({ caller, until, resolve });
      }).finally(() => socket.resume());
    },
  };
}
