import { createHash } from 'node:crypto';
import type { Caller } from './caller.ts';

/** Counts what stays open, WebSockets and event streams together: all of them, and each caller's. */
export interface Connections {
  /** Takes a place; what is returned gives it back. Null where there is none. */
  open(kind: ConnectionKind): (() => void) | null;
  /** The same for a caller, once it is known who that is. */
  openFor(caller: Caller): (() => void) | null;
  /** How many of a kind are open. */
  count(kind: ConnectionKind): number;
}

type ConnectionKind = 'sockets' | 'eventStreams';

export interface ConnectionLimits {
  readonly maxSockets: number;
  readonly maxSocketsPerCaller: number;
}

export function createConnections({ maxSockets, maxSocketsPerCaller }: ConnectionLimits): Connections {
  const open = { sockets: 0, eventStreams: 0 };
  const byCaller = new Map<string, number>();

  return {
    open(kind) {
      if (open.sockets + open.eventStreams >= maxSockets) return null;
      open[kind] += 1;
      return once(() => {
        open[kind] -= 1;
      });
    },
    count: (kind) => open[kind],
    openFor(caller) {
      const name = nameOf(caller);
      const count = byCaller.get(name) ?? 0;
      if (count >= maxSocketsPerCaller) return null;
      byCaller.set(name, count + 1);
      return once(() => {
        const left = (byCaller.get(name) ?? 1) - 1;
        if (left === 0) byCaller.delete(name);
        else byCaller.set(name, left);
      });
    },
  };
}

/** Who shares what: who it is, where that is proven; else its tokens, of which nothing but a digest is kept. */
export function nameOf({ verified, tokens }: Caller): string {
  const parts = verified ? [verified.issuer, verified.subject] : [tokens.business, tokens.management];
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url');
}

/** What acts the first time it is called, and never again. */
export function once(act: () => void): () => void {
  let isDone = false;
  return () => {
    if (!isDone) act();
    isDone = true;
  };
}
