/**
 * Looks how much of its time the event loop had something to do, from 0 to 1, since the look before. Null where that was
 * less than `everyMs` ago.
 */
export function createUtilization(everyMs: number): () => number | null {
  let lookedAt = performance.now();
  let before = performance.eventLoopUtilization();
  return () => {
    const now = performance.now();
    if (now - lookedAt < everyMs) return null;
    lookedAt = now;
    const used = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(used, before);
    before = used;
    return utilization;
  };
}
