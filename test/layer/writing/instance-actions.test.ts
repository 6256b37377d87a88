import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect } from 'vitest';
import type { Json } from '../../support/json.ts';
import { startBeforeStub, type TestLayer, test } from '../../support/layer.ts';
import { place } from '../../support/operations.ts';
import type { TestSandbox } from '../../support/sandbox.ts';
import type { StubRequest } from '../../support/stub.ts';

const fields = `operation { id action state instanceKind virtualInstanceName applicationInstanceName
  centralInstanceName databaseInstanceName } userErrors { code path message }`;
let callers = 0;

/** A caller who has started nothing yet. */
function newCaller(layer: TestLayer) {
  callers += 1;
  const token = `caller-${callers}-of-actions`;
  const query = async (text: string, variables: Record<string, unknown> = {}) => {
    const { data, errors } = await layer.query(text, variables, {
      authorization: `Bearer ${token}`,
    });
    expect(errors).toBeUndefined();
    return data;
  };
  return {
    token,
    query,
    act: async (mutation: string, input: Json) => {
      const type = `${mutation[0]?.toUpperCase()}${mutation.slice(1)}Input!`;
      return (
        await query(`mutation ($input: ${type}) { done: ${mutation}(input: $input) { ${fields} } }`, {
          input,
        })
      ).done;
    },
    many: async (input: Json): Promise<Json[]> => {
      const text = `mutation ($input: StopApplicationInstancesInput!) {
        stopApplicationInstances(input: $input) { results { ${fields} } } }`;
      return (await query(text, { input })).stopApplicationInstances.results;
    },
  };
}

const posts = async (sandbox: TestSandbox) =>
  (await sandbox.calls()).filter(({ method }) => method === 'POST').map(({ path }) => path.split('?')[0]);

const root =
  '/subscriptions/11111111-2222-4333-8444-555555555555/resourceGroups/rg-north/providers/Vendor.Workloads/virtualInstances/N01';
const app = (applicationInstanceName: string) => ({ names: { ...place, applicationInstanceName } });

const kinds = [
  [
    'ApplicationInstance',
    { applicationInstanceName: 'app01' },
    '/applicationInstances/app01',
    'APPLICATION_INSTANCE',
  ],
  ['CentralInstance', { centralInstanceName: 'cs0' }, '/centralInstances/cs0', 'CENTRAL_INSTANCE'],
  ['DatabaseInstance', { databaseInstanceName: 'db0' }, '/databaseInstances/db0', 'DATABASE_INSTANCE'],
  ['VirtualInstance', {}, '', 'VIRTUAL_INSTANCE'],
] as const;

describe.each(kinds)('%s', (type, name, path, kind) => {
  test.for(['stop', 'start'] as const)(
    '%s is one call, with an operation that says what it is of',
    async (action, { layer, sandbox }) => {
      const { operation, userErrors } = await newCaller(layer).act(`${action}${type}`, {
        instance: { names: { ...place, ...name } },
      });

      expect(userErrors).toEqual([]);
      expect(operation).toEqual({
        id: expect.any(String),
        action: action.toUpperCase(),
        state: 'RUNNING',
        instanceKind: kind,
        virtualInstanceName: 'N01',
        applicationInstanceName: null,
        centralInstanceName: null,
        databaseInstanceName: null,
        ...name,
      });
      expect(await posts(sandbox)).toEqual([`${root}${path}/${action}`]);
    },
  );
});

