/** Keeps retries a small part of what is sent, however much fails: an upstream in trouble is not given more to do. */
export interface RetryBudget {
  /** Takes what a retry costs. False where there is not that much: then it must not be made. */
  take(cost: number): boolean;
  /** Gives a little back: a call went well. */
  refill(): void;
  left(): number;
}

// As the AWS SDKs have it.
const capacity = 500;

export function createRetryBudget(): RetryBudget {
  let left = capacity;
  return {
    take(cost) {
      if (cost > left) return false;
      left -= cost;
      return true;
    },
    refill() {
      left = Math.min(left + 1, capacity);
    },
    left: () => left,
  };
}
