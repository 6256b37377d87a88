import { expect } from 'vitest';
import { type TestLayer, test } from '../../support/layer.ts';
import { place } from '../../support/operations.ts';

const fields = `subscriptionId resourceGroupName virtualInstanceName applicationInstanceName
  resourceId name type location tags status health provisioningState instanceNo subnet hostname
  kernelVersion kernelPatch ipAddress gatewayPort icmHttpPort icmHttpsPort loadBalancerId
  virtualMachines { type virtualMachineId storageIds }
  error { code message target details { code message } additionalInfo { type info } }
  createdAt lastModifiedAt`;

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

test('an instance has every field of its resource, with one call', async ({ layer, sandbox }) => {
  const instance = await read(layer, 'app01');

  const provided = `/subscriptions/${at.s}/resourceGroups/rg-north/providers/Vendor.Compute`;
  expect(instance).toEqual({
    subscriptionId: at.s,
    resourceGroupName: 'rg-north',
    virtualInstanceName: 'N01',
    applicationInstanceName: 'app01',
    resourceId: pathOf('app01'),
    name: 'app01',
    type: 'Vendor.Workloads/virtualInstances/applicationInstances',
    location: 'north',
    tags: { stage: 'test', owner: 'platform' },
    status: 'Running',
    health: 'Healthy',
    provisioningState: 'Succeeded',
    instanceNo: '00',
    subnet: null,
    hostname: 'n01-vm-app01',
    kernelVersion: '777',
    kernelPatch: '300',
    ipAddress: '10.0.0.7',
    gatewayPort: 3300,
    icmHttpPort: 8000,
    icmHttpsPort: 44300,
    loadBalancerId: `${provided}/loadBalancers/n01-lb`,
    virtualMachines: [
      {
        type: 'Active',
        virtualMachineId: `${provided}/virtualMachines/vm-app01`,
        storageIds: [`${provided}/disks/vm-app01-0`],
      },
    ],
    error: null,
    createdAt: '2025-02-03T15:10:46Z',
    lastModifiedAt: '2025-10-13T15:43:48.1203530Z',
  });
  const calls = await sandbox.calls();
  expect(calls.map(({ method, path, body }) => [method, path, body])).toEqual([
    ['GET', `${pathOf('app01')}?api-version=2023-04-01`, ''],
  ]);
});

test('an instance with almost no fields has null for the rest, and empty lists', async ({ layer }) => {
  const { resourceId, name, status, virtualMachines, ...rest } = await read(layer, 'sparse');
  expect((await read(layer, 'app 03+ö%')).name).toBe('app 03+ö%');

  expect([resourceId, name, status]).toEqual([pathOf('sparse'), 'sparse', 'Running']);
  expect(virtualMachines).toEqual([]);
  const asked = Object.keys(rest).filter((field) => rest[field] !== null);
  expect(asked).toEqual([
    'subscriptionId',
    'resourceGroupName',
    'virtualInstanceName',
    'applicationInstanceName',
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

test.for([
  [403, 'FORBIDDEN'],
  [500, 'UPSTREAM_UNAVAILABLE'],
] as const)(
  'an instance whose read is answered %i is null, with %s',
  async ([status, code], { layer, sandbox }) => {
    const body = { error: { code: 'Odd', message: `at ${sandbox.url}` } };
    await sandbox.fault({ path: '/applicationInstances/', status, body });

    const { data, errors } = await layer.query(query, { ...at, name: 'app01' });

    expect(data.applicationInstance).toBeNull();
    expect(errors).toMatchObject([
      { extensions: { code, upstream: 'instances', upstreamError: { code: 'Odd' } } },
    ]);
    expect(JSON.stringify(errors)).not.toContain(sandbox.url);
  },
);

test.for(['', '[]'])(
  'the body %j is not an instance: UPSTREAM_BAD_RESPONSE',
  async (body, { layer, sandbox }) => {
    await sandbox.fault({ path: '/applicationInstances/', status: 200, body });

    const { errors } = await layer.query(query, { ...at, name: 'app01' });

    expect(errors).toMatchObject([{ extensions: { code: 'UPSTREAM_BAD_RESPONSE' } }]);
  },
);
