/** What follows a run: the next one after `waitMs`. With `isMinimum`, `trigger` cannot make it come earlier. */
export interface RunResult {
  readonly waitMs: number;
  readonly isMinimum: boolean;
}

type Phase = 'running' | 'runningAndTriggered' | 'waiting' | 'stopped';

export interface RepeatingTask {
  /** Runs the task now, or once more after the current run. */
  trigger(): void;
  /** Prevents further runs; the current one goes on. */
  stop(): void;
}

/** Starts a task that runs again and again, one run at a time, until it is stopped. `run` must not reject. */
export function startRepeatingTask(run: () => Promise<RunResult>): RepeatingTask {
  let phase: Phase = 'waiting';
  let earliestAt = Number.NEGATIVE_INFINITY;
  let timer: NodeJS.Timeout | undefined;

  const isIn = (one: Phase) => phase === one;
  const runAfter = (ms: number) => {
    clearTimeout(timer);
    timer = setTimeout(step, Math.max(ms, earliestAt - performance.now(), 0));
  };
  const step = async () => {
    phase = 'running';
    const { waitMs, isMinimum } = await run();
    if (isIn('stopped')) return;
    if (isMinimum) earliestAt = performance.now() + waitMs;
    const isTriggered = isIn('runningAndTriggered');
    phase = 'waiting';
    runAfter(isTriggered ? 0 : waitMs);
  };

  void step();
  return {
    trigger() {
      if (phase === 'running') phase = 'runningAndTriggered';
      if (phase === 'waiting') runAfter(0);
    },
    stop() {
      phase = 'stopped';
      clearTimeout(timer);
    },
  };
}
