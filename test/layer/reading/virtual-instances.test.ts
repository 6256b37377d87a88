import { describe, expect } from 'vitest';
import { test } from '../../support/layer.ts';
import { place } from '../../support/operations.ts';
import type { TestSandbox } from '../../support/sandbox.ts';

const { subscriptionId } = place;
const east = `subscriptionId: "${subscriptionId}", resourceGroupName: "rg-east", virtualInstanceName: "E01"`;
const inSubscription = `subscriptionId: "${subscriptionId}"`;

const pathsOf = async (sandbox: TestSandbox) =>
  (await sandbox.calls()).map(({ path }) => path.replace(/^.*Vendor\.Workloads\//, ''));
const setPageSize = (sandbox: TestSandbox, pageSize: number) =>
  sandbox.send('POST', '/sandbox/instances', { pageSize });

describe('the virtual instances', () => {
  test('of a subscription are listed with one call, those of a resource group alone with another', async ({
    layer,
    sandbox,
  }) => {
    const fields = 'nodes { resourceGroupName virtualInstanceName status }';
    const data = await layer.read(`{ all: virtualInstances(${inSubscription}) { totalCount ${fields} }
         some: virtualInstances(${inSubscription}, resourceGroupName: "rg-east") { ${fields} } }`);

    const e01 = { resourceGroupName: 'rg-east', virtualInstanceName: 'E01', status: 'Running' };
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
    const data = await layer.read(`{ virtualInstances(${inSubscription}) { nodes {
        virtualInstanceName
        applicationInstances(first: 2) { totalCount nodes { applicationInstanceName } }
        running: applicationInstances(first: 1, filter: { status: { ne: "Running" } }) { totalCount }
        centralInstances { nodes { centralInstanceName messageServer { port health } } }
        databaseInstances { nodes { databaseInstanceName databaseType virtualMachines { status } } }
      } } }`);

    const [, e01] = data.virtualInstances.nodes;
    expect(e01).toMatchObject({
      virtualInstanceName: 'E01',
      applicationInstances: { totalCount: 24, nodes: [{ applicationInstanceName: 'app01' }, {}] },
      running: { totalCount: 0 },
      centralInstances: {
        nodes: [
          { centralInstanceName: 'cs0', messageServer: { port: 3601, health: 'Healthy' } },
          { centralInstanceName: 'cs1' },
        ],
      },
      databaseInstances: {
        nodes: [{ databaseType: 'hdb', virtualMachines: [{ status: 'Running' }] }, {}],
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
});
