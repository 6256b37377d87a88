import { setTimeout as sleep } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import { defineScript } from './redis-connections.ts';

/** Token buckets that replicas share in a Redis. */
export interface RedisTokenBuckets {
  /**
   * Takes a token of a bucket that gets one every `tokenMs` milliseconds and holds those of a second. Resolves with 0
   * where a token was taken, else with how many milliseconds there is none; with null while Redis does not respond.
   */
  take(name: string, tokenMs: number): Promise<number | null>;
  /**
   * Counts tokens of another kind of bucket that were used already, whether or not it had them. Resolves with after how many
   * milliseconds the bucket is full again; with null where Redis does not respond within a second.
   */
  count(name: string, tokenMs: number, used: number): Promise<number | null>;
}

// No request waits longer than this for Redis, and after a failure none waits for a while.
const replyTimeoutMs = 100;
const pauseAfterFailureMs = 2_000;

// The generic cell rate algorithm, by the clock of Redis: a bucket is stored as the time at which it is full again.
const takeTokenScript = `
local time = redis.call('time')
local now = time[1] * 1000 + time[2] / 1000
local at = math.max(tonumber(redis.call('get', KEYS[1]) or '0'), now)
local wait = at + ARGV[1] - (now + 1000)
if wait > 0 then return math.ceil(wait) end
redis.call('set', KEYS[1], string.format('%.3f', at + ARGV[1]), 'PX', math.ceil(at + ARGV[1] - now))
return 0`;

const countTokensScript = `
local time = redis.call('time')
local now = time[1] * 1000 + time[2] / 1000
local at = math.max(tonumber(redis.call('get', KEYS[1]) or '0'), now) + ARGV[2] * ARGV[1]
redis.call('set', KEYS[1], string.format('%.3f', at), 'PX', math.ceil(at - now))
return math.ceil(at - now)`;

export function createRedisTokenBuckets(redis: Redis): RedisTokenBuckets {
  type Bucket = [key: string, tokenMs: number];
  const takeToken = defineScript<Bucket, number>(redis, 'takeToken', 1, takeTokenScript);
  const countTokens = defineScript<[...Bucket, used: number], number>(
    redis,
    'countTokens',
    1,
    countTokensScript,
  );
  let pausedUntil = 0;

  return {
    async take(name, tokenMs) {
      if (performance.now() < pausedUntil) return null;
      const waitMs = await Promise.race([
        takeToken(`tributary:requests:${name}`, tokenMs).catch(() => null),
        sleep(replyTimeoutMs, null, { ref: false }),
      ]);
      if (waitMs === null) pausedUntil = performance.now() + pauseAfterFailureMs;
      return waitMs;
    },

    count: (name, tokenMs, used) => countTokens(`tributary:calls:${name}`, tokenMs, used).catch(() => null),
  };
}
