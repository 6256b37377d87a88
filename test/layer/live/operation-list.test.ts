import { expect, onTestFinished, vi } from 'vitest';
import { startIssuerForTest } from '../../support/issuer.ts';
import type { Json } from '../../support/json.ts';
import { startLayerForTest, type TestLayer, testWith } from '../../support/layer.ts';
import { ofItsOwn, place, stopInstance } from '../../support/operations.ts';
import type { TestSandbox } from '../../support/sandbox.ts';

const test = testWith({ stepMs: 20 }, {});

const known =
  'id nodeId action requestedAt subscriptionId resourceGroupName virtualInstanceName applicationInstanceName';
const byHandle = `query ($filter: OperationFilter) { operations(filter: $filter) { __typename ${known} } }`;
const byState = `query ($filter: OperationFilter) {
  operations(filter: $filter) { id applicationInstanceName state percentComplete operations { name state } }
}`;

/** Each test is a caller of its own: the layer keeps what the others have started. */
let callers = 0;
function newCaller(layer: TestLayer) {
  callers += 1;
  const token = `caller-${callers}`;
  const query: TestLayer['query'] = (text, variables) =>
    layer.query(text, variables, { authorization: `Bearer ${token}` });
  const list = async (text = byHandle, filter?: object) => {
    const { data, errors } = await query(text, { filter });
    expect(errors).toBeUndefined();
    return data.operations;
  };
  return {
    query,
    list,
    names: async (filter?: object, text = byHandle): Promise<string[]> =>
      (await list(text, filter)).map(({ applicationInstanceName: name }: Record<string, string>) => name),
    stop: async (name: string, more?: object) =>
      (await stopInstance({ ...layer, query }, name, more)).operation,
  };
}

const reads = async (sandbox: TestSandbox) =>
  (await sandbox.calls()).filter(({ method }) => method === 'GET').length;

test('what a caller has started is listed to that caller alone, newest first, with what was requested and no call', async ({
  layer,
  sandbox,
}) => {
  const { stop, list } = newCaller(layer);
  const before = Date.now();
  const first = await stop('app01');
  const names = { ...place, resourceGroupName: 'RG-North', applicationInstanceName: 'app02' };
  const second = await stop('app02', names);
  await sandbox.forgetCalls();

  const [newer, older, ...more] = await list();

  const { nodeId, requestedAt } = newer;
  expect(newer).toEqual({
    __typename: 'InstanceOperation',
    id: second.id,
    nodeId,
    action: 'STOP',
    requestedAt,
    ...names,
  });
  expect(older).toMatchObject({ id: first.id, action: 'STOP', ...place, applicationInstanceName: 'app01' });
  expect(more).toEqual([]);
  expect(Date.parse(older.requestedAt)).toBeGreaterThanOrEqual(before);
  expect(Date.parse(requestedAt)).toBeLessThanOrEqual(Date.now());
  expect(await newCaller(layer).list()).toEqual([]);
  expect(await sandbox.calls()).toEqual([]);
});

test('states are read with one call for each operation that is not known to have finished', async ({
  layer,
  sandbox,
}) => {
  const { stop, list } = newCaller(layer);
  for (const name of ['endless', 'app01']) await stop(name);
  await expect
    .poll(() => list('{ operations { state } }'))
    .toEqual([{ state: 'RUNNING' }, { state: 'SUCCEEDED' }]);
  await sandbox.forgetCalls();

  const again = await list(byState);

  expect(again[0]).toMatchObject({ applicationInstanceName: 'endless' });
  // The steps of one that finished are known, too.
  expect(again[1]).toMatchObject({
    applicationInstanceName: 'app01',
    state: 'SUCCEEDED',
    percentComplete: 100,
    operations: expect.arrayContaining([{ name: expect.any(String), state: 'SUCCEEDED' }]),
  });
  expect(await reads(sandbox)).toBe(1);
});

test('five operations are read at a time, each once for all places of a query', async ({
  layer,
  sandbox,
}) => {
  const { stop, query } = newCaller(layer);
  for (let count = 0; count < 6; count += 1) await stop('endless', ofItsOwn());
  await sandbox.forgetCalls();
  await sandbox.fault({ path: '/operationStatuses/', delayMs: 400, times: 5 });

  const answer = query('{ a: operations { state } b: operations(filter: { state: RUNNING }) { state } }');
  await expect.poll(() => reads(sandbox)).toBe(5);
  const { data, errors } = await answer;

  expect(errors).toBeUndefined();
  expect(data.a).toHaveLength(6);
  expect(await reads(sandbox)).toBe(6);
});

test('filtered by what is known of it, an operation takes no call', async ({ layer, sandbox }) => {
  const { stop, names } = newCaller(layer);
  await stop('app01');
  await stop('app02');
  await sandbox.forgetCalls();
  const idOf = (...key: string[]) => Buffer.from(JSON.stringify(key)).toString('base64url');
  const instance = idOf('ApplicationInstance', place.subscriptionId, 'RG-NORTH', 'n01', 'App01');

  for (const [filter, expected] of [
    [{ applicationInstanceName: 'APP01' }, ['app01']],
    [{ ...place, resourceGroupName: 'RG-NORTH' }, ['app02', 'app01']],
    [{ subscriptionId: 'another' }, []],
    [{ since: '2026-01-01T00:00:00.123456789Z' }, ['app02', 'app01']],
    [{ since: '2999-01-01T00:00:00Z' }, []],
    [{ subscriptionId: null, since: null, state: null }, ['app02', 'app01']],
    [{ instance }, ['app01']],
    [{ instance, instanceKind: 'CENTRAL_INSTANCE' }, []],
    [{ instance: idOf('VirtualInstance', place.subscriptionId, 'rg-north', 'N01') }, []],
  ] as const)
    expect(await names(filter), JSON.stringify(filter)).toEqual(expected);
  expect(await sandbox.calls()).toEqual([]);
});

