import type { UpstreamName } from '../errors.ts';
import type { Resolvers, Upstream, UpstreamName as Word } from '../generated/graphql.ts';
import type { BreakerCaller } from './breaker.ts';
import type { CircuitLook } from './circuit.ts';
import type { GateLook, Passenger } from './gate.ts';
import type { CallsLook } from './lately.ts';

/** How an upstream does, and what one caller has under way there. */
export interface UpstreamLook {
  readonly breaker: CircuitLook;
  readonly pace: GateLook;
  readonly lately: CallsLook;
}

/** Looks at an upstream for a caller; null where it has no address. */
interface Seen {
  readonly look: ((caller: Passenger & BreakerCaller) => UpstreamLook) | null;
}

/** How all upstreams do, for one request. */
export type Upstreams = () => readonly Upstream[];

const words: readonly (readonly [UpstreamName, Word])[] = [
  ['business', 'BUSINESS'],
  ['instances', 'INSTANCES'],
  ['health', 'HEALTH'],
];

/** `callerAt` says as whom the caller is counted at an upstream. */
export function createUpstreams(
  upstreams: Readonly<Record<UpstreamName, Seen>>,
  callerAt: (upstream: UpstreamName) => Passenger & BreakerCaller,
): Upstreams {
  return () =>
    words.map(([upstream, name]) => {
      const look = upstreams[upstream].look?.(callerAt(upstream));
      if (!look) return { name, isConfigured: false, breaker: null, pace: null, lately: null };
      const { breaker, pace, lately } = look;
      const { pausedMs, ...lane } = pace;
      return {
        name,
        isConfigured: true,
        breaker: { state: breaker.state, openUntil: timeIn(breaker.openMs) },
        pace: { ...lane, pausedUntil: timeIn(pausedMs) },
        lately,
      };
    });
}

const timeIn = (ms: number | null) => (ms === null ? null : new Date(Date.now() + ms).toISOString());

export const upstreamResolvers: Resolvers = {
  Query: { upstreams: (_root, _args, { upstreams }) => upstreams() },
};
