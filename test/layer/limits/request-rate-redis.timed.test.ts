import { expect, onTestFinished, test } from 'vitest';
import { startLimitedLayer as start, statusesOf } from '../../support/limited-layer.ts';
import { hasRedis, startTestRedis } from '../../support/redis.ts';

test.skipIf(!hasRedis)(
  'a Redis that does not respond costs one request a tenth of a second, and the next none',
  async () => {
    const redis = await startTestRedis();
    const { issuer, layer } = await start({ REDIS_URL: redis.url, MAX_REQUESTS_PER_SECOND: '100' });
    onTestFinished(() => redis.kill());
    const token = await issuer.token('ann');
    expect(await statusesOf(layer.url, [token])).toEqual([200]);

    redis.pause();
    const startedAt = performance.now();
    const statuses = await statusesOf(layer.url, Array(20).fill(token));

    expect(statuses).toEqual(Array(20).fill(200));
    expect(performance.now() - startedAt).toBeLessThan(1_500);
  },
);
