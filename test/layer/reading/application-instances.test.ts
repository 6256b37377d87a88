import { expect } from 'vitest';
import { type TestLayer, test } from '../../support/layer.ts';
import { place } from '../../support/operations.ts';

const fields = 'name status health resourceId loadBalancerId tags virtualMachines { storageIds }';

const query = `query ($s: String!, $g: String!, $v: String!, $name: String!) {
  applicationInstance(
    subscriptionId: $s, resourceGroupName: $g, virtualInstanceName: $v, applicationInstanceName: $name
  ) { ${fields} }
}`;

const at = { s: place.subscriptionId, g: place.resourceGroupName, v: place.virtualInstanceName };
const pathOf = (name: string) =>
  `/subscriptions/${at.s}/resourceGroups/rg-north/providers/Vendor.Workloads/virtualInstances/N01/applicationInstances/${name}`;

async function read(layer: TestLayer, name: string) {
  const { data, errors } = await layer.query(query, { ...at, name });
  expect(errors).toBeUndefined();
  return data.applicationInstance;
}

test('an instance is read with one call, whatever its name', async ({ layer, sandbox }) => {
  expect((await read(layer, 'app 03+ö%')).name).toBe('app 03+ö%');
  await sandbox.forgetCalls();
  const instance = await read(layer, 'app01');

  const provided = `/subscriptions/${at.s}/resourceGroups/rg-north/providers/Vendor.Compute`;
  expect(instance).toEqual({
    name: 'app01',
    status: 'Running',
    health: 'Healthy',
    resourceId: pathOf('app01'),
    loadBalancerId: `${provided}/loadBalancers/n01-lb`,
    tags: { stage: 'test', owner: 'platform' },
    virtualMachines: [{ storageIds: [`${provided}/disks/vm-app01-0`] }],
  });
  const calls = await sandbox.calls();
  expect(calls.map(({ method, path, body }) => [method, path, body])).toEqual([
    ['GET', `${pathOf('app01')}?api-version=2023-04-01`, ''],
  ]);
});

test.for([
  ['instance', { name: 'nobody' }],
  ['resource group', { g: 'rg-south' }],
] as const)('where there is no such %s the result is null', async ([_what, wrong], { layer }) => {
  const { data, errors } = await layer.query(query, { ...at, name: 'app01', ...wrong });

  expect(errors).toBeUndefined();
  expect(data.applicationInstance).toBeNull();
});

test('of a subscription that is not there, or is hidden, it is an error', async ({ layer }) => {
  const s = '00000000-0000-4000-8000-000000000000';
  const { errors } = await layer.query(query, { ...at, name: 'app01', s });

  expect(errors).toMatchObject([{ extensions: { code: 'UPSTREAM_NOT_FOUND' } }]);
});

test.for([
  ['a resource group of 91 characters', { g: 'g'.repeat(91) }, 'resourceGroupName'],
  ['an instance with a slash', { name: 'app01/stop' }, 'applicationInstanceName'],
] as const)('%s is BAD_USER_INPUT and nothing is sent', async ([_what, wrong, name], { layer, sandbox }) => {
  const { data, errors } = await layer.query(query, { ...at, name: 'app01', ...wrong });

  expect(data.applicationInstance).toBeNull();
  expect(errors).toMatchObject([
    { message: expect.stringContaining(`\`${name}\``), extensions: { code: 'BAD_USER_INPUT' } },
  ]);
  expect(await sandbox.calls()).toEqual([]);
});
