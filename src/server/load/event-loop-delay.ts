/** Measures how late timers fire. */
export interface EventLoopDelay {
  /** Returns the smaller of the two most recent half-second maxima: a single long block does not count. */
  sustainedMs(): number;
  stop(): void;
}

const samplingIntervalMs = 50;
const delayWindowMs = 500;

/**
 * Samples the event loop's delay with a timer.
 *
 * `monitorEventLoopDelay` of `perf_hooks` drops the first sample after each reset, so it would never see a
 * loop that is always a second late.
 */
export function monitorEventLoopDelay(): EventLoopDelay {
  let sampledAt = performance.now();
  let windowStart = sampledAt;
  let windowMax = 0;
  let previousMax = 0;
  let sustained = 0;
  const timer = setInterval(() => {
    const now = performance.now();
    windowMax = Math.max(windowMax, now - sampledAt - samplingIntervalMs);
    sampledAt = now;
    if (now - windowStart < delayWindowMs) return;
    sustained = Math.min(previousMax, windowMax);
    [previousMax, windowMax, windowStart] = [windowMax, 0, now];
  }, samplingIntervalMs).unref();

  return {
    sustainedMs: () => sustained,
    stop: () => clearInterval(timer),
  };
}
