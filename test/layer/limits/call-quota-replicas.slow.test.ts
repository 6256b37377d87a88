import { test as base, expect, onTestFinished } from 'vitest';
import { startTestLayer, type TestLayer } from '../../support/layer.ts';
import { hasRedis, startTestRedis } from '../../support/redis.ts';
import { startStub } from '../../support/stub.ts';

const test = hasRedis ? base : base.skip;

async function startReplicas() {
  const at: number[] = [];
  const stub = await startStub(() => {
    at.push(performance.now());
    return { body: { value: [] } };
  });
  const redis = await startTestRedis();
  const settings = {
    REDIS_URL: redis.url,
    UPSTREAM_QUOTA: JSON.stringify({ document: { calls: 80, seconds: 4 } }),
  };
  const replicas = [await startTestLayer(stub.url, settings), await startTestLayer(stub.url, settings)];
  onTestFinished(async () => {
    await Promise.all(replicas.map((replica) => replica.stop()));
    await redis.kill();
    stub.stop();
  });
  return { at, redis, replicas };
}

const ask = (replica: TestLayer, number: number) =>
  replica.query(
    `{ company { customers(first: 1, filter: { number: { ne: "${number}" } }) { nodes { id } } } }`,
  );
const askAll = (replicas: readonly TestLayer[], each: number) =>
  Promise.all(
    replicas.flatMap((replica, index) =>
      Array.from({ length: each }, (_, number) => ask(replica, index * each + number)),
    ),
  );
const mostWithin = (ms: number, times: readonly number[]) =>
  Math.max(...times.map((from) => times.filter((time) => time >= from && time < from + ms).length));

test('two replicas together never exceed the quota of a caller', async () => {
  const { at, replicas } = await startReplicas();

  const answers = await askAll(replicas, 50);

  expect(answers.flatMap(({ errors = [] }) => errors)).toEqual([]);
  expect(at).toHaveLength(100);
  expect(mostWithin(4_000, at)).toBeLessThanOrEqual(80);
});
