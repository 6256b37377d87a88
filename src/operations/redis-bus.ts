import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import type { Bus, Member } from './bus.ts';

export interface RedisBusOptions {
  readonly url: string;
  /** Told once whenever a connection is lost or does not come up, in words that hold no secret. */
  onLost(reason: string): void;
  /** Told of what a message has made whoever hears it throw: thrown on, it would end the process. */
  onFailed(error: unknown): void;
}

// A replica that dies is noticed when its right runs out and another asks: within nine seconds.
const leaseMs = 7_000;
const askAgainMs = 2_000;
const slowMs = 1_000;

// The right to look goes to whoever asks while nobody has it; its holder keeps it, and what was told last, by asking.
const askScript = `
local holder = redis.call('get', KEYS[1])
if not holder then
  holder = ARGV[1]
  redis.call('set', KEYS[1], holder, 'PX', ARGV[2])
elseif holder == ARGV[1] then
  redis.call('pexpire', KEYS[1], ARGV[2])
  redis.call('pexpire', KEYS[2], ARGV[2])
end
return { holder == ARGV[1] and 1 or 0, redis.call('get', KEYS[2]) }`;

const leaveScript = `
if redis.call('get', KEYS[1]) == ARGV[1] then redis.call('del', KEYS[1], KEYS[2]) end`;

interface Commands {
  ask(right: string, last: string, replica: string, leaseMs: number): Promise<[number, string?]>;
  leave(right: string, last: string, replica: string): Promise<void>;
}

/**
 * Replicas that share a Redis: one of them holds the right to look at a topic, all hear what it tells. While Redis
 * cannot be reached every replica looks for itself.
 */
export function createRedisBus({ url, onLost, onFailed }: RedisBusOptions): Bus {
  const replica = randomUUID();
  const connect = (offlineQueue: boolean) => {
    let isLost = false;
    return new Redis(url, {
      enableOfflineQueue: offlineQueue,
      maxRetriesPerRequest: offlineQueue ? null : 0,
      connectTimeout: slowMs,
      ...(offlineQueue ? {} : { commandTimeout: slowMs }),
      retryStrategy: (attempt) => Math.min(attempt * 100, 2_000),
    })
      .on('ready', () => {
        isLost = false;
      })
      .on('error', ({ message }: Error) => {
        // The error itself holds the command that failed, with the password where that was AUTH.
        if (!isLost) onLost(message);
        isLost = true;
      });
  };
  const redis = connect(false);
  redis.defineCommand('ask', { numberOfKeys: 2, lua: askScript });
  redis.defineCommand('leave', { numberOfKeys: 2, lua: leaveScript });
  const commands = redis as unknown as Commands;
  // A connection that listens can do nothing else; it listens again by itself after every loss.
  const listener = connect(true);
  const hearers = new Map<string, (message: string) => void>();
  listener.on('message', (channel: string, message: string) => hearers.get(channel)?.(message));

  return {
    async join(topic, act): Promise<Member> {
      const hear = (message: string) => {
        try {
          act(message);
        } catch (error) {
          onFailed(error);
        }
      };
      // The braces keep a topic's names on one node of a cluster.
      const channel = `tributary:{${topic}}`;
      const [right, last] = [`${channel}:right`, `${channel}:last`];
      hearers.set(channel, hear);
      const live = listener.subscribe(channel).catch(() => {});
      await Promise.race([live, sleep(slowMs, undefined, { ref: false })]);

      return {
        askAgainMs,
        async leads() {
          try {
            const [isHolder, message] = await commands.ask(right, last, replica, leaseMs);
            if (message) hear(message);
            return isHolder === 1;
          } catch {
            return true;
          }
        },
        tell(message) {
          redis
            .multi()
            .set(last, message, 'PX', leaseMs)
            .publish(channel, message)
            .exec()
            .catch(() => {});
        },
        leave() {
          // Who came after on this replica goes on with the same right.
          if (hearers.get(channel) !== hear) return;
          hearers.delete(channel);
          listener.unsubscribe(channel).catch(() => {});
          commands.leave(right, last, replica).catch(() => {});
        },
      };
    },

    async close() {
      // What was given up a moment ago arrives, so that another replica goes on at once.
      await Promise.race([redis.quit().catch(() => {}), sleep(slowMs, undefined, { ref: false })]);
      redis.disconnect();
      listener.disconnect();
    },
  };
}
