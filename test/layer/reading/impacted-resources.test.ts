import { describe, expect } from 'vitest';
import type { Json } from '../../support/json.ts';
import { test } from '../../support/layer.ts';
import { place } from '../../support/operations.ts';
import type { TestSandbox } from '../../support/sandbox.ts';

const { subscriptionId } = place;
const at = `/subscriptions/${subscriptionId}/resourceGroups`;
const event = (id: string, fields: string) => `{ healthEvent(trackingId: "${id}") { ${fields} } }`;

const pathsOf = async (sandbox: TestSandbox) =>
  (await sandbox.calls()).map(({ method, path }) => `${method} ${path.replace(/\?.*$/, '')}`);
const setImpact = (sandbox: TestSandbox, trackingId: string, impact: object) =>
  sandbox.send('POST', '/sandbox/events', { trackingId, ...impact });
const instances = (count: number) =>
  Array.from({ length: count }, (_one, index) => ({
    targetResourceId: `${at}/rg-east/providers/Vendor.Workloads/virtualInstances/E01/applicationInstances/app${String(index + 1).padStart(2, '0')}`,
  }));

describe('the resources that an event affects', () => {
  test('are read only where they are selected, page by page, and once however often', async ({
    layer,
    sandbox,
  }) => {
    await layer.read(event('SI_2-NOW', 'title'));
    expect((await pathsOf(sandbox)).filter((path) => /impacted/i.test(path))).toEqual([]);
    await sandbox.forgetCalls();

    const data = await layer.read(
      event(
        'SI_2-NOW',
        `all: impactedResources { totalCount nodes { targetResourceId targetResourceType targetRegion info { key value } } }
         two: impactedResources(first: 2, orderBy: [TARGET_RESOURCE_ID_DESC]) { nodes { targetResourceId } pageInfo { hasNextPage } }
         none: impactedResources(filter: { targetRegion: { eq: "west" } }) { totalCount }
         some: impactedResources(filter: { targetResourceId: { endsWith: "APP1" }, not: { targetRegion: { eq: "west" } } }) { totalCount }`,
      ),
    );

    const { all, two, none, some } = data.healthEvent;
    expect(all.totalCount).toBe(12);
    expect(all.nodes[0]).toEqual({
      targetResourceId: `${at}/rg-east/providers/Vendor.Compute/virtualMachines/vm-app01`,
      targetResourceType: 'Vendor.Compute/virtualMachines',
      targetRegion: 'north',
      info: [{ key: 'ResourceName', value: 'vm-app01' }],
    });
    expect(two.nodes.map(({ targetResourceId }: Json) => targetResourceId.slice(-5))).toEqual([
      'app12',
      'app11',
    ]);
    expect([none.totalCount, some.totalCount, two.pageInfo.hasNextPage]).toEqual([0, 0, true]);
    const lists = (await pathsOf(sandbox)).filter((path) => path.endsWith('/impactedResources'));
    expect(lists).toEqual(Array(3).fill('GET /providers/Vendor.Health/events/SI_2-NOW/impactedResources'));
  });

  test('of a security advisory are FORBIDDEN to a token without the right, and fail nothing else', async ({
    layer,
  }) => {
    const query = event(
      'SA_1-CRT',
      'title impactedResources { totalCount } securityImpactedResources { totalCount nodes { targetResourceId info { value } } }',
    );

    const { data, errors } = await layer.query(query, {}, { authorization: 'Bearer limited-1' });
    const all = await layer.read(query);

    expect(data).toEqual({
      healthEvent: {
        title: 'Signing keys were renewed',
        impactedResources: { totalCount: 0 },
        securityImpactedResources: null,
      },
    });
    expect(errors).toMatchObject([
      { path: ['healthEvent', 'securityImpactedResources'], extensions: { code: 'FORBIDDEN' } },
    ]);
    expect(all.healthEvent.securityImpactedResources).toEqual({
      totalCount: 2,
      nodes: ['account1', 'account2'].map((value) => ({
        targetResourceId: null,
        info: [{ value }, { value: 'rg-north' }],
      })),
    });
  });

  test('of security advisories are asked for by POST, on every page, and of no other event', async ({
    layer,
    sandbox,
  }) => {
    const fields = 'securityImpactedResources { totalCount }';
    const data = await layer.read(
      `{ a: healthEvent(trackingId: "SA_5-XYZ") { ${fields} } b: healthEvent(trackingId: "SI_2-NOW") { ${fields} } }`,
    );

    expect(data.a.securityImpactedResources.totalCount).toBe(7);
    expect(data.b.securityImpactedResources.totalCount).toBe(0);
    expect((await pathsOf(sandbox)).filter((path) => /impacted/i.test(path))).toEqual(
      Array(2).fill('POST /providers/Vendor.Health/events/SA_5-XYZ/listSecurityAdvisoryImpactedResources'),
    );
  });
});

describe('the instance of an affected resource', () => {
  const fields = `impactedResources { nodes { targetResourceId instance {
    __typename nodeId
    ... on ApplicationInstance { applicationInstanceName status }
    ... on VirtualInstance { virtualInstanceName }
  } } }`;

  test('is what its id names, in any case, and null for anything else', async ({ layer }) => {
    const { nodes } = (await layer.read(event('SI_3-HTM', fields))).healthEvent.impactedResources;

    expect(nodes.map(({ instance }: Json) => instance)).toMatchObject([
      { __typename: 'ApplicationInstance', applicationInstanceName: 'app01', status: 'Running' },
      { __typename: 'ApplicationInstance', applicationInstanceName: 'app03' },
      { __typename: 'VirtualInstance', virtualInstanceName: 'E01' },
      null,
      null,
      null,
    ]);
    const again = await layer.read('query ($id: ID!) { node(nodeId: $id) { __typename } }', {
      id: nodes[0].instance.nodeId,
    });
    expect(again.node).toEqual({ __typename: 'ApplicationInstance' });
  });

  test('is read with the list of its virtual instance where several are in it', async ({
    layer,
    sandbox,
  }) => {
    const [first, ...others] = instances(20);
    const inUpperCase = JSON.parse(JSON.stringify(others).replaceAll('rg-east', 'RG-EAST'));
    await setImpact(sandbox, 'SI_2-NOW', { impactedResources: [first, ...inUpperCase] });
    await sandbox.send('POST', '/sandbox/instances', { pageSize: 100 });
    await sandbox.forgetCalls();

    const { nodes } = (await layer.read(event('SI_2-NOW', fields))).healthEvent.impactedResources;

    expect(nodes.map(({ instance }: Json) => instance.applicationInstanceName)).toHaveLength(20);
    expect((await pathsOf(sandbox)).filter((path) => path.includes('Workloads'))).toEqual([
      `GET ${at}/rg-east/providers/Vendor.Workloads/virtualInstances/E01/applicationInstances`,
    ]);
  });
});
