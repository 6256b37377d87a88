import { createHistogram, type RecordableHistogram } from 'node:perf_hooks';

/** What calls to one upstream have met within the last minute or so. */
export interface Lately {
  /** An attempt has ended: the upstream is well, is not, or null for nothing; and how long it took. */
  count(isWell: boolean | null, ms: number): void;
  look(): CallsLook;
}

export interface CallsLook {
  readonly count: number;
  readonly failures: number;
  /** Of those that were answered; null where none was. */
  readonly p50Ms: number | null;
  readonly p99Ms: number | null;
}

interface Span {
  at: number;
  failures: number;
  /** In microseconds. */
  readonly answered: RecordableHistogram;
}

// The span that is going on and the one before: what is told is of the last half to whole minute.
const spanMs = 30_000;
// A few kilobytes for any number of calls, right to one part in a hundred.
const precision = { lowest: 1, highest: 3_600_000_000, figures: 2 };

export function createLately(): Lately {
  const spanFrom = (at: number): Span => ({ at, failures: 0, answered: createHistogram(precision) });
  let now = spanFrom(0);
  let before = spanFrom(0);

  const turn = () => {
    const at = Math.floor(performance.now() / spanMs);
    if (at === now.at) return;
    before = now;
    now = spanFrom(at);
  };

  return {
    count(isWell, ms) {
      turn();
      const microseconds = Math.round(ms * 1000);
      if (isWell) now.answered.record(Math.min(Math.max(microseconds, precision.lowest), precision.highest));
      else if (isWell === false) now.failures += 1;
    },

    look() {
      turn();
      const spans = [now, before].filter(({ at }) => at >= now.at - 1);
      const all = createHistogram(precision);
      for (const { answered } of spans) if (answered.count > 0) all.add(answered);
      const failures = spans.reduce((sum, span) => sum + span.failures, 0);
      const msOf = (percent: number) => (all.count > 0 ? all.percentile(percent) / 1000 : null);
      return { count: all.count + failures, failures, p50Ms: msOf(50), p99Ms: msOf(99) };
    },
  };
}
