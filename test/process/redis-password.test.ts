import { setTimeout as sleep } from 'node:timers/promises';
import { test as base, expect } from 'vitest';
import { startTributary } from '../support/process.ts';
import { hasRedis, startTestRedis } from '../support/redis.ts';

const test = hasRedis ? base : base.skip;

test('a Redis that refuses the password is told once, and the password is in no log', async () => {
  const redis = await startTestRedis(['--requirepass', 'the-right-one']);
  const running = startTributary(['serve'], {
    PORT: '0',
    MANAGEMENT_URL: 'http://127.0.0.1:9',
    OPERATION_SECRETS: 'a secret of the test',
    REDIS_URL: redis.url.replace('://', '://:canary-of-redis@'),
  });
  await running.printed(/Redis cannot be reached/);
  await sleep(1_000);
  const { stdout, stderr } = await running.stop();
  await redis.kill();

  expect(stdout).toContain('WRONGPASS');
  expect(stdout.match(/Redis cannot be reached/g)).toHaveLength(1);
  expect(stdout + stderr).not.toContain('canary-of-redis');
});
