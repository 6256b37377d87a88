import { describe, expect, onTestFinished } from 'vitest';
import { startIssuer } from '../../support/issuer.ts';
import type { Json } from '../../support/json.ts';
import { startTestLayer, type TestLayer, testWith } from '../../support/layer.ts';
import { place } from '../../support/operations.ts';
import type { TestSandbox } from '../../support/sandbox.ts';

// More calls at a time than the service is sent actions.
const test = testWith({ stepMs: 20 }, { UPSTREAM_CALLS_PER_CALLER: '50' });

const fleet = { ...place, resourceGroupName: 'rg-fleet', virtualInstanceName: 'F01' };
const address = Object.entries(fleet)
  .map(([name, value]) => `${name}: ${JSON.stringify(value)}`)
  .join(', ');
const stopMany = `mutation ($input: StopApplicationInstancesInput!) {
  stopApplicationInstances(input: $input) { results { operation { id applicationInstanceName } userErrors { code } } } }`;

const createFleet = (sandbox: TestSandbox, applicationInstances: number) =>
  sandbox.send('POST', '/sandbox/virtual-instances', { name: 'F01', applicationInstances });
const nameOf = (index: number, count: number) =>
  `app${String(index + 1).padStart(String(count).length, '0')}`;
const stops = async (sandbox: TestSandbox) =>
  (await sandbox.calls()).filter(({ method }) => method === 'POST') as readonly (Json & { path: string })[];
const instanceIn = ({ path }: { readonly path: string }) =>
  /applicationInstances\/([^/]+)\/stop/.exec(path)?.[1];

/** Queries as a caller who has started nothing yet. */
let callers = 0;
function newCaller(layer: TestLayer) {
  callers += 1;
  const token = `a-caller-of-a-fleet-${callers}`;
  const query = async (text: string, variables: Record<string, unknown> = {}): Promise<Json> => {
    const { data, errors } = await layer.query(text, variables, { authorization: `Bearer ${token}` });
    expect(errors, text).toBeUndefined();
    return data;
  };
  const stop = async (instances: readonly object[]): Promise<Json[]> =>
    (await query(stopMany, { input: { instances } })).stopApplicationInstances.results;
  return { token, query, stop };
}

describe('a fleet of 500 application server instances', () => {
  const count = 500;
  const all = Array.from({ length: count }, (_one, index) => nameOf(index, count));

  test('is whole also where the upstream lists it on one page of 400 KB', async ({ layer, sandbox }) => {
    await createFleet(sandbox, count);
    await sandbox.send('POST', '/sandbox/instances', { pageSize: 1_000 });
    const { query } = newCaller(layer);

    const { virtualInstance } = await query(
      `{ virtualInstance(${address}) { applicationInstances(first: 1000) { nodes { applicationInstanceName status } } } }`,
    );

    const { nodes } = virtualInstance.applicationInstances;
    expect(nodes.map((one: Json) => one.applicationInstanceName)).toEqual(all);
    expect(new Set(nodes.map(({ status }: Json) => status))).toEqual(new Set(['Running']));
    expect(await sandbox.calls()).toHaveLength(1);
  });

  test('is stopped as a whole by an operation that tells every step', async ({ layer, sandbox }) => {
    await createFleet(sandbox, count);
    const { query } = newCaller(layer);
    const { subscriptionId, resourceGroupName, virtualInstanceName } = fleet;

    const { done } = await query(
      `mutation ($input: StopVirtualInstanceInput!) { done: stopVirtualInstance(input: $input) {
        operation { operations { name state } } userErrors { code } } }`,
      { input: { instance: { names: { subscriptionId, resourceGroupName, virtualInstanceName } } } },
    );
    const { operations } = await query('{ operations { operations { name state } } }');

    expect(done.userErrors).toEqual([]);
    expect(operations[0].operations.length).toBeGreaterThan(count);
    expect(operations[0].operations.filter(({ name }: Json) => !name)).toEqual([]);
  });

  test('is listed, filtered and paged to its end with six calls', async ({ layer, sandbox }) => {
    await createFleet(sandbox, count);
    await sandbox.send('POST', '/sandbox/instances', { pageSize: 100 });
    const { query } = newCaller(layer);
    const names: string[] = [];
    let after: string | null = null;
    do {
      const { virtualInstance }: Json = await query(
        `query ($after: String) { virtualInstance(${address}) {
          page: applicationInstances(first: 40, after: $after) {
            nodes { applicationInstanceName status } pageInfo { hasNextPage endCursor }
          }
          nines: applicationInstances(first: 100, filter: { name: { contains: "9" }, status: { eq: "Running" } }) @include(if: ${after === null}) {
            totalCount nodes { applicationInstanceName }
          }
        } }`,
        { after },
      );
      names.push(...virtualInstance.page.nodes.map((one: Json) => one.applicationInstanceName));
      if (after === null) {
        const found = virtualInstance.nines.nodes.map((one: Json) => one.applicationInstanceName);
        expect(found).toEqual(all.filter((name) => name.includes('9')));
        expect(virtualInstance.nines.totalCount).toBe(found.length);
      }
      after = virtualInstance.page.pageInfo.hasNextPage ? virtualInstance.page.pageInfo.endCursor : null;
    } while (after !== null);

    expect(names).toEqual(all);
    expect((await sandbox.calls()).length).toBeLessThanOrEqual(6);
  });

  test('shows another caller nothing that was read for this one', async ({ layer, sandbox }) => {
    await createFleet(sandbox, 30);
    const page = (after: string) =>
      `{ virtualInstance(${address}) { applicationInstances(first: 2 ${after}) { nodes { name } pageInfo { endCursor } } } }`;
    const { query } = newCaller(layer);
    const first = await query(page(''));
    const next = page(`, after: "${first.virtualInstance.applicationInstances.pageInfo.endCursor}"`);
    await sandbox.forgetCalls();

    await query(next);
    expect(await sandbox.calls()).toEqual([]);
    await newCaller(layer).query(next);
    expect(await sandbox.calls()).toHaveLength(2);
    const denied = await layer.query(next, {}, { authorization: 'Bearer denied-a-fleet' });
    expect(denied.errors).toMatchObject([{ extensions: { code: 'FORBIDDEN' } }]);
    await sandbox.forgetCalls();
    await query(page(''));
    expect(await sandbox.calls()).toHaveLength(2);
  });
});

