import { Redis } from 'ioredis';
import { test as base, expect, onTestFinished } from 'vitest';
import { sandboxCompanyId, sandboxExamples } from '../../../sandbox/seed.ts';
import { startIssuerForTest } from '../../support/issuer.ts';
import { startTestLayer, type TestLayer, testToken } from '../../support/layer.ts';
import { hasRedis, startTestRedis } from '../../support/redis.ts';
import { startTestSandbox, type TestSandbox } from '../../support/sandbox.ts';

const test = hasRedis ? base : base.skip;
const { customerId: id } = sandboxExamples;

/** Two replicas of the layer that share a Redis, in front of one upstream. */
async function startReplicas(more: Readonly<Record<string, string>> = {}) {
  const sandbox = await startTestSandbox({ dialect: 'dynamics' });
  const redis = await startTestRedis();
  const settings = {
    REDIS_URL: redis.url,
    BUSINESS_DIALECT: 'dynamics',
    READ_AFTER_WRITE_SECONDS: '2',
    ...more,
  };
  const [one, other] = [
    await startTestLayer(sandbox.url, settings),
    await startTestLayer(sandbox.url, settings),
  ];
  onTestFinished(async () => {
    await Promise.all([one.stop(), other.stop()]);
    await redis.kill();
    await sandbox.stop();
  });
  return { sandbox, redis, one, other };
}

async function read(layer: TestLayer, token = testToken) {
  const { data, errors } = await layer.query(
    `{ company { customer(id: "${id}") { etag city } } }`,
    {},
    { authorization: `Bearer ${token}` },
  );
  expect(errors).toBeUndefined();
  return data.company.customer as { etag: string; city: string };
}

async function update(layer: TestLayer, city: string, ifMatch = '*', token = testToken) {
  const { data, errors } = await layer.query(
    `mutation ($input: UpdateCustomerInput!) { updateCustomer(input: $input) { userErrors { code } } }`,
    { input: { id, ifMatch, patch: { city } } },
    { authorization: `Bearer ${token}` },
  );
  expect(errors).toBeUndefined();
  return data.updateCustomer.userErrors;
}

const reads = async (sandbox: TestSandbox) =>
  (await sandbox.calls())
    .filter(({ method }) => method === 'GET')
    .map(({ headers }) => headers['data-access-intent']);

test('a write through one replica is visible through another until the window ends, and its tag can be used for the next update', async () => {
  const { sandbox, one, other } = await startReplicas();
  await sandbox.lag(true);
  await update(one, 'Harstad');
  await sandbox.forgetCalls();

  const { etag, city } = await read(other);
  await read(other, 'another-caller');
  expect(city).toBe('Harstad');
  expect(await reads(sandbox)).toEqual(['ReadWrite', undefined]);
  expect(await update(other, 'Bodø', etag)).toEqual([]);

  await sandbox.forgetCalls();
  await expect.poll(async () => (await read(other)).city, { interval: 200 }).not.toBe('Bodø');
  const asked = await reads(sandbox);
  expect(asked.at(-1)).toBeUndefined();
  expect(asked.slice(0, -1).every((intent) => intent === 'ReadWrite')).toBe(true);
});

test('a write is visible under the next token of its verified caller, too, and changes no reads of other callers', async () => {
  const issuer = await startIssuerForTest();
  const { sandbox, one, other } = await startReplicas(issuer.settings);
  await sandbox.lag(true);
  await update(one, 'Harstad', '*', await issuer.token('ann'));
  await sandbox.forgetCalls();

  const cities = [];
  for (const layer of [one, other]) cities.push((await read(layer, await issuer.token('ann'))).city);
  await read(other, await issuer.token('ben'));

  expect(cities).toEqual(['Harstad', 'Harstad']);
  expect(await reads(sandbox)).toEqual(['ReadWrite', 'ReadWrite', undefined]);
});

test('a read of another replica that began before the write is not shared after it', async () => {
  const { sandbox, one, other } = await startReplicas();
  await update(one, 'Moss');
  await expect.poll(async () => (await read(other)).city).toBe('Moss');
  await sandbox.forgetCalls();
  // It asks for the primary, too, and is answered late with what was there before.
  await sandbox.fault({ method: 'GET', path: '/customers', delayMs: 500 });
  const before = read(other);
  await expect.poll(() => reads(sandbox)).toHaveLength(1);

  await update(one, 'Harstad');
  const after = await read(other);

  expect(after.city).toBe('Harstad');
  expect((await before).city).toBe('Moss');
  expect(await reads(sandbox)).toEqual(['ReadWrite', 'ReadWrite']);
});

test('messages between replicas about a write hold no token, and invalid messages change nothing', async () => {
  const { sandbox, redis, one, other } = await startReplicas();
  const listener = new Redis(redis.url);
  const told: string[] = [];
  listener.on('message', (_channel: string, message: string) => told.push(message));
  await listener.subscribe('tributary:{writes}');
  const teller = new Redis(redis.url);
  onTestFinished(() => {
    listener.disconnect();
    teller.disconnect();
  });

  for (const message of ['', 'x', '{}', `${'a'.repeat(43)} ${'b'.repeat(100_000)}`])
    await teller.publish('tributary:{writes}', message);
  expect(await reads(sandbox)).toEqual([]);
  await read(other);
  await update(one, 'Harstad');

  await expect.poll(() => told.slice(4)).toHaveLength(2);
  for (const message of told.slice(4)) {
    expect(message).toMatch(new RegExp(`^[\\w-]{43} ${sandboxCompanyId}$`));
    expect(message).not.toContain(testToken);
  }
  expect(await reads(sandbox)).toEqual([undefined]);
});
