import { expect, onTestFinished, test } from 'vitest';
import { freePort } from '../../support/free-port.ts';
import { post, startLimitedLayer as start, statusesOf } from '../../support/limited-layer.ts';
import { hasRedis, startTestRedis } from '../../support/redis.ts';

test('while Redis is unavailable each replica counts by itself, and responds as fast as usual', async () => {
  const { issuer, layer } = await start({ REDIS_URL: `redis://127.0.0.1:${await freePort()}` });
  const token = await issuer.token('ann');
  await post(layer.url, await issuer.token('ben'));

  const startedAt = performance.now();
  const statuses = await statusesOf(layer.url, [token, token]);

  expect(statuses).toEqual([200, 429]);
  expect(performance.now() - startedAt).toBeLessThan(1_000);
});

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