describe('fifty instances', () => {
  const count = 50;
  const all = Array.from({ length: count }, (_one, index) => nameOf(index, count));
  const references = all.map((applicationInstanceName) => ({ names: { ...fleet, applicationInstanceName } }));

  test('are stopped with never more than five requests under way, and one subscription tells all ends', async ({
    layer,
    sandbox,
  }) => {
    await createFleet(sandbox, count);
    await sandbox.fault({ method: 'POST', delayMs: 30, times: count });
    const { token, stop } = newCaller(layer);

    const results = await stop(references);

    const sent = await stops(sandbox);
    expect(sent.map(instanceIn).sort()).toEqual(all);
    expect(Math.max(...sent.map(({ underWay }) => underWay))).toBe(5);
    const ids = results.map(({ operation }) => operation.id);
    const ends = new Map<string, string>();
    const text = 'subscription ($ids: [ID!]!) { operationsProgress(ids: $ids) { id state } }';
    for await (const { data, errors } of layer.watch(text, { ids }, token)) {
      expect(errors).toBeUndefined();
      ends.set(data.operationsProgress.id, data.operationsProgress.state);
    }
    expect(ends).toEqual(new Map(ids.map((id) => [id, 'SUCCEEDED'])));
  });

  test('of which some are named twice, in other case or by nodeId, are stopped once each', async ({
    layer,
    sandbox,
  }) => {
    await createFleet(sandbox, count);
    // Each stop has ended before the next one is sent.
    for (const name of all) {
      const path = `/applicationInstances/${name}/stop`;
      await sandbox.fault({ path, status: 200, body: { status: 'Succeeded' } });
    }
    const { stop } = newCaller(layer);
    const { subscriptionId, resourceGroupName, virtualInstanceName } = fleet;
    const again = all.map((name) => {
      const key = ['ApplicationInstance', subscriptionId.toUpperCase(), resourceGroupName, 'f01', name];
      return { nodeId: Buffer.from(JSON.stringify(key)).toString('base64url') };
    });
    const upper = {
      names: {
        ...fleet,
        virtualInstanceName: virtualInstanceName.toLowerCase(),
        applicationInstanceName: 'APP01',
      },
    };

    const results = await stop([...references.slice(0, 49), upper, ...again]);

    expect((await stops(sandbox)).length).toBe(count);
    expect(results[49].operation.id).toBe(results[0].operation.id);
    expect(results.slice(50, 99).map(({ operation }) => operation.id)).toEqual(
      results.slice(0, 49).map(({ operation }) => operation.id),
    );
  });
});

