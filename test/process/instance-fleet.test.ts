import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from 'graphql-ws';
import { test as base, expect } from 'vitest';
import { WebSocket } from 'ws';
import type { Json } from '../support/json.ts';
import { place } from '../support/operations.ts';
import { hasRedis, startTestRedis } from '../support/redis.ts';
import { type Replica, startReplica } from '../support/replicas.ts';
import { startTestSandbox, type TestSandbox } from '../support/sandbox.ts';

const test = hasRedis ? base : base.skip;

const authorization = 'Bearer fleet-operator';
const fleet = { ...place, resourceGroupName: 'rg-fleet', virtualInstanceName: 'F01' };
const count = 50;
const all = Array.from({ length: count }, (_one, index) => `app${String(index + 1).padStart(2, '0')}`);

async function query({ url }: Replica, text: string, variables: object = {}): Promise<Json> {
  const response = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization },
    body: JSON.stringify({ query: text, variables }),
  });
  const { data, errors } = (await response.json()) as { data: Json; errors?: unknown };
  expect(errors, text).toBeUndefined();
  return data;
}

const stopMany = `mutation ($input: StopApplicationInstancesInput!) {
  stopApplicationInstances(input: $input) { results { operation { id applicationInstanceName } userErrors { code } } } }`;
const stop = async (replica: Replica, names: readonly string[]): Promise<Json[]> => {
  const instances = names.map((applicationInstanceName) => ({
    names: { ...fleet, applicationInstanceName },
  }));
  return (await query(replica, stopMany, { input: { instances } })).stopApplicationInstances.results;
};
const list = async (replica: Replica): Promise<Json[]> =>
  (await query(replica, '{ operations { id state applicationInstanceName } }')).operations;

/** The last state of each operation, by its id. */
async function followAll({ url }: Replica, ids: readonly string[]): Promise<Map<string, string>> {
  const client = createClient({
    url: `${url.replace('http', 'ws')}/graphql`,
    webSocketImpl: WebSocket,
    connectionParams: { authorization },
    retryAttempts: 0,
  });
  const last = new Map<string, string>();
  const text = 'subscription ($ids: [ID!]!) { operationsProgress(ids: $ids) { id state } }';
  for await (const { data } of client.iterate<{ operationsProgress: Json }>({
    query: text,
    variables: { ids },
  }))
    last.set(data?.operationsProgress.id, data?.operationsProgress.state);
  await client.dispose();
  return last;
}

/** The instances that the sandbox was asked to stop, in the order of arrival. */
const stopped = async (sandbox: TestSandbox): Promise<string[]> =>
  (await sandbox.calls()).flatMap(({ method, path }) =>
    method === 'POST' ? (/applicationInstances\/([^/]+)\/stop/.exec(path)?.[1] ?? []) : [],
  );

test('a replica that is killed amid fifty stops loses none: another follows what was sent, and the rest is sent once', async () => {
  const redis = await startTestRedis();
  const sandbox = await startTestSandbox({ stepMs: 500 });
  const [first, second] = await Promise.all([startReplica(sandbox, redis), startReplica(sandbox, redis)]);
  await sandbox.send('POST', '/sandbox/virtual-instances', { name: 'F01', applicationInstances: count });
  await sandbox.fault({ method: 'POST', path: '/stop', delayMs: 400, times: 1_000 });

  // Its client sees the connection end.
  const answer = stop(first, all).catch(() => null);
  await expect.poll(async () => (await stopped(sandbox)).length).toBeGreaterThan(12);
  await first.running.stop('SIGKILL');
  expect(await answer).toBeNull();
  // Those that were on their way have arrived.
  await sleep(1_000);
  const sentByFirst = await stopped(sandbox);
  await fetch(`${sandbox.url}/sandbox/faults`, { method: 'DELETE' });

  // Every stop that arrived is listed, and at most the five that were on their way have no known outcome.
  const listed = await list(second);
  const names = listed.map(({ applicationInstanceName }) => applicationInstanceName);
  expect(sentByFirst.length).toBeLessThan(count);
  expect(new Set(names).size).toBe(names.length);
  expect(names).toEqual(expect.arrayContaining(sentByFirst));
  const unknown = listed.filter(({ state }) => state === 'UNKNOWN');
  expect(unknown.length).toBeLessThanOrEqual(5);
  expect(names.length - sentByFirst.length).toBeLessThanOrEqual(unknown.length);

  // What was sent is followed to its end.
  const known = listed.filter(({ state }) => state !== 'UNKNOWN');
  const followed = await followAll(
    second,
    known.map(({ id }) => id),
  );
  expect(followed).toEqual(new Map(known.map(({ id }) => [id, 'SUCCEEDED'])));

  // What is not in the list was not sent; the state of an UNKNOWN one tells whether it was.
  const running: string[] = [];
  for (const { applicationInstanceName } of unknown) {
    const { applicationInstance } = await query(
      second,
      `query ($subscriptionId: String!, $resourceGroupName: String!, $virtualInstanceName: String!, $applicationInstanceName: String!) {
        applicationInstance(subscriptionId: $subscriptionId, resourceGroupName: $resourceGroupName, virtualInstanceName: $virtualInstanceName, applicationInstanceName: $applicationInstanceName) { status } }`,
      { ...fleet, applicationInstanceName },
    );
    if (applicationInstance.status === 'Running') running.push(applicationInstanceName);
  }
  const results = await stop(second, [...all.filter((name) => !names.includes(name)), ...running]);
  expect(results.map(({ userErrors }) => userErrors)).toEqual(results.map(() => []));
  const rest = await followAll(
    second,
    results.map(({ operation }) => operation.id),
  );
  expect([...new Set(rest.values())]).toEqual(['SUCCEEDED']);

  expect((await stopped(sandbox)).sort()).toEqual(all);
  const statuses = await query(
    second,
    `{ virtualInstance(subscriptionId: "${fleet.subscriptionId}", resourceGroupName: "rg-fleet", virtualInstanceName: "F01") {
      applicationInstances(filter: { status: { ne: "Offline" } }) { totalCount } } }`,
  );
  expect(statuses.virtualInstance.applicationInstances.totalCount).toBe(0);

  await Promise.all([second.running.stop(), sandbox.stop()]);
  await redis.kill();
});
