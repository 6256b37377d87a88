import type { Answer } from './answer.ts';

/** Reads on their way, so that whoever asks for the same meanwhile waits for the same answer. */
export interface InFlight {
  /** The answer of a read begun by this principal and not yet answered, else of `begin`. */
  share(principal: string, read: string, begin: () => Promise<Answer>): Promise<Answer>;
  /** Lets nobody join the reads begun so far: something was written, and they may tell the past. */
  detach(): void;
}

/** Nothing is kept beyond its answer, and nothing is shared between principals. */
export function createInFlight(): InFlight {
  let reads = new Map<string, Promise<Answer>>();

  return {
    share(principal, read, begin) {
      const own = reads;
      const key = `${principal} ${read}`;
      const known = own.get(key);
      if (known) return known;
      const begun = begin();
      own.set(key, begun);
      const forget = () => void own.delete(key);
      begun.then(forget, forget);
      return begun;
    },
    detach() {
      reads = new Map();
    },
  };
}
