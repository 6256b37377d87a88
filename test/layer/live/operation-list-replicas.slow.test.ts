import { Redis } from 'ioredis';
import { test as base, expect, onTestFinished } from 'vitest';
import { startTestLayer, type TestLayer, testToken } from '../../support/layer.ts';
import { place, stopInstance } from '../../support/operations.ts';
import { hasRedis, startTestRedis } from '../../support/redis.ts';
import { startTestSandbox } from '../../support/sandbox.ts';

const test = hasRedis ? base : base.skip;

/** Two replicas that share a Redis, in front of one sandbox. */
async function startReplicas() {
  const sandbox = await startTestSandbox({ stepMs: 20 });
  const redis = await startTestRedis();
  const settings = { REDIS_URL: redis.url };
  const [one, other] = [
    await startTestLayer(sandbox.url, settings),
    await startTestLayer(sandbox.url, settings),
  ];
  const client = new Redis(redis.url);
  client.on('error', () => {});
  onTestFinished(async () => {
    client.disconnect();
    await Promise.all([one.stop(), other.stop()]);
    await redis.kill();
    await sandbox.stop();
  });
  return { sandbox, redis, client, one, other };
}

async function list(layer: TestLayer, fields = 'id', token = testToken) {
  const { data, errors } = await layer.query(
    `{ operations { ${fields} } }`,
    {},
    { authorization: `Bearer ${token}` },
  );
  expect(errors).toBeUndefined();
  return data.operations;
}

const ownKeys = async (client: Redis) => client.keys('tributary:operations:*');

test('what is started through one replica is listed by the other at once, and by one that starts later', async () => {
  const { sandbox, redis, one, other } = await startReplicas();
  const first = (await stopInstance(one, 'app01')).operation;
  const second = (await stopInstance(other, 'app02')).operation;
  const later = await startTestLayer(sandbox.url, { REDIS_URL: redis.url });
  onTestFinished(() => later.stop());
  await sandbox.forgetCalls();

  for (const layer of [one, other, later]) {
    expect(await list(layer, 'id applicationInstanceName')).toEqual([
      { id: second.id, applicationInstanceName: 'app02' },
      { id: first.id, applicationInstanceName: 'app01' },
    ]);
    expect(await list(layer, 'id', 'another-caller')).toEqual([]);
  }
  expect(await sandbox.calls()).toEqual([]);
});

test('Redis holds neither token nor URL nor the name of an instance, and all of it expires', async () => {
  const { sandbox, client, one, other } = await startReplicas();
  await stopInstance(one, 'app01');
  await expect.poll(() => list(one, 'state')).toEqual([{ state: 'SUCCEEDED' }]);
  // A final state that one replica has read costs the other no call.
  await sandbox.forgetCalls();
  expect(await list(other, 'state')).toEqual([{ state: 'SUCCEEDED' }]);
  expect(await sandbox.calls()).toEqual([]);

  const [key = '', ...more] = await ownKeys(client);
  await expect.poll(() => client.hvals(key)).toEqual([expect.stringMatching(/^[\w.-]+ [\w.-]+$/)]);
  const texts = [key, ...Object.entries(await client.hgetall(key)).flat()];

  expect(more).toEqual([]);
  for (const text of texts)
    for (const secret of [
      testToken,
      new URL(sandbox.url).host,
      'app01',
      // Not `virtualInstanceName`: ciphertext contains its three letters by chance.
      place.subscriptionId,
      place.resourceGroupName,
      'Succeeded',
    ])
      expect(text).not.toContain(secret);
  const ms = await client.pttl(key);
  expect(ms).toBeGreaterThan(6 * 24 * 3_600_000);
  expect(ms).toBeLessThanOrEqual(7 * 24 * 3_600_000);
});
