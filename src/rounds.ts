const waiting: (() => void)[] = [];

const go = () => {
  waiting.shift()?.();
  if (waiting.length > 0) setImmediate(go);
};

/**
 * Resolves in a round of the event loop that nobody else who waits has: long pieces of work are done one a round, in the
 * order they ask, and whatever else there is to do, between them. One queue for the process, as it has one event loop.
 */
export const ownRound = (): Promise<void> =>
  new Promise((resolve) => {
    waiting.push(resolve);
    if (waiting.length === 1) setImmediate(go);
  });
