import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { test as base, expect, onTestFinished } from 'vitest';
import { sandboxCompanyId } from '../../../sandbox/seed/seed.ts';
import { createPrincipalHasher } from '../../../src/http/auth/bearer.ts';
import { startTestLayer, type TestLayer, testToken } from '../../support/layer.ts';
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

const pausesOf = async (replicas: readonly TestLayer[]) => {
  const asked = await Promise.all(
    replicas.map((replica) => replica.query('{ upstreams { pace { pausedUntil } } }')),
  );
  return asked.map(({ data }) => data.upstreams[0].pace.pausedUntil);
};
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

test('pauses that a replica missed while its connection was lost are read when it is restored', async () => {
  const { at, redis, replicas } = await startReplicas();
  const client = connectTo(redis.url);
  const [seconds = 0] = await client.time();
  const name = createPrincipalHasher('a secret of the tests')('token', testToken);
  await client.zadd(kept, (seconds + 30) * 1_000, `business ${name}`);
  const before = await pausesOf(replicas);

  await client.call('CLIENT', 'KILL', 'TYPE', 'pubsub');

  expect(before).toEqual([null, null]);
  await expect.poll(() => pausesOf(replicas)).toEqual([expect.any(String), expect.any(String)]);
  const hasty = await replicas[1]?.query(company, {}, { 'x-request-timeout': '300' });
  expect(codesOf(hasty ?? {})).toEqual(['UPSTREAM_THROTTLED']);
  expect(at).toEqual([]);
});

test('two replicas together never exceed the quota of a caller', async () => {
  const { at, replicas } = await startReplicas(
    { UPSTREAM_QUOTA: JSON.stringify({ document: { calls: 80, seconds: 4 } }) },
    0,
  );
  const list = (number: number) =>
    `{ company { customers(first: 1, filter: { number: { ne: "${number}" } }) { nodes { id } } } }`;

  const answers = await Promise.all(
    Array.from({ length: 100 }, (_, number) => replicas[number % 2]?.query(list(number))),
  );

  expect(answers.flatMap((answer) => codesOf(answer ?? {}))).toEqual([]);
  const mostWithin = Math.max(
    ...at.map((from) => at.filter((time) => time >= from && time < from + 4_000).length),
  );
  expect(mostWithin).toBeLessThanOrEqual(80);
});
