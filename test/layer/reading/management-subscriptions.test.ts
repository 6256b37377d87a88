import { describe, expect } from 'vitest';
import { startTestLayer, test } from '../../support/layer.ts';

const fields = 'id displayName state tenantId';
const all = `{ managementSubscriptions { totalCount nodes { ${fields} } } }`;

describe('the subscriptions of a token', () => {
  test('are those of all pages of the list', async ({ layer, sandbox }) => {
    const data = await layer.read(all);

    expect(data?.managementSubscriptions).toMatchObject({
      totalCount: 4,
      nodes: [
        {
          id: '11111111-2222-4333-8444-555555555555',
          displayName: 'Workloads',
          state: 'Enabled',
          tenantId: 'aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee',
        },
        { state: 'Disabled' },
        { state: 'PastDue' },
        { state: 'Paused' },
      ],
    });
    const paths = (await sandbox.calls()).map(({ path }) => path);
    expect(paths).toHaveLength(2);
    for (const path of paths) expect(path).toMatch(/^\/subscriptions\?api-version=2022-12-01/);
  });

  test('are shown with their virtual instances and events by one query, with a call for each subscription and list', async ({
    layer,
    sandbox,
  }) => {
    const data = await layer.read(`{ managementSubscriptions(first: 2) { nodes {
      id virtualInstances { nodes { name } } healthEvents(first: 5) { nodes { trackingId } }
    } } }`);

    const [first, ...others] = data?.managementSubscriptions.nodes ?? [];
    expect(others).toHaveLength(1);
    expect(first.virtualInstances.nodes.length).toBeGreaterThan(0);
    expect(first.healthEvents.nodes.length).toBeGreaterThan(0);
    const paths = (await sandbox.calls()).map(({ path }) => path);
    // Lists have further pages: no page is read twice.
    expect(new Set(paths).size).toBe(paths.length);
    for (const list of [/\/virtualInstances\?/, /\/events\?/]) {
      const read = paths.filter((path) => list.test(path)).map((path) => path.replace(/\?.*$/, ''));
      expect(new Set(read).size).toBe(2);
    }
  });

  test('are not asked for where SUBSCRIPTIONS_API_VERSION is off', async ({ sandbox }) => {
    const layer = await startTestLayer(sandbox.url, { SUBSCRIPTIONS_API_VERSION: 'off' });
    try {
      expect((await layer.query(all)).data?.managementSubscriptions).toEqual({ totalCount: 0, nodes: [] });
      expect(await sandbox.calls()).toEqual([]);
    } finally {
      await layer.stop();
    }
  });
});
