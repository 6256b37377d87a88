import { expect, test } from 'vitest';
import { findNamedResource } from '../../../../src/instances/resources/resource-kinds.ts';

const settings = { namespace: 'Vendor.Workloads', segment: 'virtualInstances' };
const owner = { subscriptionId: 's', resourceGroupName: 'g', virtualInstanceName: 'N01' };
const at = '/subscriptions/s/resourceGroups/g/providers/Vendor.Workloads/virtualInstances/N01';

test.for([
  [at, 'VirtualInstance', owner],
  [at.replace('resourceGroups', 'RESOURCEGROUPS').replace('Vendor', 'vendor'), 'VirtualInstance', owner],
  [`${at}/applicationInstances/a`, 'ApplicationInstance', { ...owner, applicationInstanceName: 'a' }],
  [`${at}/CENTRALINSTANCES/c`, 'CentralInstance', { ...owner, centralInstanceName: 'c' }],
  [`${at}/databaseInstances/d`, 'DatabaseInstance', { ...owner, databaseInstanceName: 'd' }],
] as const)('%s names one', ([id, type, address]) => {
  const found = findNamedResource(settings, id);

  expect(found?.kind.type).toBe(type);
  expect(found?.address).toEqual(address);
});

test.for([
  '',
  '/subscriptions/s',
  at.slice(1),
  `https://upstream.example${at}`,
  at.replace('virtualInstances', 'others'),
  at.replace('Vendor.Workloads', 'Vendor.Compute'),
  at.replace('N01', '..'),
  at.replace('/s/', '//'),
  `${at}/`,
  `${at}/applicationInstances`,
  `${at}/applicationInstances/`,
  `${at}/applicationInstances/a/disks`,
  `${at}/applicationInstances/a/disks/b`,
  `${at}/machines/a`,
])('%j names none', (id) => {
  expect(findNamedResource(settings, id)).toBeNull();
});
