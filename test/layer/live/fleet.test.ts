import { expect } from 'vitest';
import { startIssuerForTest } from '../../support/issuer.ts';
import type { Json } from '../../support/json.ts';
import { startLayerForTest, type TestLayer, testWith } from '../../support/layer.ts';
import { actionInput, place, stop } from '../../support/operations.ts';
import type { TestSandbox } from '../../support/sandbox.ts';

// More calls at a time than the service is sent actions.
const test = testWith({ stepMs: 20 }, { UPSTREAM_CALLS_PER_CALLER: '50' });

const fleet = { ...place, resourceGroupName: 'rg-fleet', virtualInstanceName: 'F01' };
const address = Object.entries(fleet)
  .map(([name, value]) => `${name}: ${JSON.stringify(value)}`)
  .join(', ');
const stopMany = `mutation ($input: StopApplicationInstancesInput!) {
  stopApplicationInstances(input: $input) { results { operation { id applicationInstanceName } userErrors { code } } } }`;

const createFleet = (sandbox: TestSandbox, applicationInstances: number) =>
  sandbox.send('POST', '/sandbox/virtual-instances', { name: 'F01', applicationInstances });
const nameOf = (index: number, count: number) =>
  `app${String(index + 1).padStart(String(count).length, '0')}`;
const stops = async (sandbox: TestSandbox) =>
  (await sandbox.calls()).filter(({ method }) => method === 'POST') as readonly (Json & { path: string })[];
const instanceIn = ({ path }: { readonly path: string }) =>
  /applicationInstances\/([^/]+)\/stop/.exec(path)?.[1];

/** Queries as a caller who has started nothing yet. */
let callers = 0;
function newCaller(layer: TestLayer) {
  callers += 1;
  const token = `a-caller-of-a-fleet-${callers}`;
  const query = async (text: string, variables: Record<string, unknown> = {}): Promise<Json> => {
    const { data, errors } = await layer.query(text, variables, { authorization: `Bearer ${token}` });
    expect(errors, text).toBeUndefined();
    return data;
  };
  const stop = async (instances: readonly object[]): Promise<Json[]> =>
    (await query(stopMany, { input: { instances } })).stopApplicationInstances.results;
  return { token, query, stop };
}

const pageOf = `query ($after: String) { virtualInstance(${address}) {
  applicationInstances(first: 40, after: $after) { nodes { applicationInstanceName } pageInfo { endCursor } }
} }`;

test('a fleet of 150 instances is paged to its end with six calls, and read anew for another caller', async ({
  layer,
  sandbox,
}) => {
  const all = Array.from({ length: 150 }, (_one, index) => nameOf(index, 150));
  await createFleet(sandbox, all.length);
  await sandbox.send('POST', '/sandbox/instances', { pageSize: 30 });
  const { query } = newCaller(layer);
  const names: string[] = [];
  let after: string | undefined;
  while (names.length < all.length) {
    const page: Json = (await query(pageOf, { after })).virtualInstance.applicationInstances;
    names.push(...page.nodes.map((one: Json) => one.applicationInstanceName));
    after = page.pageInfo.endCursor;
  }

  expect(names).toEqual(all);
  expect((await sandbox.calls()).length).toBeLessThanOrEqual(6);
  await sandbox.forgetCalls();
  await newCaller(layer).query(pageOf, { after });
  expect(await sandbox.calls()).toHaveLength(5);
  const denied = await layer.query(pageOf, { after }, { authorization: 'Bearer denied-a-fleet' });
  expect(denied.errors).toMatchObject([{ extensions: { code: 'FORBIDDEN' } }]);
  await sandbox.forgetCalls();
  await query(pageOf);
  expect(await sandbox.calls()).toHaveLength(5);
});

test.for(['watch', 'watchEvents'] as const)(
  'a hundred instances are stopped five at a time by two mutations, and one subscription tells all ends (%s)',
  async (how, { layer, sandbox }) => {
    const count = 100;
    const all = Array.from({ length: count }, (_one, index) => nameOf(index, count));
    await createFleet(sandbox, count);
    await sandbox.fault({ method: 'POST', delayMs: 20, times: count });
    const { token, stop } = newCaller(layer);

    const stopSome = (names: readonly string[]) =>
      stop(names.map((applicationInstanceName) => ({ names: { ...fleet, applicationInstanceName } })));
    const results = await Promise.all([stopSome(all.slice(0, 50)), stopSome(all.slice(50))]);

    const sent = await stops(sandbox);
    expect(sent.map(instanceIn).sort()).toEqual(all);
    expect(Math.max(...sent.map(({ underWay }) => underWay))).toBe(5);
    const ids = results.flat().map(({ operation }) => operation.id);
    const ends = new Map<string, string>();
    const text = 'subscription ($ids: [ID!]!) { operationsProgress(ids: $ids) { id state } }';
    for await (const { data, errors } of layer[how](text, { ids }, token)) {
      expect(errors).toBeUndefined();
      ends.set(data.operationsProgress.id, data.operationsProgress.state);
    }
    expect(ends).toEqual(new Map(ids.map((id) => [id, 'SUCCEEDED'])));
  },
);

