import { setTimeout as sleep } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import { defineScript } from './redis-connections.ts';

export interface RedisTokenBuckets {
  /**
   * Takes a token from a bucket that is refilled with one token per `tokenMs` and has a capacity of one second. Resolves
   * with 0 if a token was taken, else with the milliseconds until there is one; with null while Redis does not respond.
   */
  take(name: string, tokenMs: number): Promise<number | null>;
  /**
   * Charges `used` tokens to a bucket, which may go into debt; its names are separate from those of `take`. Resolves with
   * the milliseconds until the bucket is full again; with null if Redis does not respond within a second.
   */
  count(name: string, tokenMs: number, used: number): Promise<number | null>;
}

// A request waits for Redis no longer than this. After a failure, requests do not wait at all during the pause.
const replyTimeoutMs = 100;
const pauseAfterFailureMs = 2_000;

// Generic cell rate algorithm on the clock of Redis: a bucket is stored as the time at which it is full again.
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
