// Waiting tasks by key, the next key first.
const queuesByKey = new Map<string, (() => void)[]>();

// Node.js accepts one connection per event-loop turn, and handles a small request within three turns.
const minIdleTurns = 10;
// An idle turn takes about 0.02 ms.
const maxIdleTurnMs = 0.2;
const maxRestMs = 250;

let isScheduled = false;
let isRunning = false;
let startedAt = 0;
let taskMs = 0;
let lastTurnAt = 0;
let idleTurns = 0;

const schedule = () => {
  if (isScheduled) return;
  isScheduled = true;
  setImmediate(onTurn);
};

const onTurn = () => {
  isScheduled = false;
  const now = performance.now();
  if (isRunning) {
    isRunning = false;
    taskMs = now - startedAt;
    idleTurns = 0;
  } else {
    idleTurns = now - lastTurnAt < maxIdleTurnMs ? idleTurns + 1 : 0;
  }
  lastTurnAt = now;
  const hasRested = idleTurns >= minIdleTurns || now - startedAt - taskMs >= Math.min(taskMs, maxRestMs);
  if (hasRested && queuesByKey.size > 0) {
    startedAt = now;
    isRunning = true;
    resumeNext();
  }
  if (queuesByKey.size > 0 || isRunning) schedule();
};

const resumeNext = () => {
  for (const [key, waiting] of queuesByKey) {
    const resume = waiting.shift();
    queuesByKey.delete(key);
    if (waiting.length > 0) queuesByKey.set(key, waiting);
    return resume?.();
  }
};

/**
 * Resolves in an event-loop turn in which no other task is resumed. Call it before each long synchronous task. Tasks of
 * one key run in order, and keys take turns (round robin). After each task the queue rests until the event loop is idle,
 * or for as long as the task took, 250 ms at most: other work gets at least half of the time. A process has one queue
 * because it has one event loop.
 */
export const waitForTurn = (key: string): Promise<void> =>
  new Promise((resolve) => {
    const waiting = queuesByKey.get(key);
    if (waiting) waiting.push(resolve);
    else queuesByKey.set(key, [resolve]);
    schedule();
  });
