import { describe, expect, test } from 'vitest';
import type { Json } from '../support/json.ts';
import { useSandbox } from './caller.ts';
import { addressOf, instanceCalls, instances, subscription, version } from './operations-caller.ts';

const sandbox = useSandbox({ stepMs: 150 });
const { follow } = instanceCalls(sandbox);
const group = (name: string) =>
  `/subscriptions/${subscription}/resourceGroups/${name}/providers/Vendor.Workloads/virtualInstances`;
const east = `${group('rg-east')}/E01`;
const set = (body: unknown) => sandbox.post('/sandbox/virtual-instances', body);

const act = async (action: 'stop' | 'start', path = east) =>
  follow(addressOf(await sandbox.post(`${path}/${action}?${version}`)));

/** The names of the nested operations with a status, without their digits, each once. */
const namesWith = ({ operations }: Json, status: string): string[] => [
  ...new Set<string>(
    operations.filter((one: Json) => one.status === status).map(({ name }: Json) => name.replace(/\d+$/, '')),
  ),
];
const statusOf = async (path: string) => (await sandbox.get(`${path}?${version}`)).body.properties.status;

describe('a start and a stop of a virtual instance', () => {
  test('B.system.1 A stop ends the application servers before the central instances, each a nested operation', async () => {
    const seen = await act('stop');

    expect(seen[0].operations).toHaveLength(26);
    for (const body of seen)
      if (namesWith(body, 'InProgress').includes('cs')) expect(namesWith(body, 'Succeeded')).toEqual(['app']);
    expect(seen.some((body) => namesWith(body, 'NotStarted').join() === 'cs')).toBe(true);
    expect(seen.at(-1)).toMatchObject({ status: 'Succeeded', percentComplete: 100 });
    expect(namesWith(seen.at(-1), 'Succeeded')).toEqual(['app', 'cs']);
    expect(seen.at(-1).operations[0]).toMatchObject({
      id: `${east}/applicationInstances/app01`,
      startTime: expect.any(String),
      endTime: expect.any(String),
      percentComplete: 100,
    });
  });

  test('B.system.2 A start begins with the central instances', async () => {
    await act('stop');
    const seen = await act('start');

    for (const body of seen)
      if (namesWith(body, 'InProgress').includes('app')) expect(namesWith(body, 'Succeeded')).toEqual(['cs']);
    expect(namesWith(seen.at(-1), 'Succeeded')).toEqual(['cs', 'app']);
    expect(await statusOf(east)).toBe('Running');
  });

  test('B.system.3 A central instance still runs while the application servers stop, and databases always do', async () => {
    await set({ name: 'F01', applicationInstances: 3 });
    await sandbox.post('/sandbox/instances', { stepMs: 60_000 });
    await sandbox.post(`${group('rg-fleet')}/F01/stop?${version}`);

    expect(await statusOf(`${group('rg-fleet')}/F01/applicationInstances/app01`)).toBe('Stopping');
    expect(await statusOf(`${group('rg-fleet')}/F01/centralInstances/cs0`)).toBe('Running');
    expect(await statusOf(`${group('rg-fleet')}/F01/databaseInstances/db0`)).toBe('Running');
  });

  test('B.system.6 While the whole is stopped, one of its components is not: 409', async () => {
    await sandbox.post(`${east}/stop?${version}`);
    const one = await sandbox.post(`${east}/applicationInstances/app01/stop?${version}`);

    expect(one).toMatchObject({ status: 409, body: { error: { code: 'Conflict', target: 'E01' } } });
  });

  test('B.system.5 Names are equal whatever their case, and the resource has its own spelling', async () => {
    const { status, body } = await sandbox.get(
      `${group('RG-EAST')}/e01/applicationInstances/APP01?${version}`,
    );

    expect({ status, name: body.name }).toEqual({ status: 200, name: 'app01' });
    expect((await sandbox.get(`${instances}/FRAGILE?${version}`)).body.name).toBe('fragile');
  });
});

describe('virtual instances at run time', () => {
  test('S.fleet.1 One of any size is created, or replaced, and gone after a reset', async () => {
    await sandbox.post('/sandbox/instances', { pageSize: 1_000 });
    await set({ name: 'F01', applicationInstances: 500, centralInstances: 3 });
    const list = async (kind: string) =>
      (await sandbox.get(`${group('rg-fleet')}/F01/${kind}?${version}`)).body.value?.map(
        ({ name }: Json) => name,
      );

    const names = await list('applicationInstances');
    expect([names.length, names[0], names[499]]).toEqual([500, 'app001', 'app500']);
    expect(await list('centralInstances')).toEqual(['cs0', 'cs1', 'cs2']);
    expect(await list('databaseInstances')).toEqual(['db0']);
    await set({ name: 'f01', applicationInstances: 2 });
    expect(await list('applicationInstances')).toEqual(['app01', 'app02']);
    await sandbox.post('/sandbox/reset');
    expect((await sandbox.get(`${group('rg-fleet')}?${version}`)).status).toBe(404);
  });

  test.each<object>([
    {},
    { name: '' },
    { name: 'F01', applicationInstances: -1 },
    { name: 'F01', applicationInstances: 10_001 },
    { name: 'F01', size: 3 },
    { name: 'E01', failsAt: 'app01' },
  ])('S.fleet.2 %j is 400 and says what is wrong', async (body) => {
    expect(await set(body)).toMatchObject({
      status: 400,
      body: { error: { code: 'BadRequest', message: expect.stringMatching(/\w+ .*\w+/) } },
    });
  });

  test('S.fleet.3 The journal tells how many requests of a method and subscription were under way', async () => {
    await sandbox.post('/sandbox/faults', { method: 'GET', path: '/E01', delayMs: 100, times: 3 });

    await Promise.all(Array.from({ length: 3 }, () => sandbox.get(`${east}?${version}`)));
    await sandbox.get(`${east}?${version}`);

    const { requests } = (await sandbox.get('/sandbox/journal')).body;
    expect(requests.map(({ underWay }: Json) => underWay)).toEqual([1, 2, 3, 1]);
  });
});
