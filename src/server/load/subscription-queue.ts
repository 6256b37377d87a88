import type { Caller } from '../caller.ts';
import type { Rejection } from '../rejection.ts';
import { type Admission, type AdmittedCaller, tokenOf } from './admission.ts';
import type { LoadShedder } from './shedding.ts';

/** Queues subscriptions until a slot is free. Clients do not resubscribe after an error. */
export interface SubscriptionQueue {
  /**
   * Resolves when a slot is free for the caller; after five seconds, with the normal admission result. The
   * socket is paused meanwhile, so that further messages take no memory.
   */
  admit(caller: Caller, socket: PausableSocket): Promise<AdmittedCaller | Rejection>;
}

interface PausableSocket {
  pause(): void;
  resume(): void;
}

interface QueuedSubscription {
  readonly caller: Caller;
  /** As `performance.now()`. */
  readonly until: number;
  resolve(admitted: AdmittedCaller | Rejection | Promise<AdmittedCaller | Rejection>): void;
}

const maxQueueWaitMs = 5_000;
const queuePollMs = 25;

/** First in, first out, skipping callers whose share is used up. */
export function createSubscriptionQueue(
  admission: Admission,
  shedding: Pick<LoadShedder, 'hasSlot'>,
): SubscriptionQueue {
  let waiting: QueuedSubscription[] = [];
  const paused = new Map<PausableSocket, number>();
  let timer: NodeJS.Timeout | undefined;

  const admitWaiting = () => {
    const now = performance.now();
    waiting = waiting.filter(({ caller, until, resolve }) => {
      if (until > now && !shedding.hasSlot(caller.key, tokenOf(caller))) return true;
      resolve(admission.admit(caller));
      return false;
    });
    if (waiting.length === 0) timer = void clearInterval(timer);
  };

  const pauseSocket = (socket: PausableSocket) => {
    if (!paused.has(socket)) socket.pause();
    paused.set(socket, (paused.get(socket) ?? 0) + 1);
  };
  const resumeSocket = (socket: PausableSocket) => {
    const left = (paused.get(socket) ?? 1) - 1;
    if (left > 0) return paused.set(socket, left);
    paused.delete(socket);
    return socket.resume();
  };

  return {
    async admit(caller, socket) {
      if (waiting.length === 0 && shedding.hasSlot(caller.key, tokenOf(caller)))
        return admission.admit(caller);
      timer ??= setInterval(admitWaiting, queuePollMs);
      pauseSocket(socket);
      const until = performance.now() + maxQueueWaitMs;
      return new Promise<AdmittedCaller | Rejection>((resolve) => {
        waiting.push({ caller, until, resolve });
      }).finally(() => resumeSocket(socket));
    },
  };
}
