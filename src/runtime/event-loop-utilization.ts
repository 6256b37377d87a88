/**
 * Creates a function that returns the event-loop utilization, from 0 to 1, since the previous sample; null where that is
 * less than `sampleIntervalMs` ago.
 */
export function createUtilizationMeter(sampleIntervalMs: number): () => number | null {
  let sampledAt = performance.now();
  let previous = performance.eventLoopUtilization();
  return () => {
    const now = performance.now();
    if (now - sampledAt < sampleIntervalMs) return null;
    sampledAt = now;
    const current = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(current, previous);
    previous = current;
    return utilization;
  };
}
