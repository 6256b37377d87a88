import { describe, expect } from 'vitest';
import type { Json } from '../../support/json.ts';
import { type TestLayer, test } from '../../support/layer.ts';
import { place } from '../../support/operations.ts';
import type { TestSandbox } from '../../support/sandbox.ts';

const { subscriptionId } = place;
const east = `subscriptionId: "${subscriptionId}", resourceGroupName: "rg-east", virtualInstanceName: "E01"`;
const inSubscription = `subscriptionId: "${subscriptionId}"`;

const read = async (layer: TestLayer, query: string, variables = {}): Promise<Json> => {
  const { data, errors } = await layer.query(query, variables);
  expect(errors, query).toBeUndefined();
  return data;
};
const pathsOf = async (sandbox: TestSandbox) =>
  (await sandbox.calls()).map(({ path }) => path.replace(/^.*Vendor\.Workloads\//, ''));
const setPageSize = (sandbox: TestSandbox, pageSize: number) =>
  sandbox.send('POST', '/sandbox/instances', { pageSize });

describe('the virtual instances', () => {
  test('of a subscription are listed with one call, those of a resource group alone with another', async ({
    layer,
    sandbox,
  }) => {
    const fields =
      'nodes { subscriptionId resourceGroupName virtualInstanceName environment product state status health }';
    const data = await read(
      layer,
      `{ all: virtualInstances(${inSubscription}) { totalCount ${fields} }
         some: virtualInstances(${inSubscription}, resourceGroupName: "rg-east") { ${fields} } }`,
    );

    const e01 = {
      subscriptionId,
      resourceGroupName: 'rg-east',
      virtualInstanceName: 'E01',
      environment: 'Prod',
      product: 'S4HANA',
      state: 'RegistrationComplete',
      status: 'Running',
      health: 'Healthy',
    };
    expect(data.all).toMatchObject({ totalCount: 2, nodes: [{ virtualInstanceName: 'N01' }, e01] });
    expect(data.some.nodes).toEqual([e01]);
    expect((await sandbox.calls()).map(({ path }) => path)).toEqual([
      `/subscriptions/${subscriptionId}/providers/Vendor.Workloads/virtualInstances?api-version=2023-04-01`,
      `/subscriptions/${subscriptionId}/resourceGroups/rg-east/providers/Vendor.Workloads/virtualInstances?api-version=2023-04-01`,
    ]);
  });

  test('are read with their instances: one call for each kind of each, however often it is selected', async ({
    layer,
    sandbox,
  }) => {
    await setPageSize(sandbox, 100);
    const data = await read(
      layer,
      `{ virtualInstances(${inSubscription}) { nodes {
        virtualInstanceName
        applicationInstances(first: 2) { totalCount nodes { applicationInstanceName } }
        running: applicationInstances(first: 1, filter: { status: { ne: "Running" } }) { totalCount }
        centralInstances { nodes { centralInstanceName messageServer { port health } } }
        databaseInstances { nodes { databaseInstanceName databaseType virtualMachines { status } } }
      } } }`,
    );

    const [, e01] = data.virtualInstances.nodes;
    expect(e01).toEqual({
      virtualInstanceName: 'E01',
      applicationInstances: {
        totalCount: 24,
        nodes: [{ applicationInstanceName: 'app01' }, { applicationInstanceName: 'app02' }],
      },
      running: { totalCount: 0 },
      centralInstances: {
        nodes: ['cs0', 'cs1'].map((centralInstanceName) => ({
          centralInstanceName,
          messageServer: { port: 3601, health: 'Healthy' },
        })),
      },
      databaseInstances: {
        nodes: ['db0', 'db1'].map((databaseInstanceName) => ({
          databaseInstanceName,
          databaseType: 'hdb',
          virtualMachines: [{ status: 'Running' }],
        })),
      },
    });
    const query = '?api-version=2023-04-01';
    const kinds = ['applicationInstances', 'centralInstances', 'databaseInstances'];
    expect((await pathsOf(sandbox)).sort()).toEqual(
      [
        `virtualInstances${query}`,
        ...['E01', 'N01'].flatMap((name) => kinds.map((kind) => `virtualInstances/${name}/${kind}${query}`)),
      ].sort(),
    );
  });

  test.for([
    [
      'a name with a slash',
      `virtualInstance(${east.replace('E01', 'E01/stop')}) { name }`,
      'virtualInstanceName',
    ],
  ] as const)(
    'with %s are BAD_USER_INPUT, and nothing is sent',
    async ([, field, name], { layer, sandbox }) => {
      const { errors } = await layer.query(`{ ${field} }`);

      expect(errors).toMatchObject([
        { message: expect.stringContaining(`\`${name}\``), extensions: { code: 'BAD_USER_INPUT' } },
      ]);
      expect(await sandbox.calls()).toEqual([]);
    },
  );
});

describe('each kind of instance', () => {
  test.for([
    [
      '404 because its owner is gone',
      { status: 404, body: { error: { code: 'ParentResourceNotFound', message: 'no' } } },
      'UPSTREAM_REJECTED',
    ],
    ['404 of a proxy', { status: 404, body: '<html>' }, 'UPSTREAM_NOT_FOUND'],
  ] as const)('whose list is answered with %s fails alone', async ([, answer, code], { layer, sandbox }) => {
    await sandbox.fault({ path: '/centralInstances', times: 3, ...answer });

    const { data, errors } = await layer.query(
      `{ virtualInstance(${east}) { name centralInstances { totalCount } databaseInstances { totalCount } } }`,
    );

    expect(data.virtualInstance).toEqual({
      name: 'E01',
      centralInstances: null,
      databaseInstances: { totalCount: 2 },
    });
    expect(errors).toMatchObject([
      { path: ['virtualInstance', 'centralInstances'], extensions: { code, upstream: 'instances' } },
    ]);
  });

  test.for([
    ['no node', 'anything'],
    ['a name that climbs', ['ApplicationInstance', subscriptionId, 'rg-east', '..', 'app01']],
  ] as const)(
    'is not stopped by the nodeId of %s, and nothing is sent',
    async ([, key], { layer, sandbox }) => {
      const nodeId = typeof key === 'string' ? key : Buffer.from(JSON.stringify(key)).toString('base64url');

      const data = await read(
        layer,
        'mutation ($id: ID!) { stopApplicationInstance(input: { instance: { nodeId: $id } }) { operation { id } userErrors { code path } } }',
        { id: nodeId },
      );

      expect(data.stopApplicationInstance).toEqual({
        operation: null,
        userErrors: [{ code: 'INVALID_INPUT', path: ['input', 'instance', 'nodeId'] }],
      });
      expect(await sandbox.calls()).toEqual([]);
    },
  );
});

describe('500 application server instances', () => {
  test('are listed, filtered and sorted with five calls each, and paged with none more', async ({
    layer,
    sandbox,
  }) => {
    await setPageSize(sandbox, 100);
    const index: Json = await (await sandbox.send('GET', '/sandbox')).json();
    const { names } = index.instances;
    const added = Array.from({ length: 500 - names.length }, (_one, index) => `more${1_000 + index}`);
    for (const name of added) await sandbox.send('POST', '/sandbox/instances', { name });
    await sandbox.forgetCalls();

    const north = east.replace('rg-east', 'rg-north').replace('E01', 'N01');
    const page = (args: string) =>
      `{ virtualInstance(${north}) { applicationInstances(${args}) {
        totalCount nodes { applicationInstanceName } pageInfo { hasNextPage endCursor }
      } } }`;
    const order = 'orderBy: [NAME_DESC]';
    const filter = 'filter: { name: { startsWith: "MORE" }, status: { eq: "Running" } }';
    const all = await read(layer, page('first: 1000'));
    const calls = await pathsOf(sandbox);
    const first = await read(layer, page(`first: 40, ${filter}, ${order}`));
    const { endCursor } = first.virtualInstance.applicationInstances.pageInfo;
    const second = await read(layer, page(`first: 40, ${filter}, ${order}, after: "${endCursor}"`));

    expect(calls).toHaveLength(5);
    expect(await sandbox.calls()).toHaveLength(10);
    expect(all.virtualInstance.applicationInstances).toMatchObject({
      totalCount: 500,
      nodes: { length: 500 },
      pageInfo: { hasNextPage: false },
    });
    const shown = [first, second].flatMap(
      ({ virtualInstance }) => virtualInstance.applicationInstances.nodes,
    );
    expect(first.virtualInstance.applicationInstances.totalCount).toBe(added.length);
    expect(shown.map(({ applicationInstanceName }) => applicationInstanceName)).toEqual(
      added.reverse().slice(0, 80),
    );
  });
});
