import { Redis } from 'ioredis';
import { test as base, expect, onTestFinished } from 'vitest';
import { startTestLayer, type TestLayer, testToken } from '../../support/layer.ts';
import { place, stopInstance } from '../../support/operations.ts';
import { hasRedis, startTestRedis } from '../../support/redis.ts';
import { startTestSandbox } from '../../support/sandbox.ts';

const test = hasRedis ? base : base.skip;

async function list(layer: TestLayer, fields = 'id', token = testToken) {
  const authorization = `Bearer ${token}`;
  const { data, errors } = await layer.query(`{ operations { ${fields} } }`, {}, { authorization });
  expect(errors).toBeUndefined();
  return data.operations;
}

test('replicas list what each of them started; Redis holds neither token, URL nor name, and all of it expires', async () => {
  const sandbox = await startTestSandbox({ stepMs: 20 });
  const redis = await startTestRedis();
  const start = () => startTestLayer(sandbox.url, { REDIS_URL: redis.url });
  const [one, other] = [await start(), await start()];
  const client = new Redis(redis.url);
  client.on('error', () => {});
  const first = (await stopInstance(one, 'app01')).operation;
  const second = (await stopInstance(other, 'app02')).operation;
  const later = await start();
  onTestFinished(async () => {
    client.disconnect();
    await Promise.all([one, other, later].map((layer) => layer.stop()));
    await redis.kill();
    await sandbox.stop();
  });
  await sandbox.forgetCalls();

  for (const layer of [one, other, later]) {
    expect(await list(layer, 'id applicationInstanceName')).toEqual([
      { id: second.id, applicationInstanceName: 'app02' },
      { id: first.id, applicationInstanceName: 'app01' },
    ]);
    expect(await list(layer, 'id', 'another-caller')).toEqual([]);
  }
  expect(await sandbox.calls()).toEqual([]);

  const ended = [{ state: 'SUCCEEDED' }, { state: 'SUCCEEDED' }];
  await expect.poll(() => list(one, 'state')).toEqual(ended);
  const [key = '', ...more] = await client.keys('tributary:operations:*');
  const final = expect.stringMatching(/^[\w.-]+ [\w.-]+$/);
  await expect.poll(() => client.hvals(key)).toEqual([final, final]);
  // A final state that one replica has read costs the other no call.
  await sandbox.forgetCalls();
  expect(await list(other, 'state')).toEqual(ended);
  expect(await sandbox.calls()).toEqual([]);

  expect(more).toEqual([]);
  const { host } = new URL(sandbox.url);
  // Not `virtualInstanceName`: ciphertext contains its three letters by chance.
  const secrets = [testToken, host, 'app01', place.subscriptionId, place.resourceGroupName, 'Succeeded'];
  for (const text of [key, ...Object.entries(await client.hgetall(key)).flat()])
    for (const secret of secrets) expect(text).not.toContain(secret);
  const ms = await client.pttl(key);
  expect(ms).toBeGreaterThan(6 * 24 * 3_600_000);
  expect(ms).toBeLessThanOrEqual(7 * 24 * 3_600_000);
});
