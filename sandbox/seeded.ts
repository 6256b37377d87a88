import { createHash } from 'node:crypto';

export type Random = ReturnType<typeof createRandom>;

/** A pseudo-random number generator (mulberry32). The same seed gives the same sequence. */
export function createRandom(seed: number) {
  let state = seed;

  function next(): number {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }

  /** A whole number from `low` to `high`, both included. */
  function between(low: number, high: number): number {
    return low + Math.floor(next() * (high - low + 1));
  }

  return {
    between,
    /** One element of a list that is not empty. */
    pick: <T>(list: readonly T[]): T => elementAt(list, between(0, list.length - 1)),
    /** True about once in `n` times. */
    oneIn: (n: number): boolean => next() * n < 1,
  };
}

/** Element of a list by an index that wraps around. */
export function elementAt<T>(list: readonly T[], index: number): T {
  const element = list[index % list.length];
  if (element === undefined) throw new TypeError(`expected a list with elements, got ${list.length}`);
  return element;
}

/** A lower-case GUID of version 4 form, derived from a text. */
export function derivedGuid(text: string): string {
  const hex = createHash('sha1').update(text).digest('hex');
  const variant = elementAt(['8', '9', 'a', 'b'], Number.parseInt(hex.slice(16, 17), 16));
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `4${hex.slice(13, 16)}`,
    variant + hex.slice(17, 20),
    hex.slice(20, 32),
  ].join('-');
}
