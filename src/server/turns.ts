/** Does a piece of work when its turn has come. */
export type InTurn = <Value>(work: () => Value) => Promise<Value>;

// How long others wait for what has its turn, unless a single piece takes longer.
const turnMs = 5;

/**
 * Lets long pieces of work wait for one another: what is short, and whatever else this process has to do, is done
 * between them, however many there are.
 */
export function createTurns(): InTurn {
  const waiting: (() => void)[] = [];

  const take = () => {
    const startedAt = performance.now();
    do waiting.shift()?.();
    while (waiting.length > 0 && performance.now() - startedAt < turnMs);
    if (waiting.length > 0) setImmediate(take);
  };

  return (work) =>
    new Promise((resolve, reject) => {
      if (waiting.length === 0) setImmediate(take);
      waiting.push(() => {
        try {
          resolve(work());
        } catch (error) {
          reject(error);
        }
      });
    });
}