test('an instance that is named twice, in other case or by nodeId, is stopped once', async ({
  layer,
  sandbox,
}) => {
  await createFleet(sandbox, 2);
  // The first stop has ended before the next one is sent.
  for (const name of ['app1', 'app2'])
    await sandbox.fault({ path: `/${name}/stop`, status: 200, body: { status: 'Succeeded' } });
  const { subscriptionId, resourceGroupName } = fleet;
  const key = ['ApplicationInstance', subscriptionId.toUpperCase(), resourceGroupName, 'f01', 'app2'];

  const results = await newCaller(layer).stop([
    { names: { ...fleet, applicationInstanceName: 'app1' } },
    { names: { ...fleet, applicationInstanceName: 'app2' } },
    { names: { ...fleet, virtualInstanceName: 'f01', applicationInstanceName: 'APP1' } },
    { nodeId: Buffer.from(JSON.stringify(key)).toString('base64url') },
  ]);

  expect(await stops(sandbox)).toHaveLength(2);
  const ids = results.map(({ operation }) => operation.id);
  expect(ids.slice(2)).toEqual(ids.slice(0, 2));
});

test('a verified caller with two tokens stops an instance once, and another caller is not joined', async ({
  sandbox,
}) => {
  const issuer = await startIssuerForTest();
  const layer = await startLayerForTest(sandbox.url, issuer.settings);
  await createFleet(sandbox, 3);
  await sandbox.fault({ method: 'POST', delayMs: 300, times: 3 });
  const stopAs = async (subject: string) => {
    const authorization = `Bearer ${await issuer.token(subject)}`;
    const input = { instances: [{ names: { ...fleet, applicationInstanceName: 'app01' } }] };
    const { data } = await layer.query(stopMany, { input }, { authorization });
    return data.stopApplicationInstances.results[0].operation.id;
  };

  const [first, second, other] = await Promise.all(['ann', 'ann', 'ben'].map(stopAs));

  expect(second).toBe(first);
  expect(other).not.toBe(first);
  expect(await stops(sandbox)).toHaveLength(2);
});

test('of equal stops at once that wait for one that fails, one is sent', async ({ layer, sandbox }) => {
  await sandbox.fault({
    path: '/stop',
    delayMs: 300,
    status: 429,
    headers: { 'retry-after': '0' },
    body: {},
  });
  const input = actionInput({ ...place, applicationInstanceName: 'app02' });
  const authorization = 'Bearer a-caller-of-equal-stops';

  const answers = await Promise.all([1, 2, 3].map(() => layer.query(stop, { input }, { authorization })));

  const ids = answers.flatMap(({ errors, data }) =>
    errors ? [] : data.stopApplicationInstance.operation.id,
  );
  expect([ids.length, new Set(ids).size]).toEqual([2, 1]);
  expect((await stops(sandbox)).map(({ status }) => status)).toEqual([429, 202]);
});

test('of the instances that one query names five are read at a time', async ({ layer, sandbox }) => {
  const count = 12;
  await createFleet(sandbox, count);
  await sandbox.fault({ method: 'GET', path: '/applicationInstances/', delayMs: 150, times: count });
  const { query } = newCaller(layer);
  const nodeIds = Array.from({ length: count }, (_one, index) => {
    const { subscriptionId, resourceGroupName } = fleet;
    const key = ['ApplicationInstance', subscriptionId, resourceGroupName, 'F01', nameOf(index, count)];
    return Buffer.from(JSON.stringify(key)).toString('base64url');
  });
  const text = 'query ($ids: [ID!]!) { nodes(nodeIds: $ids) { ... on ApplicationInstance { status } } }';

  const { nodes } = await query(text, { ids: nodeIds });

  const calls = (await sandbox.calls()) as readonly Json[];
  expect(nodes).toEqual(Array(count).fill({ status: 'Running' }));
  expect(Math.max(...calls.map(({ underWay }) => underWay))).toBe(5);
});
