import { describe, expect } from 'vitest';
import type { Json } from '../../support/json.ts';
import { startBeforeStub, test } from '../../support/layer.ts';
import { place } from '../../support/operations.ts';
import type { TestSandbox } from '../../support/sandbox.ts';

const { subscriptionId } = place;
const at = `/subscriptions/${subscriptionId}/resourceGroups`;
const workloads = 'providers/Vendor.Workloads/virtualInstances';
const statuses = 'providers/Vendor.Health/availabilityStatuses';
const north = `subscriptionId: "${subscriptionId}", resourceGroupName: "rg-north", virtualInstanceName: "N01"`;
const east = `subscriptionId: "${subscriptionId}", resourceGroupName: "rg-east", virtualInstanceName: "E01"`;

const pathsOf = async (sandbox: TestSandbox, part: string) =>
  (await sandbox.calls()).map(({ path }) => path.replace(/\?.*$/, '')).filter((path) => path.includes(part));
const setImpact = (sandbox: TestSandbox, trackingId: string, targets: readonly string[]) =>
  sandbox.send('POST', '/sandbox/events', {
    trackingId,
    impactedResources: targets.map((targetResourceId) => ({ targetResourceId })),
  });
const idsOf = ({ nodes }: Json): string[] => nodes.map(({ trackingId }: Json) => trackingId).sort();

describe('availability', () => {
  test('of one instance is read by itself', async ({ layer, sandbox }) => {
    const data = await layer.read(
      `{ applicationInstance(${north}, applicationInstanceName: "app01") { availability { state summary since cause } } }`,
    );

    expect(data.applicationInstance.availability).toEqual({
      state: 'Available',
      summary: 'There aren&#39;t any <b>known</b> problems.',
      since: '2025-10-13T15:43:48.1203530Z',
      cause: null,
    });
    expect(await pathsOf(sandbox, 'availability')).toEqual([
      `${at}/rg-north/${workloads}/N01/applicationInstances/app01/${statuses}/current`,
    ]);
  });

  test('is null where the upstream does not watch such resources', async ({ layer, sandbox }) => {
    const body = { error: { code: 'UnsupportedResource', message: 'No.' } };
    await sandbox.fault({ path: 'availabilityStatuses', status: 422, body });

    const data = await layer.read(
      `{ applicationInstance(${north}, applicationInstanceName: "app01") { availability { state } } }`,
    );

    expect(data.applicationInstance.availability).toBeNull();
  });

  test('of the instances of a resource group and their machines is read with one list', async ({
    layer,
    sandbox,
  }) => {
    const data = await layer.read(`{ virtualInstance(${east}) {
        availability { state }
        applicationInstances { nodes { availability { state } virtualMachines { availability { state } } } }
        centralInstances { nodes { availability { state } virtualMachines { availability { state } } } }
        databaseInstances { nodes { availability { state } virtualMachines { availability { state } } } }
      } }`);

    const { applicationInstances, centralInstances, databaseInstances } = data.virtualInstance;
    const available = { state: 'Available' };
    expect(data.virtualInstance.availability).toEqual(available);
    for (const { nodes } of [applicationInstances, centralInstances])
      for (const node of nodes)
        expect(node).toEqual({ availability: available, virtualMachines: [{ availability: available }] });
    expect(applicationInstances.nodes).toHaveLength(24);
    // The service does not watch this kind.
    for (const node of databaseInstances.nodes)
      expect(node).toEqual({ availability: null, virtualMachines: [{ availability: available }] });
    const paths = await pathsOf(sandbox, 'availability');
    const pages = paths.filter((path) => path === `${at}/rg-east/${statuses}`);
    // 1 virtual instance, 26 instances and 28 machines are three pages; the virtual instance itself came first.
    expect(pages).toHaveLength(3);
    expect(paths.length - pages.length).toBeLessThanOrEqual(1);
  });

  test('of a machine whose id leaves its place is null, and nothing is sent for it', async ({
    layer,
    sandbox,
  }) => {
    await sandbox.send('POST', '/sandbox/instances', {
      name: 'mine',
      properties: {
        vmDetails: [
          { type: 'Active', virtualMachineId: '/subscriptions/s/resourceGroups/../providers/a/b/c' },
        ],
      },
    });
    const data = await layer.read(
      `{ applicationInstance(${north}, applicationInstanceName: "mine") { virtualMachines { availability { state } } } }`,
    );

    expect(data.applicationInstance.virtualMachines).toEqual([{ availability: null }]);
    expect(await pathsOf(sandbox, 'availability')).toEqual([]);
  });
});