test('an operation that the upstream no longer has stays in the list as UNKNOWN', async ({
  layer,
  sandbox,
}) => {
  const { stop, list, names } = newCaller(layer);
  await stop('endless');
  await sandbox.fault({ path: '/operationStatuses/', status: 404, times: 3, body: {} });
  expect(await list('{ operations { state } }')).toEqual([{ state: 'RUNNING' }]);
  onTestFinished(() => void vi.useRealTimers());
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 361_000 });

  expect(await list('{ operations { state } }')).toEqual([{ state: 'UNKNOWN' }]);
  expect(await names({ state: 'RUNNING' }, byState)).toEqual([]);
  // It is not read again.
  await sandbox.forgetCalls();
  expect(await list('{ operations { state } }')).toEqual([{ state: 'UNKNOWN' }]);
  expect(await sandbox.calls()).toEqual([]);
});

type Headers = Readonly<Record<string, string>>;
const ownHeader = (token: string): Headers => ({ 'x-management': `Bearer ${token}` });
const granted = {
  MANAGEMENT_AUTH: 'client-credentials',
  MANAGEMENT_CLIENT_ID: 'tributary',
  MANAGEMENT_CLIENT_SECRET: 'sandbox-secret',
  MANAGEMENT_SCOPE: 'api://management/.default',
};

test.for([
  ['verified callers', {}, ['ann', {}], ['ben', {}]],
  [
    'areas B and C with a token of their own',
    { MANAGEMENT_TOKEN_HEADER: 'x-management' },
    ['a-gateway', ownHeader('user-one')],
    ['a-gateway', ownHeader('user-two')],
  ],
  ['a token of Tributary', granted, ['ann', {}], ['ben', {}]],
] as const)(
  'with %s, a caller has one list for all its tokens, and another caller does not see it',
  async ([_what, settings, one, other], { sandbox }) => {
    const issuer = await startIssuerForTest();
    const layer = await startLayerForTest(sandbox.url, {
      ...issuer.settings,
      ...settings,
      ...(settings === granted && { MANAGEMENT_TOKEN_URL: `${sandbox.url}/common/oauth2/token` }),
    });
    const as = ([subject, headers]: readonly [string, Headers], scopes?: string) => {
      const query: TestLayer['query'] = async (text, variables) => {
        const authorization = `Bearer ${await issuer.token(subject, scopes)}`;
        return layer.query(text, variables, { authorization, ...headers });
      };
      return { ...layer, query };
    };
    await stopInstance(as(one), 'endless');

    // The sandbox tells a state to the token only that has started the operation.
    const text = settings === granted ? byState : byHandle;
    const own = await as(one).query(text);
    const others = await as(other).query(text);

    expect(own.data.operations).toMatchObject([{ applicationInstanceName: 'endless' }]);
    expect(others.data.operations).toEqual([]);
    if ('MANAGEMENT_TOKEN_HEADER' in settings) return;
    const refused = await as(one, 'another_scope').query(byHandle);
    expect(refused.errors).toMatchObject([{ extensions: { code: 'FORBIDDEN' } }]);
  },
);

test('of a caller all 221 operations that run are listed first, and then the last 150 that have ended', async ({
  layer,
  sandbox,
}) => {
  const { query, list } = newCaller(layer);
  const fleet = { ...place, resourceGroupName: 'rg-fleet', virtualInstanceName: 'F01' };
  await sandbox.send('POST', '/sandbox/virtual-instances', { name: 'F01', applicationInstances: 221 });
  const all = Array.from({ length: 221 }, (_one, index) => `app${String(index + 1).padStart(3, '0')}`);
  const stopSome = async (names: readonly string[], softStopTimeoutSeconds: number): Promise<string[]> => {
    const instances = names.map((name) => ({ names: { ...fleet, applicationInstanceName: name } }));
    const text = `mutation ($input: StopApplicationInstancesInput!) {
      stopApplicationInstances(input: $input) { results { operation { id } } } }`;
    const { data } = await query(text, { input: { instances, softStopTimeoutSeconds } });
    return data.stopApplicationInstances.results.map(({ operation }: Json) => operation.id);
  };
  const stopMany = async (names: readonly string[], softStopTimeoutSeconds: number): Promise<string[]> => {
    const ids: string[] = [];
    for (let from = 0; from < names.length; from += 100)
      ids.push(...(await stopSome(names.slice(from, from + 100), softStopTimeoutSeconds)));
    return ids;
  };
  const status = { path: '/operationStatuses/', status: 200, body: { status: 'Running' } };
  await sandbox.fault({ ...status, times: 1_000 });
  const running = await stopMany(all, 1);
  // Each has ended before it could run.
  await sandbox.fault({ method: 'POST', status: 200, body: { status: 'Succeeded' }, times: 151 });
  const ended = await stopMany(all.slice(0, 151), 2);
  await sandbox.forgetCalls();

  const listed: { id: string; state: string }[] = await list('{ operations { id state } }');

  const ids = listed.map(({ id }) => id);
  expect(ids.slice(0, 221).toSorted()).toEqual(running.toSorted());
  expect(ids.slice(221)).toHaveLength(150);
  expect(ended).toEqual(expect.arrayContaining(ids.slice(221)));
  expect(new Set(listed.slice(0, 221).map(({ state }) => state))).toEqual(new Set(['RUNNING']));
  expect(await reads(sandbox)).toBe(221);
});
