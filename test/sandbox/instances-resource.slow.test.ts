import { describe, expect, test } from 'vitest';
import type { Json } from '../support/json.ts';
import { useSandbox } from './caller.ts';
import { addressOf, instanceCalls, instances, subscription, version } from './operations-caller.ts';

const sandbox = useSandbox({ stepMs: 60 });
const slow = useSandbox({ stepMs: 60_000 });
const resting = useSandbox({ stepMs: 250 });
const { stop, start, read, follow, statusesUntil } = instanceCalls(sandbox);

async function allInstances(): Promise<Json[]> {
  const rows: Json[] = [];
  for (let link = `${instances}?${version}`; link; ) {
    const { body } = await sandbox.get(link);
    rows.push(...body.value);
    link = body.nextLink;
  }
  return rows;
}

describe('an instance', () => {
  test('B.get.1 It is a resource with names, tags, system data and properties', async () => {
    const body = await read('app01');

    expect(body).toMatchObject({
      id: `${instances}/app01`,
      name: 'app01',
      type: 'Vendor.Workloads/virtualInstances/applicationInstances',
      location: 'north',
      tags: { stage: 'test' },
      systemData: { createdByType: 'User', lastModifiedAt: expect.stringMatching(/\.\d{7}Z$/) },
      properties: {
        instanceNo: '00',
        status: 'Running',
        health: 'Healthy',
        provisioningState: 'Succeeded',
        subnet: null,
        gatewayPort: 3300,
        vmDetails: [{ type: 'Active', storageDetails: [{ id: expect.any(String) }] }],
        errors: null,
      },
    });
    expect(body.properties.loadBalancerDetails.id).toContain(`/subscriptions/${subscription}/`);
  });

  test.each([
    ['B.get.2', 'unknown', { status: 'Unknown', health: 'Unknown', gatewayPort: null, icmHttpPort: null }],
    ['B.get.3', 'partial', { status: 'PartiallyRunning', health: 'Degraded' }],
    ['B.get.4', 'unavailable', { status: 'Unavailable', health: 'Unhealthy' }],
    ['B.get.5', 'offline', { status: 'Offline' }],
    ['B.get.6', 'ailing', { errors: { properties: { code: 'MonitoringFailed', details: [{}] } } }],
  ])('%s The instance named %s has %j', async (_id, name, properties) => {
    expect((await read(name)).properties).toMatchObject(properties);
  });

  test('B.get.7 It can have almost no fields', async () => {
    expect(await read('sparse')).toEqual({
      id: `${instances}/sparse`,
      name: 'sparse',
      properties: { status: 'Running' },
    });
  });

  test('B.get.8 A name can require URL encoding', async () => {
    expect((await read('app 03+ö%')).name).toBe('app 03+ö%');
    expect((await stop('app 03+ö%')).status).toBe(202);
  });

  test.each([
    ['B.get.9', 'without api-version', `${instances}/app01`, 400, 'MissingApiVersionParameter'],
    ['B.get.10', 'that is not there', `${instances}/app99?${version}`, 404, 'ResourceNotFound'],
    [
      'B.get.11',
      'with more after its name',
      `${instances}/app01/list?${version}`,
      404,
      'InvalidResourceType',
    ],
  ])('%s A read of an instance %s is refused', async (_id, _what, path, status, code) => {
    expect(await sandbox.get(path)).toMatchObject({ status, body: { error: { code } } });
  });

  test('B.get.12 It is created and deleted by the service only; a reader may read it', async () => {
    const path = `${instances}/app01?${version}`;

    for (const method of ['PUT', 'DELETE']) {
      expect(await sandbox.send(method, path)).toMatchObject({
        status: 400,
        body: { error: { code: 'BadRequest' } },
      });
    }
    expect((await sandbox.post(path)).status).toBe(405);
    expect((await sandbox.get(path, { token: 'reader' })).status).toBe(200);
  });
});

