import { setTimeout as sleep } from 'node:timers/promises';
import { test as base, expect, onTestFinished } from 'vitest';
import { sandboxCompanyId } from '../../src/sandbox/seed/seed.ts';
import { startTestLayer } from '../support/layer.ts';
import { hasRedis, startTestRedis } from '../support/redis.ts';
import { startStub } from '../support/stub.ts';

const test = hasRedis ? base : base.skip;
const company = '{ company { name } }';
const named = (name: string) => ({ id: sandboxCompanyId, name, value: [{ id: sandboxCompanyId, name }] });

/** Two replicas before an upstream that throttles a caller once for two seconds; `at` says when calls came. */
async function startReplicas() {
  const at: number[] = [];
  const stub = await startStub(({ headers }) => {
    if (headers.authorization === 'Bearer another') return { body: named('Another') };
    at.push(performance.now());
    return at.length === 1
      ? { status: 429, headers: { 'retry-after': '2' }, body: {} }
      : { body: named('A company') };
  });
  const redis = await startTestRedis();
  const settings = { REDIS_URL: redis.url, UPSTREAM_ATTEMPTS: '3' };
  const replicas = [await startTestLayer(stub.url, settings), await startTestLayer(stub.url, settings)];
  onTestFinished(async () => {
    await Promise.all(replicas.map((replica) => replica.stop()));
    await redis.kill();
    stub.stop();
  });
  return { at, redis, replicas };
}

test('where one replica was told to wait, no other sends anything of that caller before its time', async () => {
  const { at, replicas } = await startReplicas();
  const first = replicas[0]?.query(company);
  while (at.length === 0) await sleep(5);
  await sleep(100);
  const others = Array.from({ length: 50 }, (_, index) => replicas[index % 2]?.query(company));
  const another = await replicas[1]?.query(company, {}, { authorization: 'Bearer another' });

  expect(another?.data).toEqual({ company: { name: 'Another' } });
  expect(at).toHaveLength(1);
  for (const answer of await Promise.all([first, ...others])) expect(answer?.errors).toBeUndefined();
  const [told = 0, ...later] = at;
  expect(Math.min(...later) - told).toBeGreaterThanOrEqual(2_000);
});

test('while Redis is down each replica keeps to what it was told itself', async () => {
  const { at, redis, replicas } = await startReplicas();
  await redis.kill();
  const answer = await replicas[0]?.query(company);

  expect(answer?.data).toEqual({ company: { name: 'A company' } });
  expect((at[1] ?? 0) - (at[0] ?? 0)).toBeGreaterThanOrEqual(2_000);
});
