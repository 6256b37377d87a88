import { test as base, expect, onTestFinished } from 'vitest';
import { startTestLayer } from '../../support/layer.ts';
import { stopInstance } from '../../support/operations.ts';
import { hasRedis, startTestRedis } from '../../support/redis.ts';
import { startTestSandbox } from '../../support/sandbox.ts';

const test = hasRedis ? base : base.skip;

test('a Redis that does not respond delays a stop by a quarter of a second', async () => {
  const sandbox = await startTestSandbox();
  const redis = await startTestRedis();
  const layer = await startTestLayer(sandbox.url, { REDIS_URL: redis.url });
  onTestFinished(async () => {
    await layer.stop();
    await redis.kill();
    await sandbox.stop();
  });
  redis.pause();
  const beganAt = performance.now();

  const { operation } = await stopInstance(layer, 'app01');

  expect(performance.now() - beganAt).toBeLessThan(900);
  const { data } = await layer.query('{ operations { id } }');
  expect(data.operations).toEqual([{ id: operation.id }]);
});
