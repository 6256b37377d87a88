import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from 'graphql-ws';
import { test as base, expect } from 'vitest';
import { WebSocket } from 'ws';
import { place, progress, stop } from '../support/operations.ts';
import { type Running, startTributary } from '../support/process.ts';
import { hasRedis, startTestRedis, type TestRedis } from '../support/redis.ts';
import { startTestSandbox, type TestSandbox } from '../support/sandbox.ts';

// Five steps: long enough for a replica to die in the middle and another to take over.
const stepMs = 3_000;
const test = hasRedis ? base : base.skip;

interface Replica {
  readonly running: Running;
  readonly url: string;
}

async function startReplica(sandbox: TestSandbox, redis: TestRedis): Promise<Replica> {
  const running = startTributary(['serve'], {
    PORT: '0',
    MANAGEMENT_URL: sandbox.url,
    OPERATION_SECRETS: 'a secret of all replicas',
    OPERATION_POLL_MS: '200',
    REDIS_URL: redis.url,
    LOG_LEVEL: 'error',
  });
  const [, url = ''] = /at (\S+)\/graphql/.exec(await running.printed(/graphql\n/)) ?? [];
  return { running, url };
}

async function stopThrough(
  { url }: Replica,
  applicationInstanceName: string,
  token = 'operator',
): Promise<string> {
  const response = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: JSON.stringify({ query: stop, variables: { input: { ...place, applicationInstanceName } } }),
  });
  const { data } = (await response.json()) as {
    data: { stopApplicationInstance: { operation: { id: string } } };
  };
  return data.stopApplicationInstance.operation.id;
}

/** The percentages a watcher is told, to the end, or until the replica dies. */
async function watch({ url }: Replica, id: string, token = 'operator'): Promise<number[]> {
  const client = createClient({
    url: `${url.replace('http', 'ws')}/graphql`,
    webSocketImpl: WebSocket,
    connectionParams: { authorization: `Bearer ${token}` },
    retryAttempts: 0,
  });
  const told: number[] = [];
  try {
    for await (const { data } of client.iterate({ query: progress, variables: { id } }))
      told.push(
        (data as { operationProgress: { percentComplete: number } }).operationProgress.percentComplete,
      );
  } catch {
    told.push(Number.NaN);
  }
  return told;
}

const polls = async (sandbox: TestSandbox) =>
  (await sandbox.calls()).filter(({ path }) => path.includes('operationStatuses')).length;

/** What Redis answers to a line, as it comes, from a connection of its own. */
function askRedis({ url }: TestRedis, line: string): { heard(): string; close(): void } {
  let heard = '';
  const { port, hostname } = new URL(url);
  const socket = connect(Number(port), hostname).on('data', (bytes) => {
    heard += bytes.toString('latin1');
  });
  socket.on('error', () => socket.destroy());
  socket.write(`${line}\r\n`);
  return { heard: () => heard, close: () => socket.destroy() };
}

async function pollsWithin(sandbox: TestSandbox, ms: number): Promise<number> {
  await sandbox.forgetCalls();
  await sleep(ms);
  return polls(sandbox);
}

test('one replica polls for the watchers of all, and when it is killed another goes on to the end', async () => {
  const redis = await startTestRedis();
  const sandbox = await startTestSandbox({ stepMs });
  const [first, second] = await Promise.all([startReplica(sandbox, redis), startReplica(sandbox, redis)]);
  const id = await stopThrough(first, 'app01');

  const onFirst = watch(first, id);
  await sleep(500);
  const onSecond = Promise.all([watch(second, id), watch(second, id)]);
  await sleep(1_000);
  const byBoth = await pollsWithin(sandbox, 2_000);
  await first.running.stop('SIGKILL');
  await sandbox.forgetCalls();
  const killedAt = performance.now();
  while ((await polls(sandbox)) === 0) await sleep(50);
  const takeoverMs = performance.now() - killedAt;

  const cut = await onFirst;
  const [one, two] = await onSecond;
  await Promise.all([second.running.stop(), sandbox.stop()]);
  await redis.kill();

  // The steps take 3 s, and the sandbox says to look again after as long.
  expect(byBoth).toBeLessThanOrEqual(1);
  expect(takeoverMs).toBeLessThan(10_000);
  expect(cut.at(-1)).toBeNaN();
  expect(one).toEqual([...new Set(one)].sort((a, b) => a - b));
  expect(one.at(-1)).toBe(100);
  expect(two).toEqual(one);
}, 60_000);

