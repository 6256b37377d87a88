import { UpstreamError, type UpstreamName } from '../errors.ts';
import type { Deadline } from './deadline.ts';

/** Whose call it is, and with whose others the upstream counts it: under a token of the layer's own, with all. */
export interface Passenger {
  readonly pace: string;
  readonly principal: string;
}

/** Lets calls to one upstream go when it is their turn: in order for each caller, and in turn among callers. */
export interface Gate {
  /**
   * What is to be called once when a call has ended: at once where it may go, else when it may. Fails with an
   * `UpstreamError` of a call that was not sent: at once where the wait would be longer than there is time for, or too
   * many wait.
   */
  enter(passenger: Passenger, deadline: Deadline): (() => void) | Promise<() => void>;
  /** Lets no call of this caller go for so long: the upstream has said that there were too many. */
  close(pace: string, ms: number): void;
  state(): GateState;
  look(passenger: Passenger): GateLook;
}

export interface GateState {
  /** How many calls are on their way. */
  readonly inFlight: number;
  /** How many wait for their turn. */
  readonly waiting: number;
  /** How many callers may send nothing now. */
  readonly pausedCallers: number;
}

/** What a caller has here, and may have. */
export interface GateLook {
  readonly inFlight: number;
  readonly maxInFlight: number;
  readonly waiting: number;
  readonly maxWaiting: number;
  /** For how long no call goes; null where they do. */
  readonly pausedMs: number | null;
}

export interface GateOptions {
  readonly upstream: UpstreamName;
  /** How many calls may be on their way. */
  readonly calls: number;
  /** How many of one caller, as one caller's are what the upstreams count. */
  readonly callsOfCaller: number;
  /** How many of one caller may wait, whoever else is counted with it. */
  readonly waitingOfCaller: number;
}

interface Waiting {
  readonly deadline: Deadline;
  go(): void;
  giveUp(): void;
}

/** What one caller has here; it is forgotten when there is nothing. */
interface Lane {
  readonly pace: string;
  running: number;
  /** How many of them by whose they are. */
  readonly own: Map<string, number>;
  /** By who waits. Whoever had a turn goes to the end. */
  readonly waiting: Map<string, Set<Waiting>>;
  /** On the clock of `performance.now()`. */
  openAt: number;
  opening: NodeJS.Timeout | undefined;
}

// An upstream may ask for more, but a mistake of its own must not shut a caller out for a day.
const longestClosedMs = 300_000;

export function createGate({ upstream, calls, callsOfCaller, waitingOfCaller }: GateOptions): Gate {
  const lanes = new Map<string, Lane>();
  // Those where somebody waits. Whoever had a turn goes to the end.
  const queue = new Set<Lane>();
  let running = 0;

  const laneOf = (pace: string): Lane => {
    const known = lanes.get(pace);
    if (known) return known;
    const lane = {
      pace,
      running: 0,
      own: new Map<string, number>(),
      waiting: new Map<string, Set<Waiting>>(),
      openAt: 0,
      opening: undefined,
    };
    lanes.set(pace, lane);
    return lane;
  };

  const isOpen = ({ openAt }: Lane) => openAt <= performance.now();
  const mayGo = (lane: Lane) => running < calls && lane.running < callsOfCaller && isOpen(lane);

  const settle = (lane: Lane) => {
    if (lane.waiting.size > 0) return;
    queue.delete(lane);
    if (lane.running === 0 && lane.opening === undefined) lanes.delete(lane.pace);
  };

  const count = (lane: Lane, principal: string, more: 1 | -1) => {
    running += more;
    lane.running += more;
    const own = (lane.own.get(principal) ?? 0) + more;
    if (own > 0) lane.own.set(principal, own);
    else lane.own.delete(principal);
  };

  const begin = (lane: Lane, principal: string): (() => void) => {
    count(lane, principal, 1);
    return () => {
      const wasFull = running === calls;
      count(lane, principal, -1);
      // Unless all were waiting for this place, only this caller was.
      if (wasFull) advance();
      else advanceIn(lane);
      settle(lane);
    };
  };

  const advanceIn = (lane: Lane): boolean => {
    const [first] = lane.waiting;
    if (!first || !mayGo(lane)) return false;
    queue.delete(lane);
    queue.add(lane);
    const [principal, own] = first;
    lane.waiting.delete(principal);
    lane.waiting.set(principal, own);
    const [next] = own;
    next?.go();
    return true;
  };

  const advance = () => {
    while (running < calls && [...queue].map(advanceIn).includes(true));
  };

  const refusal = (message: string, retryAfterSeconds: number) =>
    new UpstreamError('UPSTREAM_THROTTLED', message, { upstream, fate: 'unsent', retryAfterSeconds });
  const closed = ({ openAt }: Lane) => refusal(isThrottling, Math.ceil((openAt - performance.now()) / 1000));
  const full = () => refusal(isFull, 1);

  const wait = (lane: Lane, principal: string, deadline: Deadline) =>
    new Promise<() => void>((resolve, reject) => {
      const own = lane.waiting.get(principal) ?? new Set();
      lane.waiting.set(principal, own);
      const end = () => {
        stay();
        own.delete(waiting);
        if (own.size === 0) lane.waiting.delete(principal);
        settle(lane);
      };
      const waiting: Waiting = {
        deadline,
        go() {
          resolve(begin(lane, principal));
          end();
        },
        giveUp() {
          end();
          reject(isOpen(lane) ? full() : closed(lane));
        },
      };
      own.add(waiting);
      queue.add(lane);
      const stay = deadline.onOver(waiting.giveUp);
    });

  const open = (lane: Lane) => {
    // A timer may be early.
    lane.opening = isOpen(lane)
      ? undefined
      : setTimeout(open, Math.ceil(lane.openAt - performance.now()), lane).unref();
    if (lane.opening) return;
    advance();
    settle(lane);
  };

  return {
    enter({ pace, principal }, deadline) {
      if (deadline.isOver) throw full();
      const lane = laneOf(pace);
      if (lane.waiting.size === 0 && mayGo(lane)) return begin(lane, principal);
      if (lane.openAt > deadline.at) throw closed(lane);
      if ((lane.waiting.get(principal)?.size ?? 0) >= waitingOfCaller) throw full();
      return wait(lane, principal, deadline);
    },

    close(pace, ms) {
      const lane = laneOf(pace);
      const openAt = performance.now() + Math.min(ms, longestClosedMs);
      if (openAt <= lane.openAt) return settle(lane);
      lane.openAt = openAt;
      for (const waiting of [...lane.waiting.values()].flatMap((own) => [...own]))
        if (waiting.deadline.at < openAt) waiting.giveUp();
      clearTimeout(lane.opening);
      open(lane);
    },

    state() {
      const all = [...lanes.values()];
      return {
        inFlight: running,
        waiting: all.flatMap(({ waiting }) => [...waiting.values()]).reduce((sum, { size }) => sum + size, 0),
        pausedCallers: all.filter(({ opening }) => opening !== undefined).length,
      };
    },

    look({ pace, principal }) {
      const lane = lanes.get(pace);
      const pausedMs = (lane?.openAt ?? 0) - performance.now();
      return {
        inFlight: lane?.own.get(principal) ?? 0,
        maxInFlight: Math.min(calls, callsOfCaller),
        waiting: lane?.waiting.get(principal)?.size ?? 0,
        maxWaiting: waitingOfCaller,
        pausedMs: pausedMs > 0 ? pausedMs : null,
      };
    },
  };
}

const isThrottling = 'The upstream is throttling this caller. Wait, then try again.';
const isFull = 'Too many calls of this caller wait for the upstream. Ask for less at a time.';
