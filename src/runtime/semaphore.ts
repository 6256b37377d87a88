/** Runs tasks, no more than `permits` at a time; the others wait and start in the order in which they came. */
export function createSemaphore(permits: number): <T>(task: () => Promise<T>) => Promise<T> {
  let running = 0;
  const waiting: (() => void)[] = [];

  return async (task) => {
    if (running >= permits) await new Promise<void>((resolve) => waiting.push(resolve));
    else running += 1;
    try {
      return await task();
    } finally {
      // A task that ends hands its permit to the next one that waits.
      const next = waiting.shift();
      if (next) next();
      else running -= 1;
    }
  };
}
