/** How late the event loop is with what has to be done. */
export interface LoopDelay {
  /** How late it was in each of the last two half-seconds, at least: one long stop alone is 0. */
  lastingMs(): number;
  stop(): void;
}

const tickMs = 50;
const spanMs = 500;

/**
 * Looks at the event loop all the time.
 *
 * The histogram of `perf_hooks` would leave out the first look after each reset: of a loop that is a second late
 * it would never see anything.
 */
export function startLoopDelay(): LoopDelay {
  let lookedAt = performance.now();
  let spanFrom = lookedAt;
  let worst = 0;
  let worstBefore = 0;
  let lasting = 0;
  const timer = setInterval(() => {
    const now = performance.now();
    worst = Math.max(worst, now - lookedAt - tickMs);
    lookedAt = now;
    if (now - spanFrom < spanMs) return;
    lasting = Math.min(worstBefore, worst);
    [worstBefore, worst, spanFrom] = [worst, 0, now];
  }, tickMs).unref();

  return {
    lastingMs: () => lasting,
    stop: () => clearInterval(timer),
  };
}
