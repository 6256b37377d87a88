import { describe, expect, test } from 'vitest';
import type { Json } from '../support/json.ts';
import { useSandbox } from './caller.ts';
import { addressOf, instanceCalls, instances, subscription, version } from './operations-caller.ts';

const sandbox = useSandbox({ stepMs: 20 });
const slow = useSandbox({ stepMs: 60_000 });
const calls = instanceCalls(sandbox);
const { stop, follow } = calls;
const { read, stop: stopSlowly, start: startSlowly } = instanceCalls(slow);

const inSubscription = `/subscriptions/${subscription}/providers/Vendor.Workloads/virtualInstances`;
const inGroup = (group: string) =>
  `/subscriptions/${subscription}/resourceGroups/${group}/providers/Vendor.Workloads/virtualInstances`;
const east = `${inGroup('rg-east')}/E01`;
const get = async (path: string): Promise<Json> => (await sandbox.get(`${path}?${version}`)).body;
const namesIn = async (path: string) => (await get(path)).value?.map(({ name }: Json) => name);

describe('an instance', () => {
  test.each<[string, string, Json]>([
    ['B.get.1', 'app01', { status: 'Running', instanceNo: '00', gatewayPort: 3300, errors: null }],
    ['B.get.2', 'unknown', { status: 'Unknown', health: 'Unknown', gatewayPort: null }],
    ['B.get.8', 'app 03+ö%', { status: 'Running' }],
  ])('%s The instance named %s has %j', async (_id, name, properties) => {
    expect(await read(name)).toMatchObject({ id: `${instances}/${name}`, name, properties });
  });

  test.each([
    ['B.get.9', 'GET', `${instances}/app01`, 400, 'MissingApiVersionParameter'],
    ['B.get.10', 'GET', `${instances}/app99?${version}`, 404, 'ResourceNotFound'],
    ['B.get.12', 'DELETE', `${instances}/app01?${version}`, 400, 'BadRequest'],
    ['B.vis.3', 'GET', `${inSubscription.replace('1111', '2222')}?${version}`, 404, 'SubscriptionNotFound'],
    ['B.vis.4', 'GET', `${inGroup('rg-west')}?${version}`, 404, 'ResourceGroupNotFound'],
    [
      'B.param.3',
      'POST',
      `${instances}/quick/stop?api-version=2024-09-01`,
      400,
      'InvalidApiVersionParameter',
    ],
  ])('%s %s %s is refused in the nested form', async (_id, method, path, status, code) => {
    expect(await sandbox.send(method, path)).toMatchObject({ status, body: { error: { code } } });
  });
});

describe('lists', () => {
  test('B.list.1 They have pages of the size that is set, with absolute links, and every instance once', async () => {
    const { body } = await sandbox.get('/sandbox');
    const rows: Json[] = [];
    await sandbox.post('/sandbox/instances', { pageSize: 30 });
    for (let link = `${instances}?${version}`; link; ) {
      const { value, nextLink } = (await sandbox.get(link)).body;
      expect(value.length).toBeLessThanOrEqual(30);
      if (nextLink)
        expect(nextLink.startsWith(`${sandbox.url}${instances}?${version}&$skipToken=`)).toBe(true);
      rows.push(...value);
      link = nextLink;
    }

    expect(rows.map(({ name }) => name)).toEqual(body.instances.names);
    expect(rows[0]).toEqual(await calls.read('app01'));
  });

  test('B.vis.1 Virtual instances are listed for a subscription and a group, with their components', async () => {
    expect(await namesIn(inSubscription)).toEqual(['N01', 'E01']);
    expect((await get(inGroup('RG-East'))).value).toEqual([await get(east)]);
    expect(await get(east)).toMatchObject({
      id: east,
      properties: { sapProduct: 'S4HANA', status: 'Running' },
    });
    expect(await namesIn(`${east}/centralInstances`)).toEqual(['cs0', 'cs1']);
    expect(await namesIn(`${east}/databaseInstances`)).toEqual(['db0', 'db1']);
    expect(await get(`${east}/centralInstances/cs0`)).toMatchObject({
      type: 'Vendor.Workloads/virtualInstances/centralInstances',
      properties: { messageServerProperties: { msPort: 3601 }, vmDetails: [{ type: 'ASCS' }] },
    });
    expect((await get(`${east}/databaseInstances/db0`)).properties.databaseSid).toBe('HDB');
  });
});

