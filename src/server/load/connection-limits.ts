import type { Reloadable } from '../../runtime/reloadable.ts';
import type { Caller } from '../caller.ts';
import { digestTokens } from '../caller-tokens.ts';
import type { ShedReason } from './shed-reasons.ts';

/** Limits open WebSockets and event streams, in total and per caller. */
export interface ConnectionLimiter {
  /** Counts a connection. Returns the function that releases it, or null if the limit is reached. */
  acquire(kind: ConnectionKind): (() => void) | null;
  /** Counts a connection of an identified caller, likewise. */
  acquireForCaller(caller: Caller): (() => void) | null;
  /** Does both, or neither. */
  acquireBoth(kind: ConnectionKind, caller: Caller): (() => void) | null;
  /** Returns the number of open connections of a kind. */
  countOpen(kind: ConnectionKind): number;
}

type ConnectionKind = 'sockets' | 'eventStreams';

export interface ConnectionLimits {
  readonly maxSockets: number;
  readonly maxSocketsPerCaller: number;
}

/** `onRejected` is called for each connection beyond a limit. */
export function createConnectionLimiter(
  limits: Reloadable<ConnectionLimits>,
  onRejected: (reason: ShedReason) => void,
): ConnectionLimiter {
  const open = { sockets: 0, eventStreams: 0 };
  const byCaller = new Map<string, number>();
  const rejectFor = (reason: ShedReason) => {
    onRejected(reason);
    return null;
  };

  const acquire = (kind: ConnectionKind) => {
    if (open.sockets + open.eventStreams >= limits.current.maxSockets) return rejectFor('connections');
    open[kind] += 1;
    return once(() => {
      open[kind] -= 1;
    });
  };
  const acquireForCaller = (caller: Caller) => {
    const key = connectionKeyOf(caller);
    const count = byCaller.get(key) ?? 0;
    if (count >= limits.current.maxSocketsPerCaller) return rejectFor('caller');
    byCaller.set(key, count + 1);
    return once(() => {
      const left = (byCaller.get(key) ?? 1) - 1;
      if (left === 0) byCaller.delete(key);
      else byCaller.set(key, left);
    });
  };

  return {
    acquire,
    acquireForCaller,
    acquireBoth(kind, caller) {
      const releaseKind = acquire(kind);
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

/** Returns the key that a caller's connections count for: its verified identity, or a digest of its tokens. */
export const connectionKeyOf = ({ verified, tokens }: Caller): string =>
  verified?.key ?? digestTokens(tokens);

/** Returns a function that calls `act` at most once. */
function once(act: () => void): () => void {
  let isDone = false;
  return () => {
    if (!isDone) act();
    isDone = true;
  };
}
