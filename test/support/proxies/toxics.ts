/** What is done to the next exchange that matches, or to the next connection. */
export interface Toxic {
  /** To how many of them; one when left out. */
  readonly times?: number;
  /** Only where the request's first line holds this text. */
  readonly on?: string;
  /** Only where the connection has been used before. */
  readonly kept?: boolean;
  /** To a connection as it comes: closed, reset, or taken and never served. It has nothing of the rest. */
  readonly connection?: 'closed' | 'reset' | 'silent';
  /** Resets the connection as the request comes, which goes no further. */
  readonly unheard?: boolean;
  /** The answer comes so much later. */
  readonly latencyMs?: number;
  /** It comes in pieces, each so long after the one before: a slow line, or a drip. */
  readonly pieces?: { readonly bytes: number; readonly everyMs: number };
  /** Makes something else of it, once it is whole. */
  readonly rewrite?: (answer: Buffer) => Buffer;
  /** Closes the connection after so many of its bytes, or when it is whole. */
  readonly cutAt?: number | 'end';
  /** Resets the connection after so many of its bytes; with 0, before any. */
  readonly resetAt?: number;
}

/** What is still to be done, in the order it was asked for. */
export function createToxics() {
  let waiting: { readonly toxic: Toxic; left: number }[] = [];

  const take = (matches: (toxic: Toxic) => boolean): Toxic => {
    const found = waiting.find(({ toxic, left }) => left > 0 && matches(toxic));
    if (!found) return {};
    found.left -= 1;
    return found.toxic;
  };

  return {
    next: (toxic: Toxic) => void waiting.push({ toxic, left: toxic.times ?? 1 }),
    /** Forgets what was still to be done. */
    calm() {
      waiting = [];
    },
    /** What is done to a connection that has just come. */
    atDoor: () => take(({ connection }) => connection !== undefined).connection,
    /** What is done to a request, and to its answer; nothing where nothing matches. */
    atRequest: (line: string, isKept: boolean) =>
      take(
        ({ connection, on = '', kept = false }) =>
          connection === undefined && line.includes(on) && (!kept || isKept),
      ),
  };
}
