import type { UpstreamName } from '../errors.ts';
import type { UpstreamName as GraphName, Resolvers, Upstream } from '../generated/graphql.ts';
import type { Access } from '../http/auth/access.ts';
import type { UpstreamSnapshot } from '../http/upstream.ts';

interface UpstreamSource {
  /** Null for an upstream that is not configured. */
  readonly snapshot: ((access: Access) => UpstreamSnapshot) | null;
}

/** Lists the state of all upstreams for the caller of one request. */
export type ListUpstreams = () => readonly Upstream[];

const graphNames: readonly (readonly [UpstreamName, GraphName])[] = [
  ['business', 'BUSINESS'],
  ['instances', 'INSTANCES'],
  ['health', 'HEALTH'],
];

/** `callerAt` returns the caller's identity in the rate limiter of an upstream. */
export function createUpstreamsList(
  upstreams: Readonly<Record<UpstreamName, UpstreamSource>>,
  callerAt: (upstream: UpstreamName) => Access,
): ListUpstreams {
  return () =>
    graphNames.map(([upstream, name]) => {
      const snapshot = upstreams[upstream].snapshot?.(callerAt(upstream));
      if (!snapshot) return { name, isConfigured: false, breaker: null, pace: null, lately: null };
      const { breaker, rateLimit, callStats } = snapshot;
      const { pausedMs, ...counts } = rateLimit;
      return {
        name,
        isConfigured: true,
        breaker: { state: breaker.state, openUntil: toTime(breaker.openMs) },
        pace: { ...counts, pausedUntil: toTime(pausedMs) },
        lately: callStats,
      };
    });
}

const toTime = (msFromNow: number | null) =>
  msFromNow === null ? null : new Date(Date.now() + msFromNow).toISOString();

export const upstreamResolvers: Resolvers = {
  Query: { upstreams: (_root, _args, { upstreams }) => upstreams() },
};
