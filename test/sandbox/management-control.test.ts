import { describe, expect, test } from 'vitest';
import { useSandbox } from './caller.ts';
import { addressOf, instanceCalls } from './operations-caller.ts';

const sandbox = useSandbox({ stepMs: 60_000 });
const { stop, read, follow } = instanceCalls(sandbox);

const setInstance = (body: unknown) => sandbox.post('/sandbox/instances', body);
const setEvent = (body: unknown) => sandbox.post('/sandbox/events', body);

const version = 'api-version=2025-05-01';
const events = '/providers/Vendor.Health/events';
const readEvent = (id: string) => sandbox.get(`${events}/${id}?${version}`);

describe('instances at run time', () => {
  test('S.instance.2 An instance is created with the usual behaviour, and with properties', async () => {
    await setInstance({ name: 'own', properties: { health: 'Degraded' } });

    expect((await stop('own')).status).toBe(202);
    expect((await read('own')).properties).toMatchObject({ status: 'Stopping', health: 'Degraded' });
  });

  test('S.instance.3 An existing instance is recreated, and listed once', async () => {
    await stop('app01');
    expect((await read('app01')).properties.status).toBe('Stopping');
    await setInstance({ name: 'app01' });

    expect((await read('app01')).properties.status).toBe('Running');
  });

  test('S.instance.4 Without a name, the duration of a step is set from now on', async () => {
    const before = addressOf(await stop('app01'));
    expect((await setInstance({ stepMs: 5 })).status).toBe(204);

    expect((await follow(addressOf(await stop('app02')))).at(-1).status).toBe('Succeeded');
    expect((await sandbox.get(before)).body.percentComplete).toBe(0);
  });

  test.each<object>([
    { name: '' },
    { name: 7 },
    { name: 'x', like: 'nobody' },
    { name: 'x', toString: 1 },
    { properties: 7 },
    { stepMs: -1 },
    { pageSize: 0 },
  ])('S.instance.5 %j is 400 and says what is wrong', async (body) => {
    expect(await setInstance(body)).toMatchObject({
      status: 400,
      body: { error: { code: 'BadRequest', message: expect.stringMatching(/\w+ .*\w+/) } },
    });
  });

  test('S.instance.6 A reset restores them', async () => {
    await setInstance({ name: 'mine' });
    await setInstance({ stepMs: 5 });
    await sandbox.post('/sandbox/reset');

    expect((await stop('mine')).status).toBe(404);
    const address = addressOf(await stop('app01'));
    expect((await sandbox.get(address)).headers.get('retry-after')).toBe('60');
  });
});

describe('events at run time', () => {
  test('S.event.1 Properties are merged, and the time of the last update moves', async () => {
    const before = (await readEvent('SI_2-NOW')).body;
    expect((await setEvent({ trackingId: 'SI_2-NOW', properties: { status: 'Resolved' } })).status).toBe(204);
    const after = (await readEvent('SI_2-NOW')).body;

    expect(after).toEqual({
      ...before,
      properties: { ...before.properties, status: 'Resolved', lastUpdateTime: expect.any(String) },
    });
    expect(Date.parse(after.properties.lastUpdateTime)).toBeGreaterThan(
      Date.parse(before.properties.lastUpdateTime),
    );
  });

  test('S.event.2 Each change has its own time, and a given one is kept', async () => {
    const times: number[] = [];
    for (let n = 0; n < 5; n += 1) {
      await setEvent({ trackingId: 'SI_1-QRT' });
      times.push(Date.parse((await readEvent('SI_1-QRT')).body.properties.lastUpdateTime));
    }
    const lastUpdateTime = '2031-01-01T00:00:00.1234567Z';
    await setEvent({ trackingId: 'SI_1-QRT', properties: { lastUpdateTime } });

    expect(times).toEqual([...new Set(times)].sort((one, other) => one - other));
    expect((await readEvent('SI_1-QRT')).body.properties.lastUpdateTime).toBe(lastUpdateTime);
  });

  test('S.event.3 An old event that changes is in the default list', async () => {
    const listed = async () => (await sandbox.get(`${events}?${version}`)).body.value[0].name;
    expect(await listed()).not.toBe('SI_1-QRT');
    await setEvent({ trackingId: 'SI_1-QRT', properties: { status: 'Resolved' } });

    expect(await listed()).toBe('SI_1-QRT');
  });

  test('S.event.4 An event is created where there is none, and removed', async () => {
    const trackingId = 'SA_0-OWN';
    const properties = { eventType: 'SecurityAdvisory', isEventSensitive: true, title: 'T', summary: 'S' };
    await setEvent({ trackingId, properties, location: 'west' });

    expect((await readEvent(trackingId)).body).toMatchObject({ name: trackingId, location: 'west' });
    expect((await readEvent(trackingId)).body.properties).not.toHaveProperty('summary');
    expect((await setEvent({ trackingId, remove: true })).status).toBe(204);
    expect((await readEvent(trackingId)).status).toBe(404);
    expect((await setEvent({ trackingId, remove: true })).status).toBe(400);
  });

  test.each<object>([
    {},
    { trackingId: '' },
    { trackingId: 'SI_1-QRT', properties: [] },
    { trackingId: 'SI_1-QRT', status: 'Resolved' },
    { trackingId: 'SI_1-QRT', remove: 1 },
  ])('S.event.5 %j is 400', async (body) => {
    expect((await setEvent(body)).status).toBe(400);
  });

  test('S.event.6 A reset restores them', async () => {
    const before = (await readEvent('SI_1-QRT')).body;
    await setEvent({ trackingId: 'SI_1-QRT', properties: { title: 'Changed' } });
    await sandbox.post('/sandbox/reset');

    expect((await readEvent('SI_1-QRT')).body).toEqual(before);
  });
});

test('S.index.3 The index lists both URLs, and the behaviour of each instance', async () => {
  const { body } = await sandbox.get('/sandbox');

  expect(body.available['POST /sandbox/instances']).toMatch(/pageSize/);
  expect(body.available['POST /sandbox/events']).toMatch(/trackingId/);
  for (const about of Object.values(body.instances.notes)) expect(about).toMatch(/\w{3}/);
});
