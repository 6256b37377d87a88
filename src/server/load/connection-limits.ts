import type { Caller } from '../caller.ts';
import { digestTokens } from '../caller-tokens.ts';
import type { ShedReason } from './shedding.ts';

/** Limits open WebSockets and event streams: in total, by address, and by caller. */
export interface ConnectionLimiter {
  /**
   * Counts a connection of an address. Returns the function that releases it, or null if the limit is reached. The last
   * tenth of all connections is reserved for addresses that hold less than a tenth, so that one address cannot take all.
   */
  acquire(kind: ConnectionKind, address: string): (() => void) | null;
  /**
   * Counts a connection of an identified caller. Returns the function that releases it, or null if the limit is
   * reached.
   */
  acquireForCaller(caller: Caller): (() => void) | null;
  /**
   * Counts an event stream as `acquire` does, with the caller's key as its address, and as `acquireForCaller` does. Returns
   * null, and counts nothing, if either limit is reached.
   */
  acquireEventStream(caller: Caller): (() => void) | null;
  /** Returns the number of open connections of a kind. */
  countOpen(kind: ConnectionKind): number;
}

const reservedShare = 0.1;

type ConnectionKind = 'sockets' | 'eventStreams';

export interface ConnectionLimits {
  readonly maxSockets: number;
  readonly maxSocketsPerCaller: number;
}

/** `onRejected` is called for each connection beyond a limit. */
export function createConnectionLimiter(
  limits: ConnectionLimits,
  onRejected: (reason: ShedReason) => void,
): ConnectionLimiter {
  const open = { sockets: 0, eventStreams: 0 };
  const [byAddress, byCaller] = [new Map<string, number>(), new Map<string, number>()];
  const reject = (reason: ShedReason) => {
    onRejected(reason);
    return null;
  };
  const count = (counts: Map<string, number>, key: string) => {
    counts.set(key, (counts.get(key) ?? 0) + 1);
    return once(() => {
      const left = (counts.get(key) ?? 1) - 1;
      if (left === 0) counts.delete(key);
      else counts.set(key, left);
    });
  };

  const acquire = (kind: ConnectionKind, address: string) => {
    const { maxSockets } = limits;
    const reserved = Math.floor(maxSockets * reservedShare);
    const free = maxSockets - open.sockets - open.eventStreams;
    if (free <= 0 || (free <= reserved && (byAddress.get(address) ?? 0) >= reserved))
      return reject('connections');
    open[kind] += 1;
    const release = count(byAddress, address);
    return once(() => {
      open[kind] -= 1;
      release();
    });
  };
  const acquireForCaller = (caller: Caller) => {
    const key = getConnectionKey(caller);
    if ((byCaller.get(key) ?? 0) >= limits.maxSocketsPerCaller) return reject('caller');
    return count(byCaller, key);
  };

  return {
    acquire,
    acquireForCaller,
    acquireEventStream(caller) {
      const releaseKind = acquire('eventStreams', caller.key);
      const releaseCaller = releaseKind && acquireForCaller(caller);
      if (releaseKind && releaseCaller)
        return () => {
          releaseKind();
          releaseCaller();
        };
      releaseKind?.();
      return null;
    },
    countOpen: (kind) => open[kind],
  };
}

/** Returns the key under which a caller's connections are counted: its verified identity, or a digest of its tokens. */
export const getConnectionKey = ({ verified, tokens }: Caller): string =>
  verified?.key ?? digestTokens(tokens);

/** Returns a function that calls `act` at most once. */
function once(act: () => void): () => void {
  let isDone = false;
  return () => {
    if (!isDone) act();
    isDone = true;
  };
}
