import { expect, test } from 'vitest';
import { planAction } from '../../../browser/console/fleet/action-plan.js';
import { readSystem } from '../../../browser/console/fleet/fleet-rows.js';
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
