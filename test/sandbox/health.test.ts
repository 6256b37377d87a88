import { describe, expect, test } from 'vitest';
import type { Json } from '../support/json.ts';
import { useSandbox } from './caller.ts';
import { instances, subscription } from './operations-caller.ts';

const sandbox = useSandbox();

const version = 'api-version=2025-05-01';
const events = '/providers/Vendor.Health/events';
const inSubscription = `/subscriptions/${subscription}`;
const statuses = '/providers/Vendor.Health/availabilityStatuses';
const path = (id: string) => `${events}/${encodeURIComponent(id)}`;

const read = async (id: string, token = 'clerk'): Promise<Json> =>
  (await sandbox.get(`${path(id)}?${version}`, { token })).body;
const fetchEvent = (id: string, token = 'clerk', action = 'fetchEventDetails') =>
  sandbox.post(`${path(id)}/${action}?${version}`, undefined, { token });
const details = async (id: string): Promise<Json> => (await fetchEvent(id)).body;
const set = (body: unknown) => sandbox.post('/sandbox/events', body);

/** All pages of a list. */
async function list(address: string, query = version, method = 'GET', token = 'clerk'): Promise<Json[]> {
  const rows: Json[] = [];
  for (let link = `${address}?${query}`; link; ) {
    const { status, body } = await sandbox.send(method, link, { token });
    expect(status).toBe(200);
    rows.push(...body.value);
    link = body.nextLink;
  }
  return rows;
}
const everything = (token?: string) => list(events, `${version}&queryStartTime=1/1/2000`, 'GET', token);

describe('sensitive events', () => {
  const shown =
    'eventType eventSource status title platformInitiated level eventLevel isEventSensitive isHIR priority subscriptionId lastUpdateTime impact';

  test('C.plain.1 The plain read of an event that is not sensitive returns all fields', async () => {
    for (const id of ['SI_1-QRT', 'BL_1-FXR', 'MN_0-BAR']) expect(await read(id)).toEqual(await details(id));
  });

  test.each(['SA_5-XYZ', 'SA_1-CRT', 'HA_4-SEC'])(
    'C.plain.2 The plain read of %s, which is sensitive, returns the listed fields only, regions without updates',
    async (id) => {
      const [plain, full] = [await read(id), await details(id)];

      expect(shown.split(' ')).toEqual(expect.arrayContaining(Object.keys(plain.properties)));
      expect(full.properties.summary).toEqual(expect.any(String));
      expect(plain).toMatchObject({ id: full.id, name: id, properties: { title: full.properties.title } });
      expect(JSON.stringify(plain)).not.toContain('updates');
    },
  );

  test('C.plain.4 The list returns the same as the plain read, and to a reader no more or less', async () => {
    for (const token of ['clerk', 'reader', 'limited']) {
      const all = await everything(token);
      const advisories = all.filter(({ properties }) => properties?.eventType === 'SecurityAdvisory');
      expect(advisories).toHaveLength(4);
      for (const one of advisories) expect(one).toEqual(await read(one.name, token));
      expect(JSON.stringify(advisories)).not.toMatch(/summary|description|updates|article|198\.51\.100\.7/);
    }
  });

  test('C.auth.5 Their details, bills and resources require the permission to fetch', async () => {
    await set({ trackingId: 'BL_2-UND', properties: { isEventSensitive: true } });
    const asked = (token: string) => [
      fetchEvent('SA_5-XYZ', token),
      sandbox.post(
        `${inSubscription}${path('BL_2-UND')}/fetchBillingCommunicationDetails?${version}`,
        undefined,
        { token },
      ),
      fetchEvent('SA_1-CRT', token, 'listSecurityAdvisoryImpactedResources'),
    ];

    for (const token of ['reader-1', 'limited-1']) {
      for (const { status, body, text } of await Promise.all(asked(token))) {
        expect([status, body.code]).toEqual([403, 'AuthorizationFailed']);
        expect(text).not.toContain('storage');
      }
      expect((await fetchEvent('SI_1-QRT', token)).status).toBe(200);
    }
    expect((await Promise.all(asked('clerk'))).map(({ status }) => status)).toEqual([200, 200, 200]);
  });
});

