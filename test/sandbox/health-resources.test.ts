import { describe, expect, test } from 'vitest';
import type { Json } from '../support/json.ts';
import { useSandbox } from './caller.ts';

const sandbox = useSandbox({ stepMs: 60_000 });

const version = 'api-version=2025-05-01';
const events = '/providers/Vendor.Health/events';
const subscription = '/subscriptions/11111111-2222-4333-8444-555555555555';
const workload = `${subscription}/resourceGroups/rg-north/providers/Vendor.Workloads/virtualInstances/N01`;
const statuses = '/providers/Vendor.Health/availabilityStatuses';

/** All pages of a list. */
async function list(path: string, method: 'get' | 'post' = 'get', query = version): Promise<Json[]> {
  const rows: Json[] = [];
  for (let link = `${path}?${query}`; link; ) {
    const { status, body } = method === 'get' ? await sandbox.get(link) : await sandbox.send('POST', link);
    expect(status).toBe(200);
    rows.push(...body.value);
    link = body.nextLink;
  }
  return rows;
}

describe('the resources of an event', () => {
  test('C.impact.1 They are listed in pages, for the tenant and for a subscription', async () => {
    const { body } = await sandbox.get(`${events}/SI_2-NOW/impactedResources?${version}`);
    const all = await list(`${events}/SI_2-NOW/impactedResources`);

    expect(body.value).toHaveLength(5);
    expect(all).toHaveLength(12);
    expect(new Set(all.map(({ id }) => id)).size).toBe(12);
    expect(all[0]).toMatchObject({
      id: expect.stringContaining(`${events}/SI_2-NOW/impactedResources/`),
      type: 'Vendor.Health/events/impactedResources',
      properties: { targetResourceType: 'Vendor.Compute/virtualMachines' },
    });
    expect(await list(`${subscription}${events}/SI_2-NOW/impactedResources`)).toEqual(all);
  });

  test('C.impact.2 An event has none, unless it was given some', async () => {
    const path = `${events}/SI_1-QRT/impactedResources`;
    expect(await list(path)).toEqual([]);
    const impactedResources = [{ targetResourceId: workload }];
    await sandbox.post('/sandbox/events', { trackingId: 'SI_1-QRT', impactedResources });

    expect(await list(path)).toMatchObject([{ properties: { targetResourceId: workload } }]);
  });

  test('C.impact.3 Those of a security advisory are listed by POST, to those who may read its details', async () => {
    const path = `${events}/SA_1-CRT/listSecurityAdvisoryImpactedResources`;

    expect(await list(path, 'post')).toHaveLength(2);
    expect((await sandbox.get(`${path}?${version}`)).status).toBe(405);
    for (const token of ['limited', 'reader'])
      expect(await sandbox.send('POST', `${path}?${version}`, { token })).toMatchObject({
        status: 403,
        body: { code: 'AuthorizationFailed' },
      });
    expect(await list(`${events}/SA_1-CRT/impactedResources`)).toEqual([]);
  });

  test('C.impact.4 Of an event that does not exist they are 404, and so is another operation', async () => {
    const read = async (path: string) => (await sandbox.get(`${events}/${path}?${version}`)).body.code;

    expect(await read('XX_0-NIL/impactedResources')).toBe('ResourceNotFound');
    expect(await read('SI_2-NOW/impactedUsers')).toBe('InvalidResourceType');
    expect(await read('SI_2-NOW/impactedResources/one')).toBe('InvalidResourceType');
  });

  test.each([{ impactedResources: {} }, { securityImpactedResources: [1] }, { impacted: [] }])(
    'S.event.6 %j is no change of an event',
    async (body) => {
      expect((await sandbox.post('/sandbox/events', { trackingId: 'SI_1-QRT', ...body })).status).toBe(400);
    },
  );
});

describe('availability', () => {
  test('C.availability.1 It is that of one resource, or of all of a resource group or subscription', async () => {
    const one = await sandbox.get(`${workload}/applicationInstances/app01${statuses}/current?${version}`);
    const group = await list(`${subscription}/resourceGroups/rg-north${statuses}`);
    const all = await list(`${subscription}${statuses}`);

    expect(one).toMatchObject({
      status: 200,
      body: {
        id: `${workload}/applicationInstances/app01${statuses}/current`,
        name: 'current',
        properties: { availabilityState: 'Available' },
      },
    });
    expect(group).toContainEqual(one.body);
    expect(all.length).toBeGreaterThan(group.length);
    for (const { id } of group) expect(id).toMatch(/\/rg-north\//);
  });

  test('C.availability.2 It follows the status of an instance, unless it was set', async () => {
    const path = `${workload}/applicationInstances/unavailable`;
    const read = async () => (await sandbox.get(`${path}${statuses}/current?${version}`)).body.properties;
    expect(await read()).toMatchObject({ availabilityState: 'Degraded' });
    const properties = { availabilityState: 'Unknown' };
    await sandbox.post('/sandbox/availability', { resourceId: path.toUpperCase(), properties });
    expect(await read()).toEqual(properties);
    await sandbox.post('/sandbox/availability', { resourceId: path });

    expect(await read()).toMatchObject({ availabilityState: 'Degraded' });
    expect((await sandbox.post('/sandbox/availability', { properties })).status).toBe(400);
  });

  test('C.availability.3 Database instances are not watched, their machines are', async () => {
    const code = async (path: string) =>
      (await sandbox.get(`${path}${statuses}/current?${version}`)).body.code;
    const group = `${subscription}/resourceGroups/rg-north/providers`;

    expect(await code(`${workload}/databaseInstances/db0`)).toBe('UnsupportedResource');
    expect(await code(`${workload}/applicationInstances/nobody`)).toBe('ResourceNotFound');
    expect(await code(`${group}/Vendor.Compute/virtualMachines/vm-db0`)).toBeUndefined();
  });

  test('C.availability.4 It takes a token and the api-version', async () => {
    const path = `${subscription}${statuses}`;

    expect((await sandbox.get(path)).body.code).toBe('MissingApiVersionParameter');
    expect(await sandbox.get(`${path}?${version}`, { token: 'denied' })).toMatchObject({ status: 403 });
    expect((await sandbox.get(`/subscriptions/other${statuses}?${version}`)).status).toBe(404);
  });
});

describe('subscriptions', () => {
  test('C.subscriptions.1 They are listed in pages, with the one of the instances', async () => {
    const all = await list('/subscriptions', 'get', 'api-version=2022-12-01');

    expect(all.map(({ state }) => state)).toEqual(['Enabled', 'Disabled', 'PastDue', 'Paused']);
    expect(all[0]).toMatchObject({ id: subscription, subscriptionId: subscription.slice(15) });
    expect((await sandbox.get('/subscriptions?api-version=2022-12-01')).body.value).toHaveLength(2);
  });

  test('C.subscriptions.2 They take a token and an api-version of their own', async () => {
    expect((await sandbox.get(`/subscriptions?${version}`)).status).toBe(400);
    expect(await sandbox.get('/subscriptions?api-version=2022-12-01', { token: 'expired' })).toMatchObject({
      status: 401,
      body: { error: { code: 'ExpiredAuthenticationToken' } },
    });
  });
});
