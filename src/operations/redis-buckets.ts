import { Redis } from 'ioredis';

/** Token buckets in a Redis that replicas share. */
export interface RedisBuckets {
  /**
   * Takes a token of a bucket that gets one every `tokenMs` and holds those of a second. Resolves with how many
   * milliseconds there is none, 0 where one was taken; with null while Redis does not answer.
   */
  take(name: string, tokenMs: number): Promise<number | null>;
  close(): void;
}

export interface RedisBucketsOptions {
  readonly url: string;
  /** Told once whenever Redis stops answering, in words that hold no secret. */
  onLost(reason: string): void;
}

// A request waits for this long at most. After a failure none waits for a while.
const answerMs = 100;
const askAgainMs = 2_000;

// The generic cell rate algorithm by the clock of Redis: a bucket is the instant when it is full again.
const takeScript = `
local time = redis.call('time')
local now = time[1] * 1000 + time[2] / 1000
local at = math.max(tonumber(redis.call('get', KEYS[1]) or '0'), now)
local wait = at + ARGV[1] - (now + 1000)
if wait > 0 then return math.ceil(wait) end
redis.call('set', KEYS[1], string.format('%.3f', at + ARGV[1]), 'PX', math.ceil(at + ARGV[1] - now))
return 0`;

interface Commands {
  takeToken(key: string, tokenMs: number): Promise<number>;
}

export function createRedisBuckets({ url, onLost }: RedisBucketsOptions): RedisBuckets {
  const redis = new Redis(url, {
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    connectTimeout: 1_000,
    commandTimeout: answerMs,
    retryStrategy: (attempt) => Math.min(attempt * 100, askAgainMs),
  });
  redis.defineCommand('takeToken', { numberOfKeys: 1, lua: takeScript });
  const commands = redis as unknown as Commands;
  let isLost = false;
  let askAt = 0;
  const lost = ({ message }: Error) => {
    if (!isLost) onLost(message);
    isLost = true;
    askAt = performance.now() + askAgainMs;
  };
  redis.on('error', lost);

  return {
    async take(name, tokenMs) {
      if (performance.now() < askAt) return null;
      try {
        const waitMs = await commands.takeToken(`tributary:requests:${name}`, tokenMs);
        isLost = false;
        return waitMs;
      } catch (error) {
        lost(error as Error);
        return null;
      }
    },
    close: () => redis.disconnect(),
  };
}