describe('the list', () => {
  test('B.list.1 It has pages with absolute links, and contains every instance once', async () => {
    const { body } = await sandbox.get(`${instances}?${version}`);
    const { body: index } = await sandbox.get('/sandbox');
    const all = await allInstances();

    expect(body.value).toHaveLength(20);
    expect(body.nextLink.startsWith(`${sandbox.url}${instances}?${version}&$skipToken=`)).toBe(true);
    expect(all.map(({ name }) => name)).toEqual(index.instances.names);
    expect(index.instances.names).toHaveLength(Object.keys(index.instances.notes).length);
  });

  test('B.list.2 A row is the instance, and every stable status occurs', async () => {
    const all = await allInstances();
    const statuses = new Set(all.map(({ properties }) => properties.status));

    expect(all[0]).toEqual(await read('app01'));
    expect([...statuses].sort()).toEqual(
      ['Offline', 'PartiallyRunning', 'Running', 'Unavailable', 'Unknown'].sort(),
    );
  });

  test('B.list.3 An unknown continuation token is 400, and an unknown virtual instance 404', async () => {
    expect((await sandbox.get(`${instances}?${version}&$skipToken=x`)).status).toBe(400);
    expect((await sandbox.get(`${instances.replace('N01', 'N02')}?${version}`)).status).toBe(404);
  });
});

describe('the status of an instance', () => {
  test('B.state.1 While a stop runs it is Stopping, after it Offline', async () => {
    await instanceCalls(slow).stop('app01');
    expect((await instanceCalls(slow).read('app01')).properties.status).toBe('Stopping');

    await follow(addressOf(await stop('app01')));
    expect((await read('app01')).properties).toMatchObject({ status: 'Offline', health: 'Unknown' });
  });

  test('B.state.2 A soft stop is SoftShutdown, then Stopping, then Offline', async () => {
    await instanceCalls(slow).stop('app01', { softStopTimeoutSeconds: 9 });
    expect((await instanceCalls(slow).read('app01')).properties.status).toBe('SoftShutdown');

    await stop('app01', { softStopTimeoutSeconds: 9 });
    expect(['Running', 'SoftShutdown', 'Stopping', 'Offline']).toEqual(
      expect.arrayContaining(await statusesUntil('app01', 'Offline')),
    );
  });

  test('B.state.3 While a start runs it is Starting, after it Running', async () => {
    await instanceCalls(slow).start('offline');
    expect((await instanceCalls(slow).read('offline')).properties.status).toBe('Starting');

    await follow(addressOf(await start('offline')));
    expect((await read('offline')).properties.status).toBe('Running');
  });

  test.each(['fragile', 'canceled', 'quick-failed'])(
    'B.state.4 After a stop of %s, which fails, it is unchanged',
    async (name) => {
      const reply = await stop(name);
      if (reply.status === 202) await follow(addressOf(reply));

      expect((await read(name)).properties.status).toBe('Running');
    },
  );

  test('B.state.5 It can change after the operation has succeeded', async () => {
    const calls = instanceCalls(resting);
    await calls.follow(addressOf(await calls.stop('restless')));
    const seen = await calls.statusesUntil('restless', 'Offline');

    expect(seen).toEqual(['Stopping', 'Offline']);
  });

  test('B.state.6 It can be Offline after an operation that failed', async () => {
    const last = (await follow(addressOf(await stop('overtime')))).at(-1);

    expect(last).toMatchObject({ status: 'Failed', error: { code: 'OperationTimedOut' } });
    expect((await statusesUntil('overtime', 'Offline')).at(-1)).toBe('Offline');
  });

  test.each(['quick', 'mute', 'silent'])('B.state.7 It shows the result of a stop of %s', async (name) => {
    await stop(name);

    expect((await statusesUntil(name, 'Offline')).at(-1)).toBe('Offline');
  });

  test('B.state.8 A refused stop leaves it unchanged', async () => {
    await stop('busy');

    expect((await read('busy')).properties.status).toBe('Running');
  });
});

describe('one machine', () => {
  test('B.machine.1 It runs one stop at a time, and the next when that has ended', async () => {
    await instanceCalls(slow).stop('shared-1');
    const second = await instanceCalls(slow).stop('shared-2');

    expect(second).toMatchObject({
      status: 409,
      body: { error: { code: 'Conflict', target: 'shared-1' } },
    });
    expect(addressOf(second)).toBe('');
    await follow(addressOf(await stop('shared-1')));
    expect((await stop('shared-2')).status).toBe(202);
  });

  test('B.machine.2 Other machines stop concurrently', async () => {
    expect(
      await Promise.all(['app01', 'app02', 'shared-1'].map(async (name) => (await stop(name)).status)),
    ).toEqual([202, 202, 202]);
  });
});
