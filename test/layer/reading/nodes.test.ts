import { expect } from 'vitest';
import { sandboxCompanyId as companyId } from '../../../sandbox/seed.ts';
import { test } from '../../support/layer.ts';
import { place } from '../../support/operations.ts';

const readAll = `query ($nodeIds: [ID!]!) { nodes(nodeIds: $nodeIds) {
  __typename nodeId
  ... on Customer { displayName } ... on Item { displayName } ... on SalesOrder { number } ... on Employee { surname }
} }`;

test('an instance has one nodeId, is read once and is shown as its upstream spells it, whatever the case of its names', async ({
  layer,
  sandbox,
}) => {
  const shown = '{ nodeId resourceGroupName virtualInstanceName applicationInstanceName }';
  const of = (group: string, system: string, name: string) =>
    `(subscriptionId: "${place.subscriptionId}", resourceGroupName: "${group}", virtualInstanceName: "${system}"${name})`;
  const names = ['rg-north', 'RG-North'].flatMap((group) => ['app01', 'APP01'].map((name) => [group, name]));
  const fields = names.map(
    ([group, name], index) =>
      `i${index}: applicationInstance${of(group as string, 'N01', `, applicationInstanceName: "${name}"`)} ${shown}`,
  );

  const { data, errors } = await layer.query(`{ ${fields.join(' ')} }`);

  expect(errors).toBeUndefined();
  const { nodeId } = data.i0;
  const spelled = {
    nodeId,
    resourceGroupName: 'rg-north',
    virtualInstanceName: 'N01',
    applicationInstanceName: 'app01',
  };
  expect(Object.values(data)).toEqual(names.map(() => spelled));
  expect(await sandbox.calls()).toHaveLength(1);

  const again = await layer.query(
    `query ($ids: [ID!]!) {
      nodes(nodeIds: $ids) { ... on ApplicationInstance ${shown} }
      virtualInstance${of('RG-NORTH', 'n01', '')} {
        nodeId applicationInstances(filter: { name: { eq: "app01" } }) { nodes ${shown} }
      }
      named: virtualInstance${of('rg-north', 'N01', '')} { nodeId }
    }`,
    { ids: [nodeId, encode(['ApplicationInstance', place.subscriptionId, 'RG-NORTH', 'n01', 'App01'])] },
  );

  expect(again.errors).toBeUndefined();
  expect(again.data.nodes).toEqual([spelled, spelled]);
  expect(again.data.virtualInstance.applicationInstances.nodes).toEqual([spelled]);
  expect(again.data.named.nodeId).toBe(again.data.virtualInstance.nodeId);
});

test('a node is read again by its nodeId, as a company, an instance and a health event', async ({
  layer,
}) => {
  const found = await layer.query(`{
      company { nodeId name }
      healthEvents(first: 1) { nodes { nodeId trackingId scope } }
      applicationInstance(${Object.entries({ ...place, applicationInstanceName: 'app01' })
        .map(([name, value]) => `${name}: "${value}"`)
        .join(' ')}) { nodeId hostname }
    }`);
  expect(found.errors).toBeUndefined();
  const { company, healthEvents, applicationInstance } = found.data;
  const nodes = [company, healthEvents.nodes[0], applicationInstance];

  const data = await layer.read(
    `query ($nodeIds: [ID!]!) { nodes(nodeIds: $nodeIds) { nodeId
        ... on Company { name } ... on HealthEvent { trackingId scope } ... on ApplicationInstance { hostname }
      } }`,
    { nodeIds: nodes.map(({ nodeId }) => nodeId) },
  );

  expect(data.nodes).toEqual(nodes);
});

