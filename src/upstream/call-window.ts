/** What the end of an attempt says of the upstream. */
export type Verdict =
  /** A 2xx answer. */
  | 'served'
  /** Any other answer that is not a failure of the upstream, such as 404. */
  | 'answered'
  /** A 5xx, a connection that broke after the request was sent, or no answer in time: one query may be the cause. */
  | 'failed'
  /** No connection: no query can be the cause. */
  | 'unreachable'
  /** Nothing: cut short by whoever asked, never sent, or refused for its token. */
  | 'unknown';

export const isFailure = (verdict: Verdict): boolean => verdict === 'failed' || verdict === 'unreachable';

/** Counts of the calls that ended within the last ten seconds. */
export interface CallWindow {
  count(caller: string, verdict: Verdict): void;
  clear(): void;
  totals(): { readonly calls: number; readonly failures: number; readonly unreachable: number };
  /** How many callers there were, and how many of them had at least half of their calls fail. */
  callers(): { readonly all: number; readonly failing: number };
}

interface Counts {
  calls: number;
  failures: number;
}

interface Second extends Counts {
  readonly at: number;
  unreachable: number;
  readonly byCaller: Map<string, Counts>;
}

const seconds = 10;
// Callers beyond these are a sample of no more use, and are counted in the totals only.
const callersPerSecond = 64;

export function createCallWindow(): CallWindow {
  let window: Second[] = [];

  const currentSecond = (): Second => {
    const at = Math.floor(performance.now() / 1000);
    const last = window.at(-1);
    if (last?.at === at) return last;
    const second = { at, calls: 0, failures: 0, unreachable: 0, byCaller: new Map<string, Counts>() };
    window = [...window.filter((earlier) => earlier.at > at - seconds), second];
    return second;
  };

  return {
    count(caller, verdict) {
      const second = currentSecond();
      const failure = Number(isFailure(verdict));
      second.calls += 1;
      second.failures += failure;
      if (verdict === 'unreachable') second.unreachable += 1;
      let own = second.byCaller.get(caller);
      if (own === undefined) {
        if (second.byCaller.size >= callersPerSecond) return;
        own = { calls: 0, failures: 0 };
        second.byCaller.set(caller, own);
      }
      own.calls += 1;
      own.failures += failure;
    },

    clear() {
      window = [];
    },

    totals() {
      const sum = { calls: 0, failures: 0, unreachable: 0 };
      for (const { calls, failures, unreachable } of window) {
        sum.calls += calls;
        sum.failures += failures;
        sum.unreachable += unreachable;
      }
      return sum;
    },

    callers() {
      const byCaller = new Map<string, Counts>();
      for (const second of window)
        for (const [caller, { calls, failures }] of second.byCaller) {
          const sum = byCaller.get(caller);
          byCaller.set(caller, {
            calls: calls + (sum?.calls ?? 0),
            failures: failures + (sum?.failures ?? 0),
          });
        }
      const failing = [...byCaller.values()].filter(({ calls, failures }) => failures >= calls / 2);
      return { all: byCaller.size, failing: failing.length };
    },
  };
}