describe('the list of events', () => {
  test('C.list.4 It has pages, whose links are the request with a token, and is the same in a subscription', async () => {
    const query = `${version}&queryStartTime=1/1/2000`;
    const { body } = await sandbox.get(`${events}?${query}`);

    expect(body.value).toHaveLength(5);
    expect(body.nextLink.startsWith(`${sandbox.url}${events}?${query}&$skipToken=`)).toBe(true);
    expect((await sandbox.get(`${events}?${query}&$skipToken=x`)).body.details).toBe('$skipToken');
    expect(await list(inSubscription + events, query)).toEqual(await everything());
    expect((await sandbox.get(`${inSubscription}${path('SA_5-XYZ')}?${version}`)).body).toEqual(
      await read('SA_5-XYZ'),
    );
  });

  test.each([
    ['C.error.1', 'GET', `${path('XX_0-NIL')}?${version}`, 404, 'ResourceNotFound'],
    ['C.error.2', 'GET', path('SI_1-QRT'), 400, 'MissingApiVersionParameter'],
    ['C.error.3', 'GET', `${events}?api-version=2023-04-01`, 400, 'InvalidApiVersionParameter'],
    ['C.error.4', 'GET', `${path('SI_1-QRT')}/fetchEventDetails?${version}`, 405, 'MethodNotAllowed'],
    ['C.list.5', 'GET', `/subscriptions/other${events}?${version}`, 404, 'SubscriptionNotFound'],
    ['C.impact.4', 'GET', `${path('XX_0-NIL')}/impactedResources?${version}`, 404, 'ResourceNotFound'],
    ['C.availability.3', 'GET', `${instances}/nobody${statuses}/current?${version}`, 404, 'ResourceNotFound'],
  ])('%s %s %s is refused in the flat form', async (_id, method, address, status, code) => {
    const reply = await sandbox.send(method, address);

    expect(reply.status).toBe(status);
    expect(reply.body).toEqual({ code, message: expect.any(String), details: expect.any(String) });
  });
});

describe('resources and availability', () => {
  test('C.impact.1 The resources of an event are listed in pages, those of an advisory by POST', async () => {
    const all = await list(`${path('SI_2-NOW')}/impactedResources`);
    const [, targetResourceId] = [
      await set({ trackingId: 'SI_1-QRT', impactedResources: [{ targetResourceId: instances }] }),
      instances,
    ];

    expect(new Set(all.map(({ id }) => id)).size).toBe(12);
    expect(all[0].properties).toMatchObject({ targetResourceType: 'Vendor.Compute/virtualMachines' });
    expect(await list(`${inSubscription}${path('SI_2-NOW')}/impactedResources`)).toEqual(all);
    expect(await list(`${path('SI_1-QRT')}/impactedResources`)).toMatchObject([
      { properties: { targetResourceId } },
    ]);
    expect(
      await list(`${path('SA_1-CRT')}/listSecurityAdvisoryImpactedResources`, version, 'POST'),
    ).toHaveLength(2);
    expect(await list(`${path('SA_1-CRT')}/impactedResources`)).toEqual([]);
  });
});

describe('events at run time', () => {
  test('S.event.1 Properties are merged, each change has its own time, a given one is kept, until a reset', async () => {
    const before = await read('SI_1-QRT');
    const times: number[] = [];
    for (let n = 0; n < 3; n += 1) {
      await set({ trackingId: 'SI_1-QRT', properties: { status: 'Resolved' } });
      times.push(Date.parse((await read('SI_1-QRT')).properties.lastUpdateTime));
    }
    const after = await read('SI_1-QRT');

    expect(after.properties).toEqual({
      ...before.properties,
      status: 'Resolved',
      lastUpdateTime: expect.any(String),
    });
    expect(times).toEqual([...new Set(times)].sort((one, other) => one - other));
    expect(times[0]).toBeGreaterThan(Date.parse(before.properties.lastUpdateTime));
    expect((await list(events))[0].name).toBe('SI_1-QRT');
    const lastUpdateTime = '2031-01-01T00:00:00.1234567Z';
    await set({ trackingId: 'SI_1-QRT', properties: { lastUpdateTime } });
    expect((await read('SI_1-QRT')).properties.lastUpdateTime).toBe(lastUpdateTime);
    await sandbox.post('/sandbox/reset');
    expect(await read('SI_1-QRT')).toEqual(before);
  });
});