test('a hundred nodes of four types are one batch of four reads', async ({ layer, sandbox }) => {
  const { data: listed } = await layer.query(`{ company {
    customers(first: 25) { nodes { nodeId } } items(first: 25) { nodes { nodeId } }
    salesOrders(first: 25) { nodes { nodeId } } employees(first: 25) { nodes { nodeId } }
  } }`);
  const lists: { nodes: { nodeId: string }[] }[] = Object.values(listed.company);
  const few = lists.flatMap(({ nodes }) => nodes.map(({ nodeId }) => nodeId));
  const nodeIds = Array.from({ length: 100 }, (_, index) => few[index % few.length]);
  await sandbox.forgetCalls();

  const data = await layer.read(readAll, { nodeIds });

  expect(data.nodes.map(({ nodeId }: { nodeId: string }) => nodeId)).toEqual(nodeIds);
  expect(new Set(data.nodes.map(({ __typename }: { __typename: string }) => __typename)).size).toBe(4);
  const parts = (await sandbox.calls()).flatMap((call) => call.parts ?? [call]);
  expect(parts).toHaveLength(4);
});

const encode = (content: unknown) => Buffer.from(JSON.stringify(content)).toString('base64url');

test('of no record it is null, and of anything else an error of its own place', async ({ layer }) => {
  const { data: found } = await layer.query(
    '{ company { nodeId customers(first: 1) { nodes { nodeId } } } }',
  );
  const [customer] = found.company.customers.nodes;
  const gone = encode(['Customer', companyId, '00000000-0000-4000-8000-00000000dead']);
  const bad = [
    'x',
    '',
    encode(['Customer', companyId]),
    encode(['Customer', companyId, '../items']),
    encode(['Customer', companyId, '00000000-0000-4000-8000-00000000DEAD']),
    encode(['Customer', companyId, 7]),
    encode(['__proto__', 'a']),
    `${customer.nodeId}=`,
  ];

  const { data, errors } = await layer.query(readAll, { nodeIds: [gone, customer.nodeId, ...bad] });

  expect(data.nodes[0]).toBeNull();
  expect(data.nodes[1].nodeId).toBe(customer.nodeId);
  expect(data.nodes.slice(2)).toEqual(bad.map(() => null));
  expect(errors).toHaveLength(bad.length);
  expect(new Set(errors?.map(({ path }) => path?.join('.')))).toEqual(
    new Set(bad.map((_id, index) => `nodes.${index + 2}`)),
  );
  for (const { message, extensions } of errors ?? []) {
    expect(message).toContain('`nodeId`');
    expect(extensions.code).toBe('BAD_USER_INPUT');
  }
});

test('it counts what is selected of its type', async ({ layer }) => {
  const { data: found } = await layer.query('{ company { customers(first: 1) { nodes { nodeId } } } }');
  const [{ nodeId }] = found.company.customers.nodes;
  const query = `query ($nodeIds: [ID!]!) { nodes(nodeIds: $nodeIds) {
    ... on Customer { salesOrders(first: 1000) { nodes { id } } } ... on Item { id }
  } }`;

  const { errors } = await layer.query(query, { nodeIds: Array.from({ length: 100 }, () => nodeId) });

  expect(errors).toMatchObject([{ extensions: { code: 'QUERY_TOO_COMPLEX' } }]);
});

test('records are found by their numbers, with one call', async ({ layer, sandbox }) => {
  const { data: listed } = await layer.query(`{ company { salesOrders(first: 3) { nodes { id number } } } }`);
  const nodes: { id: string; number: string }[] = listed.company.salesOrders.nodes;
  await sandbox.forgetCalls();
  const fields = nodes.map(
    ({ number }, index) => `a${index}: salesOrderByNumber(number: "${number}") { id }`,
  );

  const data = await layer.read(
    `{ company { ${fields.join(' ')} none: salesOrderByNumber(number: "NO-SUCH") { id } } }`,
  );

  const { none, ...found } = data.company;
  expect(none).toBeNull();
  expect(Object.values(found)).toEqual(nodes.map(({ id }) => ({ id })));
  expect(await sandbox.calls()).toHaveLength(1);
});
