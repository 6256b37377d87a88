import { describe, expect, onTestFinished, vi } from 'vitest';
import { startIssuer } from '../../support/issuer.ts';
import { startTestLayer, type TestLayer, testWith } from '../../support/layer.ts';
import { actionInput, ofItsOwn, place, stopInstance } from '../../support/operations.ts';
import type { TestSandbox } from '../../support/sandbox.ts';

const test = testWith({ stepMs: 20 }, {});

const known =
  'id nodeId action requestedAt subscriptionId resourceGroupName virtualInstanceName applicationInstanceName';
const byHandle = `query ($filter: OperationFilter) { operations(filter: $filter) { __typename ${known} } }`;
const byState = `query ($filter: OperationFilter) {
  operations(filter: $filter) { id applicationInstanceName state percentComplete operations { name state } }
}`;
const start = `mutation ($input: StartApplicationInstanceInput!) {
  startApplicationInstance(input: $input) { operation { ${known} state } userErrors { code } }
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
    token,
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

test('what a caller has started is listed, newest first, with what was requested and no call', async ({
  layer,
  sandbox,
}) => {
  const { query, stop, list } = newCaller(layer);
  const before = Date.now();
  const first = await stop('app01');
  const names = { ...place, resourceGroupName: 'RG-North', applicationInstanceName: 'app02' };
  const input = actionInput(names);
  const { data } = await query(start, { input });
  await sandbox.forgetCalls();

  const [newer, older, ...more] = await list();

  const { state, ...second } = data.startApplicationInstance.operation;
  expect(state).toBe('RUNNING');
  expect(newer).toEqual({ ...second, __typename: 'InstanceOperation', action: 'START', ...names });
  expect(older).toMatchObject({ id: first.id, action: 'STOP', ...place, applicationInstanceName: 'app01' });
  expect(more).toEqual([]);
  expect(Date.parse(older.requestedAt)).toBeGreaterThanOrEqual(before);
  expect(Date.parse(newer.requestedAt)).toBeLessThanOrEqual(Date.now());
  expect(await sandbox.calls()).toEqual([]);
});

test('a refused stop is not listed, and one whose outcome is unknown is', async ({ layer, sandbox }) => {
  const { stop, list } = newCaller(layer);
  await stop('busy');
  await sandbox.fault({ method: 'POST', reset: 'after' });
  await stop('app01');

  expect(await list()).toMatchObject([{ action: 'STOP', applicationInstanceName: 'app01' }]);
});

test('states are read with one call for each operation that is not known to have finished', async ({
  layer,
  sandbox,
}) => {
  const { stop, list } = newCaller(layer);
  for (const name of ['quick', 'endless', 'app01', 'app02']) await stop(name);
  const stateOf = async () =>
    Object.fromEntries(
      (await list(byState)).map((one: Record<string, unknown>) => [one.applicationInstanceName, one.state]),
    );
  await expect.poll(stateOf).toEqual({
    quick: 'SUCCEEDED',
    endless: 'RUNNING',
    app01: 'SUCCEEDED',
    app02: 'SUCCEEDED',
  });
  await sandbox.forgetCalls();

  const again = await list(byState);

  expect(again[0]).toMatchObject({ applicationInstanceName: 'endless' });
  // The steps of those that finished are known, too.
  expect(again[1]).toMatchObject({
    applicationInstanceName: 'app02',
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
  const names = ['endless', 'app01', 'app02', 'fragile', 'canceled', 'completed'];
  for (const name of names) await stop(name);
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

  for (const [filter, expected] of [
    [{ applicationInstanceName: 'APP01' }, ['app01']],
    [{ ...place, resourceGroupName: 'RG-NORTH' }, ['app02', 'app01']],
    [{ ...place, virtualInstanceName: 'N02' }, []],
    [{ subscriptionId: 'another' }, []],
    [{ since: '2026-01-01T00:00:00.123456789Z' }, ['app02', 'app01']],
    [{ since: '2999-01-01T00:00:00Z' }, []],
    [{ subscriptionId: null, since: null, state: null }, ['app02', 'app01']],
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

test('nobody sees what another has started: each token of unverified callers is a caller', async ({
  layer,
}) => {
  const one = newCaller(layer);
  const other = newCaller(layer);
  await one.stop('app01');

  expect(await one.names()).toEqual(['app01']);
  expect(await other.names()).toEqual([]);
});

/** A layer that verifies its callers; `as` sends what a caller asks, each time with a new token. */
async function startVerifying(sandbox: TestSandbox, settings: Readonly<Record<string, string>> = {}) {
  const issuer = await startIssuer();
  const layer = await startTestLayer(sandbox.url, { ...issuer.settings, ...settings });
  onTestFinished(async () => {
    await layer.stop();
    issuer.stop();
  });
  return (
    subject: string,
    { scopes, headers }: { scopes?: string; headers?: Record<string, string> } = {},
  ) => {
    const query: TestLayer['query'] = async (text, variables) => {
      const authorization = `Bearer ${await issuer.token(subject, scopes)}`;
      return layer.query(text, variables, { authorization, ...headers });
    };
    return { ...layer, query };
  };
}

test('verified callers have one list for all their tokens, and need the scope of the area', async ({
  sandbox,
}) => {
  const as = await startVerifying(sandbox);
  await stopInstance(as('ann'), 'app01');

  const own = await as('ann').query(byHandle);
  const other = await as('ben').query(byHandle);
  const refused = await as('ann', { scopes: 'another_scope' }).query(byHandle);

  expect(own.data.operations).toMatchObject([{ applicationInstanceName: 'app01' }]);
  expect(other.data.operations).toEqual([]);
  expect(refused.errors).toMatchObject([{ extensions: { code: 'FORBIDDEN' } }]);
});

test('where areas B and C have a token of their own, the list belongs to that token', async ({ sandbox }) => {
  const as = await startVerifying(sandbox, { MANAGEMENT_TOKEN_HEADER: 'x-management' });
  const one = as('a-gateway', { headers: { 'x-management': 'Bearer user-one' } });
  const other = as('a-gateway', { headers: { 'x-management': 'Bearer user-two' } });
  await stopInstance(one, 'app01');

  expect((await one.query(byHandle)).data.operations).toHaveLength(1);
  expect((await other.query(byHandle)).data.operations).toEqual([]);
});

test('with a token of Tributary, callers are kept apart by their verified identity', async ({ sandbox }) => {
  const as = await startVerifying(sandbox, {
    MANAGEMENT_AUTH: 'client-credentials',
    MANAGEMENT_TOKEN_URL: `${sandbox.url}/common/oauth2/token`,
    MANAGEMENT_CLIENT_ID: 'tributary',
    MANAGEMENT_CLIENT_SECRET: 'sandbox-secret',
    MANAGEMENT_SCOPE: 'api://management/.default',
  });
  await stopInstance(as('ann'), 'endless');

  expect((await as('ann').query(byState)).data.operations).toMatchObject([{ state: 'RUNNING' }]);
  expect((await as('ben').query(byState)).data.operations).toEqual([]);
});

test('of a caller all that runs is listed first, and then its last 150 operations', async ({
  layer,
  sandbox,
}) => {
  const { stop, list } = newCaller(layer);
  const stopMany = async (name: string, count: number): Promise<string[]> =>
    Promise.all(Array.from({ length: count }, () => stop(name, ofItsOwn()).then(({ id }) => id)));
  const running = await stopMany('endless', 12);
  // Each has ended before it could run.
  await sandbox.fault({ method: 'POST', status: 200, body: { status: 'Succeeded' }, times: 151 });
  const ended = await stopMany('quick', 151);
  await sandbox.forgetCalls();

  const listed: { id: string; state: string }[] = await list('{ operations { id state } }');

  const ids = listed.map(({ id }) => id);
  expect(ids.slice(0, 12).toSorted()).toEqual(running.toSorted());
  expect(ids.slice(12)).toHaveLength(150);
  expect(ended).toEqual(expect.arrayContaining(ids.slice(12)));
  expect(new Set(listed.slice(0, 12).map(({ state }) => state))).toEqual(new Set(['RUNNING']));
  expect(await reads(sandbox)).toBe(12);
});

describe('operations of one instance', () => {
  test('are found by its nodeId, whatever the case of its names, and no others', async ({
    layer,
    sandbox,
  }) => {
    const { query, stop } = newCaller(layer);
    const names = { ...place, resourceGroupName: 'RG-NORTH', applicationInstanceName: 'App01' };
    const first = await stop('app01');
    await stop('app02');
    await query(
      `mutation ($input: StopCentralInstanceInput!) { stopCentralInstance(input: $input) { operation { id } } }`,
      { input: { instance: { names: { ...place, centralInstanceName: 'cs0' } } } },
    );
    const idOf = (type: string, ...key: string[]) =>
      Buffer.from(JSON.stringify([type, place.subscriptionId, ...key])).toString('base64url');
    await sandbox.forgetCalls();
    const found = async (instance: string, more = '') => {
      const { data, errors } = await query(
        `query ($instance: ID) { operations(filter: { instance: $instance ${more} }) { id } }`,
        { instance },
      );
      expect(errors).toBeUndefined();
      return data.operations;
    };

    const app = idOf('ApplicationInstance', 'rg-north', 'N01', 'app01');
    expect(await found(app)).toEqual([{ id: first.id }]);
    expect(
      await found(idOf('ApplicationInstance', 'RG-NORTH', 'n01', names.applicationInstanceName)),
    ).toEqual([{ id: first.id }]);
    expect(await found(app, 'instanceKind: CENTRAL_INSTANCE')).toEqual([]);
    expect(await found(idOf('CentralInstance', 'rg-north', 'N01', 'cs0'))).toHaveLength(1);
    expect(await found(idOf('DatabaseInstance', 'rg-north', 'N01', 'cs0'))).toEqual([]);
    expect(await found(idOf('VirtualInstance', 'rg-north', 'N01'))).toEqual([]);
    expect(await sandbox.calls()).toEqual([]);
  });
});