test('without Redis every replica polls for itself and nothing ends; when it is back one polls again', async () => {
  const redis = await startTestRedis();
  const sandbox = await startTestSandbox();
  const [first, second] = await Promise.all([startReplica(sandbox, redis), startReplica(sandbox, redis)]);
  // An operation that goes on, looked at once a second, until the fault is taken away.
  await sandbox.fault({
    path: 'operationStatuses',
    status: 200,
    headers: { 'retry-after': '1' },
    body: { status: 'Waiting', percentComplete: 7 },
    times: 1_000,
  });
  const id = await stopThrough(first, 'app01');

  const watched = Promise.all([watch(first, id), watch(second, id)]);
  await sleep(2_500);
  const together = await pollsWithin(sandbox, 4_000);
  await redis.kill();
  await sleep(4_000);
  const apart = await pollsWithin(sandbox, 4_000);
  await redis.start();
  await sleep(5_000);
  const togetherAgain = await pollsWithin(sandbox, 4_000);
  await fetch(`${sandbox.url}/sandbox/faults`, { method: 'DELETE' });
  const told = await watched;
  await Promise.all([first.running.stop(), second.running.stop(), sandbox.stop()]);
  await redis.kill();

  expect(together).toBeLessThanOrEqual(5);
  expect(apart).toBeGreaterThanOrEqual(6);
  expect(togetherAgain).toBeLessThanOrEqual(5);
  expect(told).toEqual([
    [7, 100],
    [7, 100],
  ]);
}, 60_000);

test('what one replica began another tells whole, and Redis sees no token and no address, and keeps nothing', async () => {
  const redis = await startTestRedis();
  const sandbox = await startTestSandbox({ stepMs: 1_000 });
  const token = 'canary-token-of-an-operator';
  const [first, second] = await Promise.all([startReplica(sandbox, redis), startReplica(sandbox, redis)]);
  const monitor = askRedis(redis, 'MONITOR');

  const id = await stopThrough(first, 'app01', token);
  const watched = Promise.all([watch(first, id, token), watch(second, id, token)]);
  await sleep(2_500);
  const keys = askRedis(redis, 'KEYS *');
  const lives = askRedis(
    redis,
    "EVAL \"local l = {} for i, k in ipairs(redis.call('keys', '*')) do l[i] = redis.call('pttl', k) end return l\" 0",
  );
  await sleep(200);
  const told = await watched;
  await Promise.all([first.running.stop(), second.running.stop()]);
  const left = askRedis(redis, 'KEYS *');
  await sleep(200);
  const seen = monitor.heard();
  const address = (await sandbox.calls()).at(-1)?.path ?? '';
  await sandbox.stop();
  for (const connection of [monitor, keys, lives, left]) connection.close();
  await redis.kill();

  expect(told).toEqual([
    [0, 20, 40, 60, 80, 100],
    [0, 20, 40, 60, 80, 100],
  ]);
  expect(
    keys
      .heard()
      .match(/tributary:\S+/g)
      ?.sort(),
  ).toEqual([
    expect.stringMatching(/^tributary:\{[\w-]{43}\}:last$/),
    expect.stringMatching(/^tributary:\{[\w-]{43}\}:right$/),
  ]);
  const ttls = [...lives.heard().matchAll(/:(-?\d+)/g)].map(([, ms]) => Number(ms));
  expect(ttls).toHaveLength(2);
  for (const ms of ttls) expect(ms).toBeGreaterThan(0);
  expect(left.heard()).toBe('*0\r\n');
  expect(seen).toContain('"publish"');
  expect(address).toContain('operationStatuses');
  for (const secret of [token, id, address, address.split('?')[1] ?? '?', 'a secret of all replicas'])
    expect(seen).not.toContain(secret);
}, 60_000);
