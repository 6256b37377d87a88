/** How many calls an upstream accepts of one rate limit key within any window of this length. */
export interface CallQuota {
  readonly calls: number;
  readonly seconds: number;
}

/** A token bucket: a call takes a token, and one is added every `tokenMs` up to `capacity`. */
export interface TokenBucketSize {
  readonly capacity: number;
  readonly tokenMs: number;
}

/** Token buckets that replicas share. */
export interface SharedCallQuota {
  /**
   * Counts `used` calls that have started, takes up to `wanted` tokens for calls that may start, and resolves with how many
   * were taken and in how many milliseconds the bucket is full again. Resolves with null where the replicas are not
   * connected; never rejects.
   */
  settle(
    rateLimitKey: string,
    size: TokenBucketSize,
    used: number,
    wanted: number,
  ): Promise<{ readonly taken: number; readonly fullInMs: number } | null>;
}

/** The quota of one rate limit key, as far as this replica knows. */
export interface QuotaAccount {
  /**
   * Takes a token for a call that starts now. Where it returns false, `onReady` is called when to try again. `waiting` is
   * the number of calls that wait for a token, this one included.
   */
  take(waiting: number): boolean;
  /** Counts a call that does not wait for a token. */
  charge(): void;
  /** In how many milliseconds a call can start that comes after `ahead` waiting ones; 0 for now. */
  waitMs(ahead: number): number;
  /** How many calls may start at once. */
  remaining(): number;
  /** Whether a call waits for a token. */
  isPacing(): boolean;
  /** Whether nothing is lost when the account is removed. */
  isIdle(): boolean;
}

export type OpenQuotaAccount = (rateLimitKey: string, onReady: () => void) => QuotaAccount;

// Capacity plus what is added during a window is the most that can start within any window. The rest of the quota is for
// calls that are delayed on their way, so that they reach the upstream closer together, for the second attempt after a
// 401, and for calls that other replicas start before they know of each other.
const burstShare = 0.25;
const pacedShare = 0.7;

export const toTokenBucket = ({ calls, seconds }: CallQuota): TokenBucketSize => ({
  capacity: Math.max(1, Math.floor(calls * burstShare)),
  tokenMs: (seconds * 1_000) / (calls * pacedShare),
});

// Tokens taken for calls to come: that many, or fewer where the capacity is small, are used or lost within a second.
const maxBlock = 16;
const blocksPerCapacity = 8;
const maxWanted = 50;
const blockLifetimeMs = 1_000;
const disconnectedMs = 2_000;
// Sums of fractions are not exact.
const roundingMs = 1e-3;

/**
 * Paces calls so that no window exceeds the quota: the generic cell rate algorithm, a token bucket stored as the time at
 * which it is full again.
 *
 * With several replicas, calls start without waiting for the others while more than half of the tokens are left, and are
 * counted right after. Below that, a call starts with a token of the shared bucket, of which a replica takes several at
 * once. While the replicas are not connected, each paces alone.
 */
export function createQuotaAccounts(quota: CallQuota, shared: SharedCallQuota | null): OpenQuotaAccount {
  const size = toTokenBucket(quota);
  const { capacity, tokenMs } = size;
  const capacityMs = capacity * tokenMs;
  const block = Math.max(1, Math.min(maxBlock, Math.floor(capacity / blocksPerCapacity)));

  return (rateLimitKey, onReady) => {
    // Times are on the clock of `performance.now()`.
    let fullAt = 0;
    let unsettled = 0;
    let reserved = 0;
    let reservedUntil = 0;
    let disconnectedUntil = 0;
    let wanted = 0;
    let isSettling = false;
    let timer: NodeJS.Timeout | undefined;

    const waitMs = (ahead: number, now: number) => {
      const ms = Math.max(fullAt, now) + (ahead + 1) * tokenMs - capacityMs - now;
      return ms > roundingMs ? ms : 0;
    };
    const count = (now: number) => {
      fullAt = Math.max(fullAt, now) + tokenMs;
      if (shared && now >= disconnectedUntil) unsettled += 1;
    };
    const wakeIn = (ms: number) => {
      timer ??= setTimeout(
        () => {
          timer = undefined;
          onReady();
        },
        Math.max(1, Math.ceil(ms)),
      ).unref();
    };

    const settle = async (buckets: SharedCallQuota) => {
      if (isSettling) return;
      isSettling = true;
      while (unsettled > 0 || wanted > 0) {
        const [used, wants] = [unsettled, wanted];
        unsettled = 0;
        wanted = 0;
        const result = await buckets.settle(rateLimitKey, size, used, wants);
        const now = performance.now();
        if (result === null) {
          disconnectedUntil = now + disconnectedMs;
        } else {
          fullAt = Math.max(fullAt, now + result.fullInMs + unsettled * tokenMs);
          reserved = (now < reservedUntil ? reserved : 0) + result.taken;
          if (result.taken > 0) reservedUntil = now + blockLifetimeMs;
        }
        if (wants === 0) continue;
        if (result === null || reserved > 0) onReady();
        else wakeIn(waitMs(0, now));
      }
      isSettling = false;
    };

    return {
      take(waiting) {
        const now = performance.now();
        if (reserved > 0 && now < reservedUntil) {
          reserved -= 1;
          return true;
        }
        const ms = waitMs(0, now);
        if (ms > 0) {
          wakeIn(ms);
          return false;
        }
        const isConnected = shared !== null && now >= disconnectedUntil;
        if (isConnected && fullAt - now > capacityMs / 2) {
          wanted = Math.min(Math.max(waiting, block), maxWanted);
          void settle(shared);
          return false;
        }
        count(now);
        if (isConnected) void settle(shared);
        return true;
      },
      charge() {
        count(performance.now());
      },
      waitMs: (ahead) => waitMs(Math.max(0, ahead - reserved), performance.now()),
      remaining() {
        const now = performance.now();
        return Math.max(0, Math.floor((capacityMs - Math.max(0, fullAt - now) + roundingMs) / tokenMs));
      },
      isPacing: () => timer !== undefined,
      isIdle: () => timer === undefined && !isSettling && fullAt <= performance.now(),
    };
  };
}
