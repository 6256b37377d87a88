/** What the end of an attempt says about the upstream. */
export type CallVerdict =
  /** A 2xx response. */
  | 'succeeded'
  /** Any other response that is not a failure of the upstream, such as a 404. */
  | 'rejected'
  /** A 5xx, a connection that broke after the request was sent, or no response in time. A single query may cause it. */
  | 'failed'
  /** A 500 with an error code and message: the upstream is up, and one query or one caller's permissions may be the cause. */
  | 'reported'
  /** No connection. No query can cause it. */
  | 'unreachable'
  /** Nothing: the caller aborted it, it was not sent, or its token was rejected. */
  | 'unknown';

export const isFailureVerdict = (verdict: CallVerdict): boolean =>
  verdict === 'failed' || verdict === 'reported' || verdict === 'unreachable';

/** Counts the calls that ended within the last ten seconds: a sliding window of one-second buckets. */
export interface CallWindow {
  count(caller: string, verdict: CallVerdict): void;
  clear(): void;
  getTotals(): { readonly calls: number; readonly failures: number; readonly unreachable: number };
  /**
   * Counts callers, and those of them with at least half of their calls failed. `failingSilently` ignores failures that
   * the upstream reported itself.
   */
  countCallers(): { readonly all: number; readonly failing: number; readonly failingSilently: number };
}

interface CallCounts {
  calls: number;
  failures: number;
  reported: number;
}

interface SecondCounts extends CallCounts {
  readonly at: number;
  unreachable: number;
  readonly byCaller: Map<string, CallCounts>;
}

const windowSeconds = 10;
// A sample of callers is enough; further ones count in the totals only.
const maxCallersPerSecond = 64;

const zeroCounts: CallCounts = { calls: 0, failures: 0, reported: 0 };

export function createCallWindow(): CallWindow {
  let seconds: SecondCounts[] = [];

  const currentSecond = (): SecondCounts => {
    const at = Math.floor(performance.now() / 1000);
    const last = seconds.at(-1);
    if (last?.at === at) return last;
    const second = { at, ...zeroCounts, unreachable: 0, byCaller: new Map<string, CallCounts>() };
    seconds = [...seconds.filter((earlier) => earlier.at > at - windowSeconds), second];
    return second;
  };

  return {
    count(caller, verdict) {
      const second = currentSecond();
      const counts = {
        calls: 1,
        failures: Number(isFailureVerdict(verdict)),
        reported: Number(verdict === 'reported'),
      };
      addCounts(second, counts);
      if (verdict === 'unreachable') second.unreachable += 1;
      let ofCaller = second.byCaller.get(caller);
      if (ofCaller === undefined) {
        if (second.byCaller.size >= maxCallersPerSecond) return;
        ofCaller = { ...zeroCounts };
        second.byCaller.set(caller, ofCaller);
      }
      addCounts(ofCaller, counts);
    },

    clear() {
      seconds = [];
    },

    getTotals() {
      const sum = { calls: 0, failures: 0, unreachable: 0 };
      for (const { calls, failures, unreachable } of seconds) {
        sum.calls += calls;
        sum.failures += failures;
        sum.unreachable += unreachable;
      }
      return sum;
    },

    countCallers() {
      const byCaller = new Map<string, CallCounts>();
      for (const second of seconds)
        for (const [caller, counts] of second.byCaller) {
          const sum = byCaller.get(caller) ?? { ...zeroCounts };
          addCounts(sum, counts);
          byCaller.set(caller, sum);
        }
      const all = [...byCaller.values()];
      return {
        all: all.length,
        failing: all.filter(({ calls, failures }) => failures >= calls / 2).length,
        failingSilently: all.filter(({ calls, failures, reported }) => failures - reported >= calls / 2)
          .length,
      };
    },
  };
}

function addCounts(sum: CallCounts, counts: CallCounts): void {
  sum.calls += counts.calls;
  sum.failures += counts.failures;
  sum.reported += counts.reported;
}
