/** How many calls an upstream accepts of one quota key within any window of this length. */
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
   * Counts `used` calls that have started, and resolves with in how many milliseconds the bucket is full again: more than its
   * capacity where replicas started calls at the same time. Resolves with null where the replicas are not connected; never
   * rejects.
   */
  count(quotaKey: string, tokenMs: number, used: number): Promise<number | null>;
}

/** The quota of one quota key, as far as this replica knows. */
export interface QuotaAccount {
  /** Takes a token for a call that starts now. Where it returns false, `onReady` is called when to try again. */
  take(): boolean;
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

type OpenQuotaAccount = (quotaKey: string, onReady: () => void) => QuotaAccount;

// Capacity plus what is added during a window is the most that can start within any window. The rest of the quota is for
// calls that are delayed on their way, so that they reach the upstream closer together, for the second attempt after a
// 401, and for calls that other replicas start before they know of each other.
const burstShare = 0.25;
const pacedShare = 0.7;

export const toTokenBucket = ({ calls, seconds }: CallQuota): TokenBucketSize => ({
  capacity: Math.max(1, Math.floor(calls * burstShare)),
  tokenMs: (seconds * 1_000) / (calls * pacedShare),
});

// Sums of fractions are not exact.
const roundingMs = 1e-3;

/**
 * Paces calls so that no window exceeds the quota: the generic cell rate algorithm, a token bucket stored as the time at
 * which it is full again.
 *
 * No call waits for other replicas: it is counted in the shared bucket after it has started. What replicas have started
 * before they knew of each other is a debt, which all of them wait off. While the replicas are not connected, each paces
 * alone.
 */
export function createQuotaAccounts(quota: CallQuota, shared: SharedCallQuota | null): OpenQuotaAccount {
  const { capacity, tokenMs } = toTokenBucket(quota);
  const capacityMs = capacity * tokenMs;

  return (quotaKey, onReady) => {
    // Times are on the clock of `performance.now()`.
    let fullAt = 0;
    let uncounted = 0;
    let isCounting = false;
    let timer: NodeJS.Timeout | undefined;

    const waitMs = (ahead: number, now: number) => {
      const ms = Math.max(fullAt, now) + (ahead + 1) * tokenMs - capacityMs - now;
      return ms > roundingMs ? ms : 0;
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

    const countShared = async (buckets: SharedCallQuota) => {
      if (isCounting) return;
      isCounting = true;
      while (uncounted > 0) {
        const used = uncounted;
        uncounted = 0;
        const fullInMs = await buckets.count(quotaKey, tokenMs, used);
        if (fullInMs !== null) fullAt = Math.max(fullAt, performance.now() + fullInMs + uncounted * tokenMs);
      }
      isCounting = false;
    };
    const count = (now: number) => {
      fullAt = Math.max(fullAt, now) + tokenMs;
      if (!shared) return;
      uncounted += 1;
      void countShared(shared);
    };

    return {
      take() {
        const now = performance.now();
        const ms = waitMs(0, now);
        if (ms > 0) wakeIn(ms);
        else count(now);
        return ms === 0;
      },
      charge() {
        count(performance.now());
      },
      waitMs: (ahead) => waitMs(ahead, performance.now()),
      remaining() {
        const now = performance.now();
        return Math.max(0, Math.floor((capacityMs - Math.max(0, fullAt - now) + roundingMs) / tokenMs));
      },
      isPacing: () => timer !== undefined,
      isIdle: () => timer === undefined && !isCounting && fullAt <= performance.now(),
    };
  };
}