describe('the status of an instance', () => {
  test.each([
    ['B.state.1', () => stopSlowly('app01'), 'app01', 'Stopping'],
    ['B.state.3', () => startSlowly('offline'), 'offline', 'Starting'],
    ['B.state.4', () => stopSlowly('quick-failed'), 'quick-failed', 'Running'],
    ['B.state.7', () => stopSlowly('quick'), 'quick', 'Offline'],
  ])('%s It follows what was asked of it', async (_id, act, name, status) => {
    await act();

    expect((await read(name)).properties.status).toBe(status);
  });

  test.each([
    ['B.state.1', 'app01', 'Offline'],
    ['B.state.4', 'fragile', 'Running'],
    ['B.state.7', 'silent', 'Offline'],
  ])('%s Some time after a stop of %s it is %s', async (_id, name, status) => {
    const address = addressOf(await stop(name));
    if (address) await follow(address);

    await expect.poll(async () => (await calls.read(name)).properties.status).toBe(status);
  });

  test('B.machine.1 One machine runs one stop at a time; other machines stop concurrently', async () => {
    await stopSlowly('shared-1');
    const second = await stopSlowly('shared-2');
    const elsewhere = await stopSlowly('app01');

    expect(second).toMatchObject({ status: 409, body: { error: { code: 'Conflict', target: 'shared-1' } } });
    expect([addressOf(second), elsewhere.status]).toEqual(['', 202]);
    await follow(addressOf(await stop('shared-1')));
    expect((await stop('shared-2')).status).toBe(202);
  });
});

describe('a start and a stop of a virtual instance', () => {
  const act = async (action: 'stop' | 'start') =>
    follow(addressOf(await sandbox.post(`${east}/${action}?${version}`)));
  /** The kinds of the nested operations with a status. */
  const kindsWith = ({ operations }: Json, status: string) => [
    ...new Set(
      operations
        .filter((one: Json) => one.status === status)
        .map(({ name }: Json) => name.replace(/\d+$/, '')),
    ),
  ];

  test('B.system.1 A stop ends the application servers before the central instances, a start begins with these', async () => {
    const [stopping, starting] = [await act('stop'), await act('start')];

    expect(stopping[0].operations).toHaveLength(26);
    expect(stopping.at(-1).operations[0]).toMatchObject({
      id: `${east}/applicationInstances/app01`,
      percentComplete: 100,
    });
    for (const body of stopping)
      if (kindsWith(body, 'InProgress').includes('cs')) expect(kindsWith(body, 'Succeeded')).toEqual(['app']);
    for (const body of starting)
      if (kindsWith(body, 'InProgress').includes('app')) expect(kindsWith(body, 'Succeeded')).toEqual(['cs']);
    expect(kindsWith(starting.at(-1), 'Succeeded')).toEqual(['cs', 'app']);
    expect((await get(east)).properties.status).toBe('Running');
  });
});

describe('instances at run time', () => {
  const set = (body: unknown) => slow.post('/sandbox/instances', body);

  test('S.instance.2 An instance is created or recreated, with properties, until a reset', async () => {
    await stopSlowly('app01');
    await set({ name: 'app01' });
    await set({ name: 'own', properties: { health: 'Degraded' } });

    expect((await read('app01')).properties.status).toBe('Running');
    expect((await stopSlowly('own')).status).toBe(202);
    expect((await read('own')).properties).toMatchObject({ status: 'Stopping', health: 'Degraded' });
    await slow.post('/sandbox/reset');
    expect((await stopSlowly('own')).status).toBe(404);
  });
});
