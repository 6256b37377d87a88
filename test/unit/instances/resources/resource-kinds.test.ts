import { isEnumType, isInputObjectType } from 'graphql';
import { describe, expect, test } from 'vitest';
import { createSchema } from '../../../../src/app/schema/schema.ts';
import {
  applicationInstances,
  centralInstances,
  databaseInstances,
  findNamedResource,
  virtualInstances,
} from '../../../../src/instances/resources/resource-kinds.ts';

const schema = createSchema();
const scope = { subscriptionId: 's', resourceGroupName: 'g', virtualInstanceName: 'v' };
const kinds = [
  ['VirtualInstance', virtualInstances],
  ['ApplicationInstance', applicationInstances],
  ['CentralInstance', centralInstances],
  ['DatabaseInstance', databaseInstances],
] as const;

describe.each(kinds)('a list of %s', (type, kind) => {
  test('filters by every field of its filter', () => {
    const filter = schema.getType(`${type}Filter`);
    const inputs = isInputObjectType(filter) ? Object.values(filter.getFields()) : [];
    const names = inputs.map(({ name }) => name).filter((name) => !['and', 'or', 'not'].includes(name));

    expect(Object.keys(kind.filterFields).sort()).toEqual(names.sort());
  });

  test('sorts by every member of its order', () => {
    const order = schema.getType(`${type}Order`);

    expect(Object.keys(kind.sortKeys).flatMap((key) => [`${key}_ASC`, `${key}_DESC`])).toEqual(
      isEnumType(order) ? order.getValues().map(({ name }) => name) : [],
    );
  });

  test('leaves out a row without a name, and names one by its id', () => {
    expect(kind.findAddress(scope, {})).toBeNull();
    expect(kind.findAddress(scope, { id: '/subscriptions/s/resourceGroups/g/x/' })).toBeNull();
    expect(kind.findAddress(scope, { id: '/subscriptions/s/resourceGroups/g/x/one' })).toMatchObject({
      [`${type[0]?.toLowerCase()}${type.slice(1)}Name`]: 'one',
      resourceGroupName: 'g',
    });
  });
});

test('a virtual instance of a subscription has the resource group of its id, or is left out', () => {
  const inSubscription = { subscriptionId: 's', resourceGroupName: null };
  const id = '/subscriptions/s/RESOURCEGROUPS/Rg-1/providers/p/v/one';

  expect(virtualInstances.findAddress(inSubscription, { id, name: 'one' })).toEqual({
    subscriptionId: 's',
    resourceGroupName: 'Rg-1',
    virtualInstanceName: 'one',
  });
  expect(virtualInstances.findAddress(inSubscription, { name: 'one' })).toBeNull();
});

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
  `https://upstream.example${at}`,
  at.replace('virtualInstances', 'others'),
  at.replace('N01', '..'),
  at.replace('/s/', '//'),
  `${at}/`,
  `${at}/applicationInstances/a/disks/b`,
  `${at}/machines/a`,
])('%j names none', (id) => {
  expect(findNamedResource(settings, id)).toBeNull();
});
