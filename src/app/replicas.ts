import { LRUCache } from 'lru-cache';
import type { RecentWrites } from '../business/reading/reads.ts';
import type { Config } from '../config/config.ts';
import type { UpstreamName } from '../errors.ts';
import { maxPauseMs, type RateLimiter } from '../http/resilience/rate-limiter.ts';
import type { Bus } from '../operations/bus.ts';

/** Shares the pauses of throttled callers among replicas, so that no replica sends a caller's requests too early. */
export interface SharedThrottling {
  /** Applies the pauses that other replicas publish to the rate limiter of an upstream. */
  addRateLimiter(upstream: UpstreamName, rateLimiter: RateLimiter): void;
  /** Publishes that an upstream throttles a caller for `ms`. */
  publish(upstream: UpstreamName, quotaKey: string, ms: number): void;
  /** Applies the pauses that were published before this replica joined. Resolves within 250 ms. */
  restore(): Promise<void>;
  leave(): void;
}

// Other messages are ignored: Redis may contain anything.
const throttleMessage = /^(\w{1,20}) ([\w-]{43}) (\d{1,15}(?:\.\d{1,20})?)$/;

/** Messages do not reveal callers: a quota key is an HMAC with the secret that replicas share. */
export async function joinSharedThrottling(bus: Bus): Promise<SharedThrottling> {
  const rateLimiters = new Map<string, RateLimiter>();
  // The name of the topic is a wire format between replicas of different versions.
  const member = await bus.join('pace', (message) => {
    const [, upstream = '', quotaKey = '', ms] = throttleMessage.exec(message) ?? [];
    if (Number(ms) > 0) rateLimiters.get(upstream)?.pause(quotaKey, Number(ms));
  });
  return {
    addRateLimiter: (upstream, rateLimiter) => void rateLimiters.set(upstream, rateLimiter),
    // Capped like the pause of this replica. Otherwise a replica that joins later would start a longer one.
    publish: (upstream, quotaKey, ms) =>
      member.publishRetained(`${upstream} ${quotaKey}`, Math.min(ms, maxPauseMs)),
    restore: () => member.replayRetained(),
    leave: () => member.leave(),
  };
}

// Beyond this number, the least recently used marks are dropped. Reads after such writes may go to a read replica.
const maxMarks = 50_000;

// A person and a company id. Other messages come from another version, and are ignored.
const markKeyPattern = /^[\w-]{43} [\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/;

const markKeyOf = (person: string, companyId: string) => `${person} ${companyId}`;

/**
 * Keeps recent writes of this replica, and of the others over the bus.
 *
 * On each replica, the window of a write starts when the message arrives, by its own clock. Messages do not reveal callers: a
 * person is an HMAC with the secret that replicas share.
 */
export async function joinRecentWrites(bus: Bus, config: Config): Promise<RecentWrites & { leave(): void }> {
  // Not `max`, which allocates memory for all entries at once.
  const numbers = new LRUCache<string, number>({
    maxSize: maxMarks,
    sizeCalculation: () => 1,
    ttl: config.READ_AFTER_WRITE_SECONDS * 1_000,
  });
  let marks = 0;
  const mark = (key: string) => {
    marks += 1;
    numbers.set(key, marks);
  };
  const member = await bus.join('writes', (message) => {
    if (markKeyPattern.test(message)) mark(message);
  });
  return {
    mark(person, companyId) {
      const key = markKeyOf(person, companyId);
      mark(key);
      member.publish(key);
    },
    markOf: (person, companyId) =>
      numbers.size === 0 ? 0 : (numbers.get(markKeyOf(person, companyId)) ?? 0),
    marks: () => marks,
    leave: () => member.leave(),
  };
}