test('an instance is named by its nodeId, and by no other', async ({ layer, sandbox }) => {
  const caller = newCaller(layer);
  const { virtualInstance } = await caller.query(
    `query ($subscriptionId: String!, $resourceGroupName: String!, $virtualInstanceName: String!) {
      virtualInstance(subscriptionId: $subscriptionId, resourceGroupName: $resourceGroupName, virtualInstanceName: $virtualInstanceName) {
        nodeId
        applicationInstances(filter: { name: { eq: "app01" } }) { nodes { nodeId } }
        centralInstances(filter: { name: { eq: "cs0" } }) { nodes { nodeId } }
        databaseInstances(filter: { name: { eq: "db0" } }) { nodes { nodeId } }
      } }`,
    place,
  );
  const { applicationInstances, centralInstances, databaseInstances, nodeId } = virtualInstance;
  const ids: Json = {
    ApplicationInstance: applicationInstances.nodes[0].nodeId,
    CentralInstance: centralInstances.nodes[0].nodeId,
    DatabaseInstance: databaseInstances.nodes[0].nodeId,
    VirtualInstance: nodeId,
  };
  await sandbox.forgetCalls();

  for (const [other, id] of Object.entries(ids)) {
    const { operation, userErrors } = await caller.act('stopCentralInstance', { instance: { nodeId: id } });
    if (other === 'CentralInstance') expect(operation).toMatchObject({ instanceKind: 'CENTRAL_INSTANCE' });
    else expect(userErrors).toMatchObject([{ code: 'INVALID_INPUT', path: ['input', 'instance', 'nodeId'] }]);
  }
  // A `nodeId` holds names in lower case.
  expect((await posts(sandbox)).map((one) => one?.toLowerCase())).toEqual([
    `${root}/centralInstances/cs0/stop`.toLowerCase(),
  ]);
});

describe('an action that is already going on', () => {
  test('gives its operation, and is not sent again', async ({ layer, sandbox }) => {
    const caller = newCaller(layer);
    const stop = () => caller.act('stopApplicationInstance', { instance: app('endless') });

    const first = await stop();
    const second = await stop();
    const upper = await caller.act('stopApplicationInstance', {
      instance: { names: { ...place, resourceGroupName: 'RG-NORTH', applicationInstanceName: 'endless' } },
    });

    expect([second, upper].map(({ operation }) => operation.id)).toEqual([
      first.operation.id,
      first.operation.id,
    ]);
    expect((await sandbox.calls()).map(({ method }) => method)).toEqual(['POST', 'GET', 'GET']);
  });

  test('is sent once by two requests at the same time', async ({ layer, sandbox }) => {
    const caller = newCaller(layer);
    await sandbox.fault({ method: 'POST', delayMs: 100 });

    const results = await Promise.all(
      Array.from({ length: 5 }, () => caller.act('stopApplicationInstance', { instance: app('app01') })),
    );

    expect(new Set(results.map(({ operation }) => operation.id)).size).toBe(1);
    expect(await posts(sandbox)).toHaveLength(1);
  });

  test('is sent with other parameters, as another action, by another caller, and once it has ended', async ({
    layer,
    sandbox,
  }) => {
    const caller = newCaller(layer);
    const soft = (softStopTimeoutSeconds: number) =>
      caller.act('stopApplicationInstance', { instance: app('endless'), softStopTimeoutSeconds });

    await soft(300);
    await soft(0);
    await caller.act('startApplicationInstance', { instance: app('endless') });
    // The start came in between: this is no repetition of the first stop, though that is still running.
    await soft(0);
    await newCaller(layer).act('stopApplicationInstance', { instance: app('endless') });
    await caller.act('stopApplicationInstance', { instance: app('quick') });
    await caller.act('stopApplicationInstance', { instance: app('quick') });

    expect(await posts(sandbox)).toHaveLength(7);
  });
});

