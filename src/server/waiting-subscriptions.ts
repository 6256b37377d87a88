import type { Caller } from './caller.ts';
import type { Entered, Entry } from './entry.ts';
import type { Refusal } from './refusal.ts';
import type { Shedding } from './shedding.ts';

/** Queues subscriptions until there is a place: clients do not subscribe again after an error. */
export interface WaitingSubscriptions {
  /**
   * Resolves once there is a place for the caller. After five seconds the caller is admitted or refused like any
   * request. Until then the socket is paused, so that what its client sends takes no memory.
   */
  enter(caller: Caller, socket: Source): Promise<Entered | Refusal>;
}

interface Source {
  pause(): void;
  resume(): void;
}

interface Waiting {
  readonly caller: Caller;
  /** On the clock of `performance.now()`. */
  readonly until: number;
  resolve(entered: Entered | Refusal | Promise<Entered | Refusal>): void;
}

const longestWaitMs = 5_000;
const lookMs = 25;

/** First come, first served among those whose callers have places left. */
export function createWaitingSubscriptions(
  entry: Entry,
  shedding: Pick<Shedding, 'hasPlace'>,
): WaitingSubscriptions {
  let waiting: Waiting[] = [];
  const paused = new Map<Source, number>();
  let timer: NodeJS.Timeout | undefined;

  const admit = () => {
    const now = performance.now();
    waiting = waiting.filter(({ caller, until, resolve }) => {
      if (until > now && !shedding.hasPlace(caller)) return true;
      resolve(entry.enter(caller));
      return false;
    });
    if (waiting.length === 0) timer = void clearInterval(timer);
  };

  const pause = (socket: Source) => {
    if (!paused.has(socket)) socket.pause();
    paused.set(socket, (paused.get(socket) ?? 0) + 1);
  };
  const resume = (socket: Source) => {
    const others = (paused.get(socket) ?? 1) - 1;
    if (others > 0) return paused.set(socket, others);
    paused.delete(socket);
    return socket.resume();
  };

  return {
    async enter(caller, socket) {
      if (waiting.length === 0 && shedding.hasPlace(caller)) return entry.enter(caller);
      timer ??= setInterval(admit, lookMs);
      pause(socket);
      const until = performance.now() + longestWaitMs;
      return new Promise<Entered | Refusal>((resolve) => {
        waiting.push({ caller, until, resolve });
      }).finally(() => resume(socket));
    },
  };
}
