import type { UpstreamName } from '../errors.ts';
import { maxPauseMs, type RateLimiter } from '../http/resilience/rate-limiter.ts';
import type { Bus } from '../operations/bus.ts';

/** Shares pauses of callers among replicas, so that none sends anything before a throttled caller may. */
export interface SharedThrottling {
  /** Applies the pauses that other replicas publish to the rate limiter of an upstream. */
  addRateLimiter(upstream: UpstreamName, rateLimiter: RateLimiter): void;
  /** Tells the other replicas that an upstream has asked a caller to wait `ms`. */
  publish(upstream: UpstreamName, rateLimitKey: string, ms: number): void;
  /** Applies the pauses published before this replica joined. Resolves after a quarter of a second at most. */
  restore(): Promise<void>;
  leave(): void;
}

// Redis may hold anything: other messages are ignored.
const throttleMessage = /^(\w{1,20}) ([\w-]{43}) (\d{1,15}(?:\.\d{1,20})?)$/;

/** Messages name no caller: a rate limit key is an HMAC with the secret that the replicas share. */
export async function joinSharedThrottling(bus: Bus): Promise<SharedThrottling> {
  const rateLimiters = new Map<string, RateLimiter>();
  const member = await bus.join('pace', (message) => {
    const [, upstream = '', rateLimitKey = '', ms] = throttleMessage.exec(message) ?? [];
    if (Number(ms) > 0) rateLimiters.get(upstream)?.pause(rateLimitKey, Number(ms));
  });
  return {
    addRateLimiter: (upstream, rateLimiter) => void rateLimiters.set(upstream, rateLimiter),
    // Limited as the pause here is: otherwise a replica that joins later would start another pause of that length.
    publish: (upstream, rateLimitKey, ms) =>
      member.publishRetained(`${upstream} ${rateLimitKey}`, Math.min(ms, maxPauseMs)),
    restore: () => member.replayRetained(),
    leave: () => member.leave(),
  };
}