test('a virtual instance whose name has characters of URLs is listed, and its instances are stopped and found', async ({
  layer,
  sandbox,
}) => {
  const name = 'F?1#x=%2F&+ö..;';
  await sandbox.send('POST', '/sandbox/virtual-instances', { name, applicationInstances: 2 });
  const { query } = newCaller(layer);
  const { virtualInstances } = await query(
    `{ virtualInstances(subscriptionId: "${fleet.subscriptionId}", resourceGroupName: "rg-fleet") {
      nodes { name nodeId applicationInstances { nodes { nodeId } } } } }`,
  );
  const [found] = virtualInstances.nodes;
  expect(found).toMatchObject({ name, applicationInstances: { nodes: { length: 2 } } });
  const { nodeId } = found.applicationInstances.nodes[1];
  const text = `mutation ($input: StopApplicationInstanceInput!) { stopApplicationInstance(input: $input) {
    operation { id virtualInstanceName } userErrors { code path } } }`;
  const stopOne = async (id: string) =>
    (await query(text, { input: { instance: { nodeId: id } } })).stopApplicationInstance;

  const { operation } = await stopOne(nodeId);

  // Nothing was read: the name is that of the `nodeId`.
  expect(operation.virtualInstanceName).toBe(name.toLowerCase());
  expect(
    await query('query ($instance: ID) { operations(filter: { instance: $instance }) { id } }', {
      instance: nodeId,
    }),
  ).toEqual({ operations: [{ id: operation.id }] });
  await sandbox.forgetCalls();
  for (const wrong of [nodeId.toLowerCase(), nodeId.toUpperCase(), `${nodeId}=`, found.nodeId])
    expect(await stopOne(wrong)).toEqual({
      operation: null,
      userErrors: [{ code: 'INVALID_INPUT', path: ['input', 'instance', 'nodeId'] }],
    });
  expect(await sandbox.calls()).toEqual([]);
});

test('a verified caller with two tokens stops an instance once, and another caller is not joined', async ({
  sandbox,
}) => {
  const issuer = await startIssuer();
  const layer = await startTestLayer(sandbox.url, issuer.settings);
  onTestFinished(async () => {
    await layer.stop();
    issuer.stop();
  });
  await createFleet(sandbox, 3);
  await sandbox.fault({ method: 'POST', delayMs: 300, times: 3 });
  const stopAs = async (subject: string) => {
    const authorization = `Bearer ${await issuer.token(subject)}`;
    const input = { instances: [{ names: { ...fleet, applicationInstanceName: 'app01' } }] };
    const { data } = await layer.query(stopMany, { input }, { authorization });
    return data.stopApplicationInstances.results[0].operation.id;
  };

  const [first, second, other] = await Promise.all(['ann', 'ann', 'ben'].map(stopAs));

  expect(second).toBe(first);
  expect(other).not.toBe(first);
  expect(await stops(sandbox)).toHaveLength(2);
});

describe('a hundred instances', () => {
  test('of which none is sent after the timeout of a write, also where the upstream asks to wait for longer', async ({
    sandbox,
  }) => {
    const layer = await startTestLayer(sandbox.url, { WRITE_TIMEOUT_MS: '1000', UPSTREAM_ATTEMPTS: '3' });
    onTestFinished(() => layer.stop());
    await createFleet(sandbox, 100);
    await sandbox.fault({ method: 'POST', status: 429, headers: { 'retry-after': '20' } });
    const { stop, query } = newCaller(layer);
    const startedAt = performance.now();

    const results = await stop(
      Array.from({ length: 100 }, (_one, index) => ({
        names: { ...fleet, applicationInstanceName: nameOf(index, 100) },
      })),
    );

    expect(performance.now() - startedAt).toBeLessThan(15_000);
    const sent = (await stops(sandbox)).filter(({ status }) => status === 202);
    expect(results.filter(({ operation }) => operation !== null)).toHaveLength(sent.length);
    expect(sent.length).toBeLessThan(20);
    for (const { operation, userErrors } of results)
      expect(userErrors.map(({ code }: Json) => code)).toEqual(operation ? [] : ['NOT_STARTED']);
    expect((await query('{ operations { id } }')).operations).toHaveLength(sent.length);
  });

  test('of which the upstream throttles some are all stopped once, or told as not started and stopped by the next try', async ({
    layer,
    sandbox,
  }) => {
    const count = 100;
    await createFleet(sandbox, count);
    const { stop, query } = newCaller(layer);
    const all = Array.from({ length: count }, (_one, index) => nameOf(index, count));
    await sandbox.fault({
      method: 'POST',
      path: '/stop',
      status: 429,
      headers: { 'retry-after': '1' },
      body: { error: { code: 'SubscriptionRequestsThrottled', message: 'Too many requests.' } },
      times: 7,
    });
    const throttled = new Set<string>();
    let left = all;
    for (let tries = 0; tries < 10 && left.length > 0; tries += 1) {
      const results = await stop(
        left.map((applicationInstanceName) => ({ names: { ...fleet, applicationInstanceName } })),
      );
      const kept = left.filter((_name, index) => results[index].operation === null);
      for (const [index, { operation, userErrors }] of results.entries()) {
        expect(userErrors.map(({ code }: Json) => code)).toEqual(operation ? [] : ['NOT_STARTED']);
        if (!operation) throttled.add(left[index] as string);
      }
      left = kept;
    }

    const accepted = (await stops(sandbox)).filter(({ status }) => status === 202);
    expect(left).toEqual([]);
    expect(throttled.size).toBeGreaterThan(0);
    expect(accepted.map(instanceIn).sort()).toEqual(all);
    expect((await query('{ operations { id } }')).operations).toHaveLength(count);
  });
});

