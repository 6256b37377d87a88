// Waiting pieces of work by key, the next key first.
const queuesByKey = new Map<string, (() => void)[]>();

// Node accepts one connection per event-loop turn, and reads, answers and sends a small request within three turns.
const minIdleTurns = 10;
// An idle turn takes a tenth of that.
const maxIdleTurnMs = 0.2;
const maxRestMs = 250;

let isScheduled = false;
let isRunning = false;
let startedAt = 0;
let tookMs = 0;
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
    tookMs = now - startedAt;
    idleTurns = 0;
  } else {
    idleTurns = now - lastTurnAt < maxIdleTurnMs ? idleTurns + 1 : 0;
  }
  lastTurnAt = now;
  const hasRested = idleTurns >= minIdleTurns || now - startedAt - tookMs >= Math.min(tookMs, maxRestMs);
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
 * Resolves in an event-loop turn in which no other piece of work is resumed. Call it before each long synchronous piece of
 * work. The pieces of one key run in order, and keys take turns (round robin). After each piece the queue rests for as long
 * as the piece took, 250 ms at most, or until the event loop is idle, so that other work gets half of the time. One queue
 * per process, since a process has one event loop.
 */
export const waitForTurn = (key: string): Promise<void> =>
  new Promise((resolve) => {
    const waiting = queuesByKey.get(key);
    if (waiting) waiting.push(resolve);
    else queuesByKey.set(key, [resolve]);
    schedule();
  });
