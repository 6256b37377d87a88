/** Token bucket that keeps retries a small part of all calls, however much fails (as in the AWS SDKs). */
export interface RetryBudget {
  /** Takes the cost of a retry. Returns false where too little is left: the retry must not be made. */
  take(cost: number): boolean;
  /** Adds 1, for a call that succeeded. */
  refill(): void;
  getRemaining(): number;
}

const capacity = 500;

export function createRetryBudget(): RetryBudget {
  let remaining = capacity;
  return {
    take(cost) {
      if (cost > remaining) return false;
      remaining -= cost;
      return true;
    },
    refill() {
      remaining = Math.min(remaining + 1, capacity);
    },
    getRemaining: () => remaining,
  };
}
