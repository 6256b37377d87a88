/** Limits how many tasks run at a time. Waiting tasks start in order. */
export interface Semaphore {
  <T>(task: () => Promise<T>): Promise<T>;
  isIdle(): boolean;
}

export function createSemaphore(permits: number): Semaphore {
  let running = 0;
  const waiting: (() => void)[] = [];

  const run = async <T>(task: () => Promise<T>): Promise<T> => {
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
  return Object.assign(run, { isIdle: () => running === 0 });
}
