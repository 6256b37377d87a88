import { expect, test } from 'vitest';
import { planAction } from '../../../browser/console/fleet/action-plan.js';
import {
  addressOf,
  filterFleet,
  readSystem,
  type SortKey,
  sortFleet,
} from '../../../browser/console/fleet/fleet-rows.js';
import type { VirtualInstanceNode } from '../../../browser/console/types.js';

const names = { subscriptionId: 's', resourceGroupName: 'rg-north', virtualInstanceName: 'N01' };
const component = (__typename: string, field: string, name: string, status: string, more = {}) => ({
  __typename,
  ...names,
  nodeId: name,
  [field]: name,
  status,
  ...more,
});
const page = <Row>(nodes: Row[], totalCount = nodes.length) => ({
  nodes,
  totalCount,
  pageInfo: { hasNextPage: false, endCursor: null },
});
const node: VirtualInstanceNode = {
  __typename: 'VirtualInstance',
  ...names,
  nodeId: 'N01',
  status: 'Running',
  environment: 'Prod',
  product: 'Other',
  location: 'north',
  applicationInstances: page([
    component('ApplicationInstance', 'applicationInstanceName', 'app01', 'Offline', { hostname: 'n01-vm-7' }),
    component('ApplicationInstance', 'applicationInstanceName', 'app02', 'Running'),
  ]),
  centralInstances: page([component('CentralInstance', 'centralInstanceName', 'cs0', 'Running')]),
  databaseInstances: page([component('DatabaseInstance', 'databaseInstanceName', 'db0', 'Running')], 3),
};
const system = readSystem(node);
const found = (text: string, kind = '', status = '') =>
  filterFleet([system], { text, kind, status }).flatMap(({ isMatch, components }) => [
    ...(isMatch ? ['N01'] : []),
    ...components.map(({ name }) => name),
  ]);

test('readSystem knows how many components were not listed', () => {
  expect(system).toMatchObject({ missing: 2, row: { isProduction: true } });
  const { applicationInstances, centralInstances, databaseInstances, ...alone } = node;
  expect(readSystem(alone)).toMatchObject({ missing: 0, components: [] });
});

test.for([
  ['', '', '', ['N01', 'cs0', 'app01', 'app02', 'db0']],
  ['n01 APP', '', '', ['app01', 'app02']],
  ['vm-7', '', '', ['app01']],
  ['production database', '', '', ['db0']],
  ['offline', '', '', ['app01']],
  ['', 'VIRTUAL_INSTANCE', '', ['N01']],
  ['', 'APPLICATION_INSTANCE', 'Running', ['app02']],
  ['nowhere', '', '', []],
] as const)('filterFleet: "%s" of kind "%s" and status "%s"', ([text, kind, status, expected]) => {
  expect(found(text, kind, status)).toEqual(expected);
});

test('sortFleet sorts components, and virtual instances by the most urgent of their rows', () => {
  const nodes = ['A2', 'A10'].map(
    (name, at): VirtualInstanceNode => ({
      ...node,
      nodeId: name,
      virtualInstanceName: name,
      applicationInstances: page(
        (at === 0 ? ['Running', 'Running'] : ['Running', 'Unavailable']).map((status, number) =>
          component('ApplicationInstance', 'applicationInstanceName', `app${number}`, status),
        ),
      ),
      centralInstances: page([]),
      databaseInstances: page([]),
    }),
  );
  const matches = filterFleet(nodes.map(readSystem), { text: '', kind: '', status: '' });
  const sorted = (key: SortKey, isDescending: boolean) =>
    sortFleet(matches, { key, isDescending }, ({ name }) => (name === 'app1' ? '2026' : '')).map(
      ({ system: { row }, components }) => [row.name, ...components.map(({ name }) => name)].join(' '),
    );

  expect(sortFleet(matches, { key: null, isDescending: false }, () => '')).toBe(matches);
  expect(sorted('name', false)).toEqual(['A2 app0 app1', 'A10 app0 app1']);
  expect(sorted('name', true)).toEqual(['A10 app1 app0', 'A2 app1 app0']);
  expect(sorted('status', false)).toEqual(['A10 app1 app0', 'A2 app0 app1']);
  expect(sorted('operation', false)).toEqual(['A2 app1 app0', 'A10 app1 app0']);
});

test('an address is the same in any case, and another one for another kind', () => {
  const address = addressOf({ ...names, kind: 'APPLICATION_INSTANCE', name: 'app01' });

  expect(
    addressOf({ ...names, resourceGroupName: 'RG-North', kind: 'APPLICATION_INSTANCE', name: 'APP01' }),
  ).toBe(address);
  expect(addressOf({ ...names, kind: 'CENTRAL_INSTANCE', name: 'app01' })).not.toBe(address);
});

test('planAction leaves out what a selected virtual instance includes, and keeps its databases', () => {
  const rows = [system.row, ...system.components];
  const of = (list: readonly { name: string }[]) => list.map(({ name }) => name);

  const whole = planAction(rows);
  expect([of(whole.targets), of(whole.covered)]).toEqual([
    ['N01', 'db0'],
    ['cs0', 'app01', 'app02'],
  ]);
  expect(of(planAction(system.components).targets)).toEqual(['cs0', 'app01', 'app02', 'db0']);
});
