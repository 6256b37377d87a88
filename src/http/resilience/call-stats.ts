import { createHistogram, type RecordableHistogram } from 'node:perf_hooks';

/** Counts and latencies of the attempts at one upstream within the last 30 to 60 seconds. */
export interface CallStats {
  /** `isHealthy` is null if the outcome says nothing about the upstream. */
  record(isHealthy: boolean | null, ms: number): void;
  snapshot(): CallStatsSnapshot;
}

export interface CallStatsSnapshot {
  readonly count: number;
  readonly failures: number;
  /** Latency of the attempts that did not fail; null without any. */
  readonly p50Ms: number | null;
  readonly p99Ms: number | null;
}

interface StatsWindow {
  /** The number of the window since the start of the process. */
  at: number;
  failures: number;
  /** In microseconds. */
  readonly latencies: RecordableHistogram;
}

// A snapshot covers the current window and the previous one.
const statsWindowMs = 30_000;
// Two significant digits: accurate to 1 %, in a few kilobytes for any number of calls.
const precision = { lowest: 1, highest: 3_600_000_000, figures: 2 };

export function createCallStats(): CallStats {
  const createWindow = (at: number): StatsWindow => ({
    at,
    failures: 0,
    latencies: createHistogram(precision),
  });
  let current = createWindow(0);
  let previous = createWindow(0);

  const rotate = () => {
    const at = Math.floor(performance.now() / statsWindowMs);
    if (at === current.at) return;
    previous = current;
    current = createWindow(at);
  };

  return {
    record(isHealthy, ms) {
      rotate();
      const microseconds = Math.round(ms * 1000);
      if (isHealthy)
        current.latencies.record(Math.min(Math.max(microseconds, precision.lowest), precision.highest));
      else if (isHealthy === false) current.failures += 1;
    },

    snapshot() {
      rotate();
      const windows = [current, previous].filter(({ at }) => at >= current.at - 1);
      const all = createHistogram(precision);
      for (const { latencies } of windows) if (latencies.count > 0) all.add(latencies);
      const failures = windows.reduce((sum, window) => sum + window.failures, 0);
      const percentileMs = (percent: number) => (all.count > 0 ? all.percentile(percent) / 1000 : null);
      return {
        count: all.count + failures,
        failures,
        p50Ms: percentileMs(50),
        p99Ms: percentileMs(99),
      };
    },
  };
}
