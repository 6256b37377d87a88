import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from 'graphql-ws';
import { test as base, expect } from 'vitest';
import { WebSocket } from 'ws';
import { actionInput, place, progress, stop } from '../support/operations.ts';
import { startTributary } from '../support/process.ts';
import { hasRedis, startTestRedis, type TestRedis } from '../support/redis.ts';
import { startTestSandbox, type TestSandbox } from '../support/sandbox.ts';

const test = hasRedis ? base : base.skip;

const authorization = 'Bearer operator';

type Replica = Awaited<ReturnType<typeof startReplica>>;

/** A process that serves, with the secrets of the others. */
async function startReplica(sandbox: TestSandbox, redis: TestRedis) {
  const running = startTributary(['serve'], {
    PORT: '0',
    MANAGEMENT_URL: sandbox.url,
    OPERATION_SECRETS: 'a secret of all replicas',
    OPERATION_POLL_MS: '200',
    REDIS_URL: redis.url,
    LOG_LEVEL: 'error',
  });
  const [, url = ''] = /at (\S+)\/graphql/.exec(await running.printed(/readyz"/)) ?? [];
  return { running, url };
}

async function stopThrough({ url }: Replica, applicationInstanceName: string): Promise<string> {
  const response = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization },
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
async function watch({ url }: Replica, id: string): Promise<number[]> {
  const client = createClient({
    url: `${url.replace('http', 'ws')}/graphql`,
    webSocketImpl: WebSocket,
    connectionParams: { authorization },
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