describe('an operation is listed', () => {
  const list = (caller: ReturnType<typeof newCaller>) =>
    caller.query('{ operations { id state applicationInstanceName } }').then(({ operations }) => operations);

  test('as UNKNOWN where its response was lost, without a call', async ({ layer, sandbox }) => {
    const caller = newCaller(layer);
    await sandbox.fault({ method: 'POST', reset: 'after' });

    const { userErrors } = await caller.act('stopApplicationInstance', { instance: app('app01') });

    expect(userErrors).toMatchObject([{ code: 'OUTCOME_UNKNOWN' }]);
    await sandbox.forgetCalls();
    const [one, ...others] = await list(caller);
    expect(one).toMatchObject({ state: 'UNKNOWN', applicationInstanceName: 'app01' });
    expect(others).toEqual([]);
    const { instanceOperation } = await caller.query(
      'query ($id: ID!) { instanceOperation(id: $id) { state } }',
      {
        id: one.id,
      },
    );
    expect(instanceOperation).toEqual({ state: 'UNKNOWN' });
    expect(await sandbox.calls()).toEqual([]);
  });

  test('once where it was accepted, and not at all where it was refused', async ({ layer }) => {
    const caller = newCaller(layer);

    const { operation } = await caller.act('stopApplicationInstance', { instance: app('quick') });
    await caller.act('stopApplicationInstance', { instance: app('busy') });
    await caller.act('stopApplicationInstance', { instance: app('nobody') });

    expect(await list(caller)).toEqual([
      { id: operation.id, state: 'SUCCEEDED', applicationInstanceName: 'quick' },
    ]);
  });
});

describe('several instances', () => {
  test('are refused one by one, with the place of each', async ({ layer, sandbox }) => {
    const results = await newCaller(layer).many({
      instances: [
        app('app01'),
        app('busy'),
        { nodeId: 'nothing' },
        app('..'),
        app('throttled'),
        app('app02'),
      ],
    });

    expect(results.map(({ operation }) => operation?.applicationInstanceName ?? null)).toEqual([
      'app01',
      null,
      null,
      null,
      null,
      'app02',
    ]);
    expect(results.flatMap(({ userErrors }) => userErrors)).toMatchObject([
      { code: 'CONFLICT', path: ['input', 'instances', '1'] },
      { code: 'INVALID_INPUT', path: ['input', 'instances', '2', 'nodeId'] },
      { code: 'INVALID_INPUT', path: ['input', 'instances', '3', 'names', 'applicationInstanceName'] },
      { code: 'NOT_STARTED', path: ['input', 'instances', '4'] },
    ]);
    expect(await posts(sandbox)).toHaveLength(4);
  });

  test.for([0, 101])(
    '%s of them are BAD_USER_INPUT, and nothing is sent',
    async (count, { layer, sandbox }) => {
      const instances = Array.from({ length: count }, () => app('app01'));

      const { errors } = await layer.query(
        'mutation ($input: StopApplicationInstancesInput!) { stopApplicationInstances(input: $input) { results { userErrors { code } } } }',
        { input: { instances } },
      );

      expect(errors).toMatchObject([{ extensions: { code: 'BAD_USER_INPUT' } }]);
      expect(await sandbox.calls()).toEqual([]);
    },
  );

  test('are sent five at a time, and those that the deadline kept back are told as not sent', async () => {
    const names: string[] = [];
    let [open, most] = [0, 0];
    const answer = async ({ target }: StubRequest) => {
      names.push(/applicationInstances\/([^/]+)\/stop/.exec(target)?.[1] ?? '');
      open += 1;
      most = Math.max(most, open);
      await sleep(200);
      open -= 1;
      return { status: 202, headers: { 'azure-asyncoperation': '/status' } };
    };
    const settings = { UPSTREAM_CALLS_PER_CALLER: '50', WRITE_TIMEOUT_MS: '900' };
    const { layer } = await startBeforeStub(answer, settings);
    const caller = newCaller(layer);
    const instances = Array.from({ length: 50 }, (_one, index) => app(`app${index}`));

    const results = await caller.many({ instances });

    const sent = results.filter(({ operation }) => operation !== null);
    const kept = results.filter(({ userErrors }) => userErrors[0]?.code === 'NOT_STARTED');
    expect(most).toBe(5);
    expect(sent.length).toBeGreaterThanOrEqual(5);
    expect(kept.length).toBeGreaterThanOrEqual(20);
    const { operations } = await caller.query('{ operations { applicationInstanceName } }');
    const listed = new Set(operations.map(({ applicationInstanceName }: Json) => applicationInstanceName));
    expect(new Set(names)).toEqual(listed);
    for (const [index, { userErrors }] of results.entries())
      if (userErrors[0]?.code === 'NOT_STARTED') expect(names).not.toContain(`app${index}`);
  });
});
