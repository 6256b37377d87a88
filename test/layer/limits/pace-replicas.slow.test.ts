import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { test as base, expect, onTestFinished } from 'vitest';
import { sandboxCompanyId } from '../../../sandbox/seed.ts';
import { startTestLayer, type TestLayer } from '../../support/layer.ts';
import { hasRedis, startTestRedis } from '../../support/redis.ts';
import { startStub } from '../../support/stub.ts';

const test = hasRedis ? base : base.skip;
const company = '{ company { name } }';
const named = (name: string) => ({ id: sandboxCompanyId, name, value: [{ id: sandboxCompanyId, name }] });

const kept = 'tributary:{pace}:kept';
const anothers = { authorization: 'Bearer another' };

/** Replicas before an upstream that throttles a caller once, for two seconds; `at` says when calls came. */
async function startReplicas(more: Readonly<Record<string, string>> = {}, seconds = 2) {
  const at: number[] = [];
  const stub = await startStub(({ headers }) => {
    if (headers.authorization === anothers.authorization) return { body: named('Another') };
    at.push(performance.now());
    return at.length === 1
      ? { status: 429, headers: { 'retry-after': String(seconds) }, body: {} }
      : { body: named('A company') };
  });
  const redis = await startTestRedis();
  const settings = { REDIS_URL: redis.url, UPSTREAM_ATTEMPTS: '3', ...more };
  const replicas: TestLayer[] = [];
  const startOne = async () => {
    const replica = await startTestLayer(stub.url, settings);
    replicas.push(replica);
    return replica;
  };
  await startOne();
  await startOne();
  onTestFinished(async () => {
    await Promise.all(replicas.map((replica) => replica.stop()));
    await redis.kill();
    stub.stop();
  });
  return { at, redis, replicas, startOne };
}

/** A client of the Redis that replicas share. */
function connectTo(url: string): Redis {
  const client = new Redis(url);
  onTestFinished(() => client.disconnect());
  return client;
}

const codesOf = ({ errors = [] }: { errors?: readonly { extensions: Record<string, unknown> }[] }) =>
  errors.map(({ extensions }) => extensions.code);

test('where one replica was throttled, no other sends a call of that caller before Retry-After', async () => {
  const { at, replicas } = await startReplicas();
  const first = replicas[0]?.query(company);
  while (at.length === 0) await sleep(5);
  await sleep(100);
  const others = Array.from({ length: 50 }, (_, index) => replicas[index % 2]?.query(company));
  const another = await replicas[1]?.query(company, {}, anothers);

  expect(another?.data).toEqual({ company: { name: 'Another' } });
  expect(at).toHaveLength(1);
  for (const answer of await Promise.all([first, ...others])) expect(answer?.errors).toBeUndefined();
  const [told = 0, ...later] = at;
  expect(Math.min(...later) - told).toBeGreaterThanOrEqual(2_000);
});

test('a replica that starts during a pause sends no call of that caller before its end, and Redis then deletes the pause', async () => {
  const { at, redis, replicas, startOne } = await startReplicas({ UPSTREAM_ATTEMPTS: '1' }, 4);
  const client = connectTo(redis.url);
  await replicas[0]?.query(company);
  await expect.poll(() => client.exists(kept)).toBe(1);
  const lastsMs = await client.pttl(kept);

  const late = await startOne();
  const hasty = await late.query(company, {}, { 'x-request-timeout': '300' });
  const another = await late.query(company, {}, anothers);
  const callsMeanwhile = at.length;
  const patient = await late.query(company);

  expect([hasty, another, patient].map(codesOf)).toEqual([['UPSTREAM_THROTTLED'], [], []]);
  expect(callsMeanwhile).toBe(1);
  const [told = 0, ...later] = at;
  expect(Math.min(...later) - told).toBeGreaterThanOrEqual(4_000);
  expect(lastsMs).toBeGreaterThan(2_000);
  expect(lastsMs).toBeLessThanOrEqual(4_000);
  await expect.poll(() => client.exists(kept)).toBe(0);
});
