import { Redis } from 'ioredis';

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