/** With the limits of a caller as they are by default. */
const asDeployed = testWith({ stepMs: 20 }, {});

describe('many in one query', () => {
  const systems = 60;
  const createSystems = async (sandbox: TestSandbox) => {
    for (let n = 1; n <= systems; n += 1)
      await sandbox.send('POST', '/sandbox/virtual-instances', { name: `M${n}`, applicationInstances: 2 });
    await sandbox.send('POST', '/sandbox/instances', { pageSize: 1_000 });
    await sandbox.forgetCalls();
  };

  asDeployed('are all answered: lists, instances and operations', async ({ layer, sandbox }) => {
    await createSystems(sandbox);
    const { query, stop } = newCaller(layer);
    const lists = 'applicationInstances { nodes { nodeId } } centralInstances { totalCount }';

    const { virtualInstances } = await query(
      `{ virtualInstances(subscriptionId: "${place.subscriptionId}", resourceGroupName: "rg-fleet", first: 100) { nodes { nodeId ${lists} } } }`,
    );
    const systemsRead: Json[] = virtualInstances.nodes;
    const ids = systemsRead.flatMap((one) =>
      one.applicationInstances.nodes.map(({ nodeId }: Json) => nodeId),
    );
    const byId =
      'query ($ids: [ID!]!) { nodes(nodeIds: $ids) { nodeId ... on ApplicationInstance { status } ... on InstanceOperation { state } } }';
    const read = await query(byId, { ids: ids.slice(0, 100) });
    const results = await stop(ids.slice(0, 100).map((nodeId) => ({ nodeId })));
    const operations = await query('{ operations { nodeId } }');
    const followed = await query(byId, { ids: operations.operations.map(({ nodeId }: Json) => nodeId) });

    expect(systemsRead.length).toBeGreaterThanOrEqual(systems);
    expect(systemsRead.filter((one) => one.centralInstances.totalCount !== 1)).toEqual([]);
    expect(read.nodes.map(({ status }: Json) => status)).toEqual(Array(100).fill('Running'));
    expect(results.flatMap(({ userErrors }) => userErrors)).toEqual([]);
    expect(followed.nodes).toHaveLength(100);
    expect(followed.nodes.filter(({ state }: Json) => !state)).toEqual([]);
  });
});

test('of one caller, several mutations at once send five at a time together', async ({ layer, sandbox }) => {
  await createFleet(sandbox, 45);
  const { stop } = newCaller(layer);
  await sandbox.fault({ path: '/stop', delayMs: 60, times: 45, status: 202 });
  const parts = [0, 15, 30].map((from) =>
    Array.from({ length: 15 }, (_one, index) => ({
      names: {
        ...fleet,
        // Case makes no difference.
        subscriptionId: from === 15 ? fleet.subscriptionId.toUpperCase() : fleet.subscriptionId,
        applicationInstanceName: nameOf(from + index, 45),
      },
    })),
  );

  await Promise.all(parts.map(stop));

  const sent = await stops(sandbox);
  expect(sent).toHaveLength(45);
  expect(Math.max(...sent.map(({ underWay }) => underWay))).toBe(5);
});
