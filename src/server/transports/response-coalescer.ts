// More would wait for each other's work.
const maxCoalesced = 16;

/**
 * Coalesces responses: resolves at the end of this event-loop turn, or as soon as 16 wait. Responses written
 * back to back wake a client that reads several of them once.
 */
export function createResponseCoalescer(): () => Promise<void> {
  let waiting: (() => void)[] = [];
  const go = () => {
    const all = waiting;
    waiting = [];
    for (const resolve of all) resolve();
  };
  return () =>
    new Promise((resolve) => {
      waiting.push(resolve);
      if (waiting.length === 1) setImmediate(go);
      if (waiting.length === maxCoalesced) go();
    });
}
