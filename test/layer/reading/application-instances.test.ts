import { expect } from 'vitest';
import { test } from '../../support/layer.ts';
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

test('an instance is read with one call, whatever its name', async ({ layer, sandbox }) => {
  const other = await layer.read(query, { ...at, name: 'app 03+ö%' });
  expect(other.applicationInstance.name).toBe('app 03+ö%');
  await sandbox.forgetCalls();
  const { applicationInstance } = await layer.read(query, { ...at, name: 'app01' });

  const provided = `/subscriptions/${at.s}/resourceGroups/rg-north/providers/Vendor.Compute`;
  expect(applicationInstance).toEqual({
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
  ['instance', { name: 'nobody' }, []],
  ['resource group', { g: 'rg-south' }, []],
  [
    'subscription, or where it is hidden,',
    { s: '00000000-0000-4000-8000-000000000000' },
    ['UPSTREAM_NOT_FOUND'],
  ],
] as const)(
  'where there is no such %s the result is null with the errors %j',
  async ([, wrong, codes], { layer }) => {
    const { data, errors = [] } = await layer.query(query, { ...at, name: 'app01', ...wrong });

    expect(data.applicationInstance).toBeNull();
    expect(errors.map(({ extensions }) => extensions.code)).toEqual(codes);
  },
);
