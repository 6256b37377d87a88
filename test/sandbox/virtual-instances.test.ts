import { describe, expect, test } from 'vitest';
import type { Json } from '../support/json.ts';
import { useSandbox } from './caller.ts';
import { subscription, version } from './operations-caller.ts';

const sandbox = useSandbox({ stepMs: 40 });
const inSubscription = `/subscriptions/${subscription}/providers/Vendor.Workloads/virtualInstances`;
const inGroup = (group: string) =>
  `/subscriptions/${subscription}/resourceGroups/${group}/providers/Vendor.Workloads/virtualInstances`;
const east = `${inGroup('rg-east')}/E01`;

const get = async (path: string): Promise<Json> => (await sandbox.get(`${path}?${version}`)).body;
const namesIn = async (path: string) => (await get(path)).value.map(({ name }: Json) => name);

async function allPages(path: string): Promise<Json[][]> {
  const pages: Json[][] = [];
  for (let link = `${path}?${version}`; link; ) {
    const { body } = await sandbox.get(link);
    pages.push(body.value);
    link = body.nextLink;
  }
  return pages;
}

describe('virtual instances', () => {
  test('B.vis.1 Those of a subscription are listed, and those of a resource group alone, in any case', async () => {
    expect(await namesIn(inSubscription)).toEqual(['N01', 'E01']);
    expect(await namesIn(inGroup('RG-East'))).toEqual(['E01']);
  });

  test('B.vis.2 A row is the resource, as on the real service', async () => {
    const { value } = await get(inGroup('rg-east'));

    expect(value).toEqual([await get(east)]);
    expect(value[0]).toMatchObject({
      id: east,
      name: 'E01',
      type: 'Vendor.Workloads/virtualInstances',
      properties: {
        environment: 'Prod',
        sapProduct: 'S4HANA',
        state: 'RegistrationComplete',
        status: 'Running',
        health: 'Healthy',
        provisioningState: 'Succeeded',
      },
    });
  });

  test.each([
    ['B.vis.3', 'subscription', inSubscription.replace(subscription, 'none'), 'SubscriptionNotFound'],
    ['B.vis.4', 'resource group', inGroup('rg-west'), 'ResourceGroupNotFound'],
    ['B.vis.5', 'virtual instance', `${inGroup('rg-east')}/N01`, 'ResourceNotFound'],
    ['B.vis.6', 'owner of a list', `${inGroup('rg-east')}/N01/centralInstances`, 'ParentResourceNotFound'],
    ['B.vis.7', 'kind of instance', `${east}/webInstances`, 'InvalidResourceType'],
  ])('%s An unknown %s is 404', async (_id, _what, path, code) => {
    expect(await sandbox.get(`${path}?${version}`)).toMatchObject({ status: 404, body: { error: { code } } });
  });

  test('B.vis.8 Lists have pages of the size that is set, with absolute links', async () => {
    await sandbox.post('/sandbox/instances', { pageSize: 1 });
    const virtualInstances = await allPages(inSubscription);
    await sandbox.post('/sandbox/instances', { pageSize: 10 });
    const applicationInstances = await allPages(`${east}/applicationInstances`);

    expect(virtualInstances.map((page) => page.length)).toEqual([1, 1]);
    expect(applicationInstances.map((page) => page.length)).toEqual([10, 10, 4]);
    expect((await sandbox.post('/sandbox/instances', { pageSize: 0 })).status).toBe(400);
  });

  test('B.vis.9 Central and database instances have the properties of the real service', async () => {
    expect(await namesIn(`${east}/centralInstances`)).toEqual(['cs0', 'cs1']);
    expect(await namesIn(`${east}/databaseInstances`)).toEqual(['db0', 'db1']);
    expect(await get(`${east}/centralInstances/cs0`)).toMatchObject({
      id: `${east}/centralInstances/cs0`,
      type: 'Vendor.Workloads/virtualInstances/centralInstances',
      properties: {
        messageServerProperties: { msPort: 3601, health: 'Healthy' },
        enqueueServerProperties: { port: 3201 },
        gatewayServerProperties: { port: 3301 },
        enqueueReplicationServerProperties: { ersVersion: 'EnqueueReplicator2' },
        vmDetails: [{ type: 'ASCS' }],
      },
    });
    expect(await get(`${east}/databaseInstances/db0`)).toMatchObject({
      id: `${east}/databaseInstances/db0`,
      properties: { databaseSid: 'HDB', databaseType: 'hdb', vmDetails: [{ status: 'Running' }] },
    });
  });

  test('B.vis.10 A stop of a component changes its status, and that of its virtual instance', async () => {
    const stop = await sandbox.post(`${east}/centralInstances/cs0/stop?${version}`);
    expect(stop.status).toBe(202);

    const statusOf = async (path: string) => (await get(path)).properties.status;
    await expect.poll(() => statusOf(`${east}/centralInstances/cs0`)).toBe('Offline');
    expect(await statusOf(`${east}/centralInstances/cs1`)).toBe('Running');
    expect(await statusOf(east)).toBe('PartiallyRunning');
    expect(await statusOf(`${east}/applicationInstances/app01`)).toBe('Running');
  });
});