describe('the health events of an instance', () => {
  const events = 'healthEvents { totalCount nodes { scope trackingId title } }';

  test('are those whose resources name it or one of its machines, and each list is read once for all', async ({
    layer,
    sandbox,
  }) => {
    const data = await layer.read(`{ virtualInstance(${north}) {
          applicationInstances(filter: { name: { in: ["app01", "app02", "busy"] } }, orderBy: [NAME_ASC]) { nodes { name ${events} } } }
        app03: applicationInstance(${east}, applicationInstanceName: "app03") { ${events} } }`);

    const [app01, app02, busy] = data.virtualInstance.applicationInstances.nodes;
    expect(app01.healthEvents).toEqual({
      totalCount: 1,
      nodes: [{ scope: subscriptionId, trackingId: 'SI_3-HTM', title: 'Sign-in &amp; sign-out fail' }],
    });
    expect(idsOf(app02.healthEvents)).toEqual(['SI_3-HTM']);
    expect(busy.healthEvents).toEqual({ totalCount: 0, nodes: [] });
    expect(idsOf(data.app03.healthEvents)).toEqual(['SI_2-NOW', 'SI_3-HTM']);
    const lists = (await sandbox.calls()).map(({ path }) => path).filter((path) => path.includes('/events'));
    expect(new Set(lists).size).toBe(lists.length);
    expect(lists.length).toBeGreaterThan(5);
  });

  test('are not those of another instance whose name begins with its name, and advisories are not read for them', async ({
    layer,
    sandbox,
  }) => {
    await setImpact(sandbox, 'PM_8-SQL', [`${at}/rg-north/${workloads}/N01B`]);

    const data = await layer.read(`{ virtualInstance(${north}) { ${events} } }`);

    expect(idsOf(data.virtualInstance.healthEvents)).not.toContain('PM_8-SQL');
    const paths = await pathsOf(sandbox, '/impactedResources');
    expect(paths.length).toBeGreaterThan(5);
    expect(paths.filter((path) => /\/SA_/.test(path))).toEqual([]);
  });

  test('are filtered before their resources are read', async ({ layer, sandbox }) => {
    const query = (page: string) => `{ virtualInstance(${east}) { healthEvents(${page}) { totalCount } } }`;
    const maintenance = await layer.read(
      query('filter: { eventType: { eq: "PlannedMaintenance" }, title: { contains: "host" } }'),
    );

    expect(maintenance.virtualInstance.healthEvents).toMatchObject({ totalCount: 1 });
    expect(await pathsOf(sandbox, '/impactedResources')).toEqual([
      `/subscriptions/${subscriptionId}/providers/Vendor.Health/events/PM_8-SQL/impactedResources`,
    ]);
  });
});

test('of more than 200 events, an instance asks for a filter, and no list is read', async () => {
  const { stub, layer } = await startBeforeStub(({ target }) => {
    const name = (index: number) => ({
      name: `E${index}`,
      properties: { status: index < 3 ? 'Active' : 'Resolved' },
    });
    if (/\/events\?/.test(target))
      return { body: { value: Array.from({ length: 201 }, (_one, index) => name(index)) } };
    return { body: { value: [] } };
  });
  const ask = (filter: string) =>
    layer.query(
      `{ virtualInstance(subscriptionId: "s", resourceGroupName: "rg", virtualInstanceName: "V") { healthEvents${filter} { totalCount } } }`,
    );

  const all = await ask('');
  const listed = stub.requests.filter(({ target }) => target.includes('impactedResources'));
  const some = await ask('(filter: { status: { eq: "Active" } })');

  expect(all.errors).toMatchObject([
    {
      message: expect.stringContaining('at most 200 events, and 201'),
      extensions: { code: 'QUERY_TOO_COMPLEX' },
    },
  ]);
  expect(listed).toEqual([]);
  expect(some.errors).toBeUndefined();
  expect(some.data.virtualInstance.healthEvents).toEqual({ totalCount: 0 });
});
