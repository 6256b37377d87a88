import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from 'graphql-ws';
import { test as base, expect } from 'vitest';
import { WebSocket } from 'ws';
import { actionInput, place, progress, stop } from '../support/operations.ts';
import { hasRedis, startTestRedis } from '../support/redis.ts';
import { askRedis, type Replica, startReplica } from '../support/replicas.ts';
import { startTestSandbox, type TestSandbox } from '../support/sandbox.ts';

const test = hasRedis ? base : base.skip;

async function stopThrough(
  { url }: Replica,
  applicationInstanceName: string,
  token = 'operator',
): Promise<string> {
  const response = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: JSON.stringify({
      query: stop,
      variables: { input: actionInput({ ...place, applicationInstanceName }) },
    }),
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

/** An operation that goes on, and is to be looked at once a second, until it is let go. */
const holdOperation = (sandbox: TestSandbox) =>
  sandbox.fault({
    path: 'operationStatuses',
    status: 200,
    headers: { 'retry-after': '1' },
    body: { status: 'Waiting', percentComplete: 7 },
    times: 1_000,
  });
const letOperationGo = (sandbox: TestSandbox) => fetch(`${sandbox.url}/sandbox/faults`, { method: 'DELETE' });

test('one replica polls for the watchers of all, and when it is killed another goes on to the end', async () => {
  const redis = await startTestRedis();
  const sandbox = await startTestSandbox();
  const [first, second] = await Promise.all([startReplica(sandbox, redis), startReplica(sandbox, redis)]);
  await holdOperation(sandbox);
  const id = await stopThrough(first, 'app01');

  const onFirst = watch(first, id);
  // The first to watch is the one that polls.
  await expect.poll(() => polls(sandbox)).toBeGreaterThan(0);
  const onSecond = Promise.all([watch(second, id), watch(second, id)]);
  // Two that poll would make five calls or more.
  await sandbox.forgetCalls();
  await sleep(2_500);
  expect(await polls(sandbox)).toBeLessThanOrEqual(3);
  await first.running.stop('SIGKILL');
  await sandbox.forgetCalls();
  const killedAt = performance.now();
  while ((await polls(sandbox)) === 0) await sleep(50);
  const takeoverMs = performance.now() - killedAt;
  await letOperationGo(sandbox);

  const cut = await onFirst;
  const [one, two] = await onSecond;
  await Promise.all([second.running.stop(), sandbox.stop()]);
  await redis.kill();

  expect(takeoverMs).toBeLessThan(10_000);
  expect(cut.at(-1)).toBeNaN();
  expect(one).toEqual([7, 100]);
  expect(two).toEqual(one);
});

test('what one replica began another tells whole, and Redis sees no token and no address, and keeps only the list of operations', async () => {
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

  // On a busy machine a step can be over before it is looked at.
  for (const percentages of told) {
    expect(percentages).toEqual([0, 20, 40, 60, 80, 100].filter((percent) => percentages.includes(percent)));
    expect(percentages.length).toBeGreaterThan(2);
    expect(percentages.at(-1)).toBe(100);
  }
  // Digests differ in each run, and would change the order of the names.
  const namesIn = (answer: typeof keys) =>
    answer
      .heard()
      .match(/tributary:\S+/g)
      ?.map((name) => name.replace(/[\w-]{43}/, '<digest>'))
      .sort();
  const listKey = 'tributary:operations:<digest>';
  expect(namesIn(keys)).toEqual([listKey, 'tributary:{<digest>}:last', 'tributary:{<digest>}:right']);
  const ttls = [...lives.heard().matchAll(/:(-?\d+)/g)].map(([, ms]) => Number(ms));
  expect(ttls).toHaveLength(3);
  for (const ms of ttls) expect(ms).toBeGreaterThan(0);
  expect(namesIn(left)).toEqual([listKey]);
  expect(seen).toContain('"publish"');
  expect(address).toContain('operationStatuses');
  // The handle alone is in the list: it names its operation, and is no credential.
  for (const secret of [token, address, address.split('?')[1] ?? '?', 'a secret of all replicas'])
    expect(seen).not.toContain(secret);
});
