import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import type { Logger } from 'pino';

/** The two connections of a replica to Redis. Both are probed, and replaced when they are lost or fall silent. */
export interface RedisConnections {
  /** Commands fail at once while the connection is lost, and after a second where Redis does not respond. */
  readonly commands: Redis;
  /** Renews its subscriptions on every new connection. With RESP2 it can do nothing but subscribe. */
  readonly subscriber: Redis;
  /** Whether both connections respond and Redis accepts writes. */
  isConnected(): boolean;
  close(): Promise<void>;
}

export interface RedisConnectionsOptions {
  readonly url: string;
  /** Gets a line for each loss, and one when both connections respond again. No line contains a secret. */
  readonly log: Pick<Logger, 'warn' | 'info'>;
}

const redisTimeoutMs = 1_000;
// A connection may fall silent without being closed, as when a firewall drops its state; TCP notices that after a
// quarter of an hour. Here a probe is written every two seconds, and two more without a byte close the connection.
const probeIntervalMs = 2_000;
const silenceTimeoutMs = 2_000;
const maxRetryMs = 2_000;

export function connectRedis({ url, log }: RedisConnectionsOptions): RedisConnections {
  const responding = new Set<Redis>();
  let isLost = false;
  let isClosing = false;
  let isReadOnly = false;

  const markLost = (redis: Redis, reason: string) => {
    responding.delete(redis);
    if (!isLost && !isClosing)
      log.warn({ reason }, 'Redis cannot be reached: this replica polls and counts requests by itself.');
    isLost = true;
  };
  const markResponding = (redis: Redis) => {
    responding.add(redis);
    if (redis === commands && isReadOnly) {
      isReadOnly = false;
      // The subscriber may still be connected to the former primary.
      responding.delete(subscriber);
      subscriber.disconnect(true);
    }
    if (responding.size < 2 || !isLost) return;
    isLost = false;
    log.info('Redis can be reached again.');
  };

  const retryMs = (attempt: number) => Math.min(attempt * 100, maxRetryMs);
  const common = { connectTimeout: redisTimeoutMs, socketTimeout: silenceTimeoutMs };
  // Inferring the type argument would take the compiler ten seconds.
  const commands: Redis = new Redis<'legacy'>(url, {
    ...common,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    commandTimeout: redisTimeoutMs,
    retryStrategy: (attempt) => (isReadOnly ? maxRetryMs : retryMs(attempt)),
    // The former primary has become a replica. A new connection resolves the host name again.
    reconnectOnError({ message }) {
      if (!message.includes('READONLY')) return false;
      isReadOnly = true;
      markLost(commands, message);
      return true;
    },
  });
  const subscriber: Redis = new Redis<'legacy'>(url, {
    ...common,
    maxRetriesPerRequest: null,
    retryStrategy: retryMs,
  });

  const startProbing = (redis: Redis, probe: () => Promise<unknown>) => {
    const check = () => {
      if (redis.status !== 'ready') return;
      probe().then(
        () => markResponding(redis),
        (error: Error) => markLost(redis, error.message),
      );
    };
    redis
      .on('ready', check)
      // Only the message: the error holds the command that failed, with the password where that was AUTH.
      .on('error', ({ message }: Error) => markLost(redis, message))
      .on('close', () => markLost(redis, 'The connection was closed.'));
    return setInterval(check, probeIntervalMs);
  };
  const probes = [
    // XX sets nothing, since the key does not exist; yet Redis rejects it as it does any write, on a replica or where
    // memory is full.
    startProbing(commands, () => commands.set('tributary:{probe}', '', 'XX')),
    startProbing(subscriber, () => subscriber.ping()),
  ];

  return {
    commands,
    subscriber,
    isConnected: () => responding.size === 2,
    async close() {
      isClosing = true;
      for (const probe of probes) clearInterval(probe);
      // Commands sent before are still carried out, so that another replica takes over released leases at once.
      await Promise.race([commands.quit().catch(() => {}), sleep(redisTimeoutMs, undefined, { ref: false })]);
      commands.disconnect();
      subscriber.disconnect();
    },
  };
}

/** Returns a function that runs a script, whose first `keys` arguments are keys. */
export function defineScript<Parameters extends readonly (string | number)[], Reply>(
  redis: Redis,
  name: string,
  keys: number,
  lua: string,
): (...parameters: Parameters) => Promise<Reply> {
  redis.defineCommand(name, { numberOfKeys: keys, lua });
  const commands = redis as unknown as Record<string, (...parameters: Parameters) => Promise<Reply>>;
  return (...parameters) => commands[name]?.(...parameters) as Promise<Reply>;
}

/** Connects to Redis once and writes nothing. Resolves with what is wrong, or null; never with the password. */
export async function findRedisFault(url: string, timeoutMs: number): Promise<string | null> {
  let fault: string | null = null;
  const redis: Redis = new Redis<'legacy'>(url, {
    lazyConnect: true,
    connectTimeout: timeoutMs,
    commandTimeout: timeoutMs,
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
  });
  // Only the message: the error holds the command that failed, with the password where that was AUTH.
  redis.on('error', ({ message }: Error) => {
    fault ??= message;
  });
  try {
    await redis.connect();
    // XX sets nothing, since the key does not exist; yet Redis rejects it as it does any write, on a replica.
    await redis.set('tributary:{probe}', '', 'XX');
    return fault;
  } catch (error) {
    return fault ?? (error as Error).message;
  } finally {
    redis.disconnect();
  }
}
