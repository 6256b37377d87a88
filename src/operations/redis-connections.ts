import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import type { Logger } from 'pino';

/** The two connections of a replica to Redis. Both are probed and reconnect when they are lost or do not respond. */
export interface RedisConnections {
  /** Commands fail immediately while the connection is lost, and after a second if Redis does not respond. */
  readonly commands: Redis;
  /** Subscribes again after each reconnection. With RESP2 it can only subscribe. */
  readonly subscriber: Redis;
  /** Whether both connections respond and Redis accepts writes. */
  isConnected(): boolean;
  close(): Promise<void>;
}

export interface RedisConnectionsOptions {
  readonly url: string;
  /** Logs each loss, and when both connections respond again. No line contains a secret. */
  readonly log: Pick<Logger, 'warn' | 'info'>;
}

const redisTimeoutMs = 1_000;
// A firewall may drop a connection without closing it, which TCP notices only after 15 minutes. So a probe is sent every
// two seconds, and two seconds without a byte of response close the connection.
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
    // READONLY: the primary has become a replica. A new connection resolves the host name again.
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
      // Log the message only: the error contains the failed command, and with AUTH the password.
      .on('error', ({ message }: Error) => markLost(redis, message))
      .on('close', () => markLost(redis, 'The connection was closed.'));
    return setInterval(check, probeIntervalMs);
  };
  const probes = [
    // XX sets nothing because the key does not exist. Redis still rejects it like any write on a replica or if memory is
    // full.
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
      // Wait for the commands sent before, so that another replica takes over released leases immediately.
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

/** Connects to Redis once and writes nothing. Resolves with the error message, without the password, or null. */
export async function findRedisFault(url: string, timeoutMs: number): Promise<string | null> {
  let fault: string | null = null;
  const redis: Redis = new Redis<'legacy'>(url, {
    lazyConnect: true,
    connectTimeout: timeoutMs,
    commandTimeout: timeoutMs,
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
  });
  // Keep the message only: the error contains the failed command, and with AUTH the password.
  redis.on('error', ({ message }: Error) => {
    fault ??= message;
  });
  try {
    await redis.connect();
    // XX sets nothing because the key does not exist. Redis still rejects it like any write on a replica.
    await redis.set('tributary:{probe}', '', 'XX');
    return fault;
  } catch (error) {
    return fault ?? (error as Error).message;
  } finally {
    redis.disconnect();
  }
}
