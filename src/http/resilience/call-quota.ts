/** The calls that an upstream accepts from one quota key within any window of `seconds`. */
export interface CallQuota {
  readonly calls: number;
  readonly seconds: number;
}

/** A token bucket: a call takes a token, and one is added every `tokenMs` up to `capacity`. */
export interface TokenBucketSize {
  readonly capacity: number;
  readonly tokenMs: number;
}

export interface SharedCallQuota {
  /**
   * Counts `used` calls that have started. Resolves with the milliseconds until the bucket is full again, which exceed its
   * capacity if replicas started calls at the same time; with null if the replicas are not connected. Never rejects.
   */
  count(quotaKey: string, tokenMs: number, used: number): Promise<number | null>;
}

/** The quota of one quota key, as known to this replica. */
export interface QuotaAccount {
  /** Takes a token for a call that starts now. If it returns false, `onReady` is called when a token is available. */
  take(): boolean;
  /** Counts a call that does not wait for a token. */
  charge(): void;
  /** Milliseconds until a call behind `ahead` waiting calls can start; 0 if it can start now. */
  waitMs(ahead: number): number;
  remaining(): number;
  isPacing(): boolean;
  /** Whether nothing is lost when the account is removed. */
  isIdle(): boolean;
}

type OpenQuotaAccount = (quotaKey: string, onReady: () => void) => QuotaAccount;

// At most the capacity plus the tokens added during a window can start within it: 95 % of the quota. The rest is for calls
// that network delays bring closer together, for second attempts after a 401, and for calls of other replicas that are not
// counted here yet.
const burstShare = 0.25;
const pacedShare = 0.7;

export const toTokenBucket = ({ calls, seconds }: CallQuota): TokenBucketSize => ({
  capacity: Math.max(1, Math.floor(calls * burstShare)),
  tokenMs: (seconds * 1_000) / (calls * pacedShare),
});

// Sums of fractions are not exact.
const roundingMs = 1e-3;

/**
 * Paces calls so that no window exceeds the quota: the generic cell rate algorithm, a token bucket stored as the time
 * at which it is full again.
 *
 * No call waits for other replicas: it is counted in the shared bucket after it has started. Calls that replicas start
 * at the same time overdraw the bucket, and all replicas wait until it has recovered. While replicas are not connected,
 * each paces its own calls.
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
