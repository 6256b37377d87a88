import { UpstreamError, type UpstreamName } from '../errors.ts';

/** Stops asking an upstream that fails: it is left alone to recover, and nobody waits for what will not come. */
export interface Breaker {
  /**
   * Lets a caller make a call; what is returned is to be told once what its end says of the upstream: that it is well,
   * that it is not, or null for nothing. Throws the `UpstreamError` of a call that is not made.
   */
  begin(pace: string): (isWell: boolean | null) => void;
  look(): BreakerLook;
}

export interface BreakerLook {
  readonly state: 'CLOSED' | 'OPEN' | 'HALF_OPEN';
  /** For how long calls fail at once; null where they are made. */
  readonly openMs: number | null;
}

/** Leaves no upstream alone. */
export const noBreaker: Breaker = {
  begin: () => () => {},
  look: () => ({ state: 'CLOSED', openMs: null }),
};

export interface BreakerOptions {
  readonly upstream: UpstreamName;
  /** Told when calls are stopped, and when they are made again. */
  onChange(isOpen: boolean): void;
}

interface Second {
  readonly at: number;
  good: number;
  bad: number;
  // Two of each are enough to know.
  readonly wellFor: Set<string>;
  readonly badFor: Set<string>;
}

// Half of twenty calls or more within ten seconds.
const share = 0.5;
const fewest = 20;
const seconds = 10;
// Then one call is let through to see; another one where that takes as long.
const pauseMs = 10_000;

export function createBreaker({ upstream, onChange }: BreakerOptions): Breaker {
  let lately: Second[] = [];
  let openedAt: number | null = null;
  let triedAt: number | null = null;
  // What was begun before the last change says nothing of how it is since.
  let era = 0;

  const change = (isOpen: boolean) => {
    era += 1;
    lately = [];
    triedAt = null;
    const isNews = isOpen === (openedAt === null);
    openedAt = isOpen ? performance.now() : null;
    if (isNews) onChange(isOpen);
  };

  const count = (pace: string, good: boolean) => {
    const at = Math.floor(performance.now() / 1000);
    if (lately.at(-1)?.at !== at) {
      lately = lately.filter((second) => second.at > at - seconds);
      lately.push({ at, good: 0, bad: 0, wellFor: new Set(), badFor: new Set() });
    }
    const second = lately.at(-1) as Second;
    second[good ? 'good' : 'bad'] += 1;
    const paces = good ? second.wellFor : second.badFor;
    if (paces.size < 2) paces.add(pace);
    if (!good && isDown()) change(true);
  };

  const isDown = () => {
    const bad = lately.reduce((sum, second) => sum + second.bad, 0);
    const all = lately.reduce((sum, second) => sum + second.good, bad);
    if (all < fewest || bad < all * share) return false;
    // Where it fails one caller and serves another, it is not the upstream that is in trouble.
    const [failed, ...others] = new Set(lately.flatMap(({ badFor }) => [...badFor]));
    return others.length > 0 || !lately.some(({ wellFor }) => [...wellFor].some((pace) => pace !== failed));
  };

  const learn = (pace: string, good: boolean | null, begun: number, isTrial: boolean) => {
    if (begun !== era) return;
    if (!isTrial) {
      if (good !== null) count(pace, good);
    } else if (good === null) triedAt = null;
    else change(!good);
  };

  const openMs = () => {
    const since = triedAt ?? openedAt;
    const ms = since === null ? 0 : since + pauseMs - performance.now();
    return ms > 0 ? ms : null;
  };

  return {
    begin(pace) {
      const leftMs = openMs();
      if (leftMs !== null) throw leftAlone(upstream, leftMs);
      const isTrial = openedAt !== null;
      if (isTrial) triedAt = performance.now();
      const begun = era;
      return (isWell) => learn(pace, isWell, begun, isTrial);
    },

    look() {
      if (openedAt === null) return { state: 'CLOSED', openMs: null };
      // One call is under way, or the next will be: it decides.
      const isTrial = triedAt !== null || openMs() === null;
      return isTrial ? { state: 'HALF_OPEN', openMs: null } : { state: 'OPEN', openMs: openMs() };
    },
  };
}

const tooOften = 'The upstream has failed too often, and is left alone for a while. Try again later.';

const leftAlone = (upstream: UpstreamName, ms: number) =>
  new UpstreamError('UPSTREAM_UNAVAILABLE', tooOften, {
    upstream,
    fate: 'unsent',
    retryAfterSeconds: Math.ceil(ms / 1000),
  });
