import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Bus, BusMember } from './bus.ts';
import { defineScript, type RedisConnections } from './redis-connections.ts';

export interface RedisBusOptions {
  /** Closed with the bus. */
  readonly connections: RedisConnections;
  /** Called with an error that a listener throws, which would otherwise end the process. */
  onListenerError(error: unknown): void;
}

// If a leader dies, another replica takes over within nine seconds: expiry of the lease plus one renewal interval.
const leaseMs = 7_000;
const leaseRenewalMs = 2_000;
const subscribeTimeoutMs = 1_000;
const replayTimeoutMs = 250;
const maxRetained = 10_000;

// The first replica that runs this while nobody holds the lease acquires it. The holder extends the lease and the
// lifetime of the last message.
const acquireLeaseScript = `
local holder = redis.call('get', KEYS[1])
if not holder then
  holder = ARGV[1]
  redis.call('set', KEYS[1], holder, 'PX', ARGV[2])
elseif holder == ARGV[1] then
  redis.call('pexpire', KEYS[1], ARGV[2])
  redis.call('pexpire', KEYS[2], ARGV[2])
end
return { holder == ARGV[1] and 1 or 0, redis.call('get', KEYS[2]) }`;

const releaseLeaseScript = `
if redis.call('get', KEYS[1]) == ARGV[1] then redis.call('del', KEYS[1], KEYS[2]) end`;

// A sorted set of names by expiry time, on the clock of Redis. A later expiry is never replaced by an earlier one.
const publishRetainedScript = `
redis.call('publish', ARGV[1], ARGV[2] .. ' ' .. ARGV[3])
local time = redis.call('time')
local now = time[1] * 1000 + time[2] / 1000
redis.call('zremrangebyscore', KEYS[1], '-inf', now)
local over = math.max(now + ARGV[3], tonumber(redis.call('zscore', KEYS[1], ARGV[2]) or '0'))
redis.call('zadd', KEYS[1], string.format('%.3f', over), ARGV[2])
local last = redis.call('zrange', KEYS[1], -1, -1, 'WITHSCORES')[2]
redis.call('pexpire', KEYS[1], math.ceil(last - now))`;

const readRetainedScript = `
local time = redis.call('time')
local now = time[1] * 1000 + time[2] / 1000
local kept = redis.call('zrevrangebyscore', KEYS[1], '+inf', now, 'WITHSCORES', 'LIMIT', 0, ARGV[1])
for index = 2, #kept, 2 do kept[index] = math.ceil(kept[index] - now) end
return kept`;

/** Creates a bus over Redis Pub/Sub. While Redis cannot be reached, every replica holds the lease. */
export function createRedisBus({ connections, onListenerError }: RedisBusOptions): Bus {
  const replica = randomUUID();
  const { commands: redis, subscriber } = connections;
  type Lease = [lease: string, last: string, replica: string];
  const acquireLease = defineScript<[...Lease, leaseMs: number], [isHolder: number, last?: string]>(
    redis,
    'acquireLease',
    2,
    acquireLeaseScript,
  );
  const releaseLease = defineScript<Lease, null>(redis, 'releaseLease', 2, releaseLeaseScript);
  const publishRetained = defineScript<[retained: string, channel: string, name: string, ms: number], null>(
    redis,
    'publishRetained',
    1,
    publishRetainedScript,
  );
  const readRetained = defineScript<[retained: string, max: number], readonly (string | number)[]>(
    redis,
    'readRetained',
    1,
    readRetainedScript,
  );
  const listeners = new Map<string, (message: string) => void>();
  subscriber.on('message', (channel: string, message: string) => listeners.get(channel)?.(message));
  const replays = new Map<string, () => Promise<void>>();
  const firstReady = new Promise<void>((resolve) => {
    if (redis.status === 'ready') resolve();
    else redis.once('ready', () => resolve());
  });
  // Messages published while a connection was lost did not arrive.
  for (const connection of [redis, subscriber])
    connection.on('ready', () => {
      for (const replay of replays.values()) void replay();
    });

  return {
    async join(topic, onMessage): Promise<BusMember> {
      const deliver = (message: string) => {
        try {
          onMessage(message);
        } catch (error) {
          onListenerError(error);
        }
      };
      // The braces (hash tag) keep the keys of a topic on one node of a cluster. Older versions use the same suffixes.
      const channel = `tributary:{${topic}}`;
      const [lease, last, retained] = [`${channel}:right`, `${channel}:last`, `${channel}:kept`];
      const replay = async () => {
        try {
          // Subscribe first, so that no message between the replay and the subscription is missed.
          await subscriber.subscribe(channel);
          await firstReady;
          const names = await readRetained(retained, maxRetained);
          for (let at = 0; at < names.length; at += 2) deliver(`${names[at]} ${names[at + 1]}`);
        } catch {
          // Redis cannot be reached, which redis-connections.ts logs, or another program wrote the key.
        }
      };
      listeners.set(channel, deliver);
      const subscribed = subscriber.subscribe(channel).catch(() => {});
      await Promise.race([subscribed, sleep(subscribeTimeoutMs, undefined, { ref: false })]);

      return {
        leaseRenewalMs,
        async acquireLease() {
          try {
            const [isHolder, message] = await acquireLease(lease, last, replica, leaseMs);
            if (message) deliver(message);
            return isHolder === 1;
          } catch {
            return true;
          }
        },
        publish(message) {
          redis
            .multi()
            .set(last, message, 'PX', leaseMs)
            .publish(channel, message)
            .exec()
            .catch(() => {});
        },
        publishRetained(name, ms) {
          publishRetained(retained, channel, name, ms).catch(() => {});
        },
        async replayRetained() {
          replays.set(channel, replay);
          await Promise.race([replay(), sleep(replayTimeoutMs, undefined, { ref: false })]);
        },
        leave() {
          // A later member of this replica has taken over the topic and its lease.
          if (listeners.get(channel) !== deliver) return;
          listeners.delete(channel);
          replays.delete(channel);
          subscriber.unsubscribe(channel).catch(() => {});
          releaseLease(lease, last, replica).catch(() => {});
        },
      };
    },

    isConnected: () => connections.isConnected(),

    close: () => connections.close(),
  };
}
