import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { test as base, expect, onTestFinished } from 'vitest';
import { sandboxCompanyId } from '../../../sandbox/seed.ts';
import { freePort } from '../../support/free-port.ts';
import { startTestLayer, type TestLayer } from '../../support/layer.ts';
import { progress, stopInstance } from '../../support/operations.ts';
import { startSilentProxy } from '../../support/proxies/silent-proxy.ts';
import { hasRedis, startTestRedis } from '../../support/redis.ts';
import { startStub } from '../../support/stub.ts';

const test = hasRedis ? base : base.skip;
const portOf = ({ url }: { readonly url: string }) => Number(new URL(url).port);

/** Two replicas whose Redis is behind a proxy, before an upstream with an operation that is looked at once a second. */
async function startReplicas() {
  const upstream = { percentComplete: 1, looks: 0 };
  const stub = await startStub(({ target }) => {
    if (target.includes('/stop?'))
      return { status: 202, headers: { 'vendor-asyncoperation': '/operations/1' } };
    if (target.includes('/operations/')) {
      upstream.looks += 1;
      const { percentComplete } = upstream;
      return { headers: { 'retry-after': '1' }, body: { status: 'Running', percentComplete } };
    }
    return { body: { id: sandboxCompanyId, name: 'A company' } };
  });
  const redis = await startTestRedis();
  const proxy = await startSilentProxy(portOf(redis));
  const settings = { REDIS_URL: `redis://127.0.0.1:${proxy.port}`, ADMIN_PORT: '0', UPSTREAM_ATTEMPTS: '3' };
  const [one, other] = [await startTestLayer(stub.url, settings), await startTestLayer(stub.url, settings)];
  onTestFinished(async () => {
    await Promise.all([one.stop(), other.stop()]);
    proxy.stop();
    await redis.kill();
    stub.stop();
  });
  return { upstream, redis, proxy, one, other };
}

/** The percentages that a watcher has been told so far. */
function watch(layer: TestLayer, id: string): readonly number[] {
  const told: number[] = [];
  const events = layer.watch(progress, { id })[Symbol.asyncIterator]();
  const read = async () => {
    for (let next = await events.next(); !next.done; next = await events.next())
      told.push(next.value.data?.operationProgress.percentComplete);
  };
  void read().catch(() => told.push(Number.NaN));
  onTestFinished(async () => void (await events.return?.()));
  return told;
}

const connected = (replicas: readonly TestLayer[]) => async () =>
  Promise.all(replicas.map(async (each) => (await each.metrics()).of('tributary_redis_connected')));

const redisLines = (replicas: readonly TestLayer[]) =>
  replicas.map((each) =>
    each
      .lines()
      .map(({ msg }) => String(msg))
      .filter((msg) => msg.includes('Redis')),
  );
const lost = 'Redis cannot be reached: this replica polls and counts requests by itself.';
const restored = 'Redis can be reached again.';

test('a Redis that falls silent is noticed within six seconds, and replicas cooperate again once it responds', async () => {
  const { upstream, redis, proxy, one, other } = await startReplicas();
  const replicas = [one, other];
  await expect.poll(connected(replicas)).toEqual([1, 1]);
  const { operation } = await stopInstance(one, 'app01');
  const told = replicas.map((replica) => watch(replica, operation.id));
  const last = () => told.map((percentages) => percentages.at(-1));
  const looksWithin = async (ms: number) => {
    const before = upstream.looks;
    await sleep(ms);
    return upstream.looks - before;
  };
  await expect.poll(last).toEqual([1, 1]);
  expect(await looksWithin(3_000)).toBeLessThanOrEqual(4);

  proxy.silence();
  const silentAt = performance.now();
  await expect.poll(connected(replicas), { timeout: 6_000, interval: 50 }).toEqual([0, 0]);
  expect(performance.now() - silentAt).toBeLessThan(6_000);
  upstream.percentComplete = 2;
  await expect.poll(last, { timeout: 4_000 }).toEqual([2, 2]);
  await sleep(3_000);
  expect(redisLines(replicas)).toEqual([[lost], [lost]]);

  proxy.passTo(portOf(redis));
  await expect.poll(connected(replicas), { timeout: 6_000 }).toEqual([1, 1]);
  expect(redisLines(replicas)).toEqual([
    [lost, restored],
    [lost, restored],
  ]);
  await sleep(2_500);
  expect(await looksWithin(3_000)).toBeLessThanOrEqual(4);
  upstream.percentComplete = 3;
  await expect.poll(last, { timeout: 4_000 }).toEqual([3, 3]);
});

test('a Redis that becomes a read-only replica counts as lost, and new connections find the new primary', async () => {
  const { redis, proxy, one, other } = await startReplicas();
  const replicas = [one, other];
  await expect.poll(connected(replicas)).toEqual([1, 1]);
  const primary = await startTestRedis();
  onTestFinished(() => primary.kill());
  const operator = new Redis(redis.url);
  onTestFinished(() => operator.disconnect());

  await operator.replicaof('127.0.0.1', String(await freePort()));
  await expect.poll(connected(replicas), { timeout: 5_000 }).toEqual([0, 0]);
  const connectionsReceived = async () =>
    Number(/total_connections_received:(\d+)/.exec(await operator.info('stats'))?.[1]);
  const before = await connectionsReceived();
  await sleep(4_500);
  expect((await connectionsReceived()) - before).toBeLessThanOrEqual(6);
  expect(redisLines(replicas)).toEqual([[lost], [lost]]);
  expect(JSON.stringify(one.lines())).toContain('READONLY');

  proxy.passTo(portOf(primary));
  await expect.poll(connected(replicas), { timeout: 6_000 }).toEqual([1, 1]);
  expect(redisLines(replicas)).toEqual([
    [lost, restored],
    [lost, restored],
  ]);
  expect(await operator.pubsub('CHANNELS')).toEqual([]);
  const left = String(await operator.client('LIST')).trim();
  expect(left.split('\n')).toHaveLength(1);
});
