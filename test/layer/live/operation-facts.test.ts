import { describe, expect, onTestFinished, vi } from 'vitest';
import { derivedGuid } from '../../../sandbox/seeded.ts';
import { startIssuer } from '../../support/issuer.ts';
import type { Json } from '../../support/json.ts';
import { startTestLayer, type TestLayer, testWith } from '../../support/layer.ts';
import { actionInput, place, progress } from '../../support/operations.ts';
import type { TestSandbox } from '../../support/sandbox.ts';

const test = testWith({ stepMs: 20 }, {});

const stopMany = `mutation ($input: StopApplicationInstancesInput!) {
  stopApplicationInstances(input: $input) { results { operation { id } userErrors { code } } } }`;
const stopOne = `mutation ($input: StopApplicationInstanceInput!) {
  stopApplicationInstance(input: $input) { operation { id state durationSeconds } userErrors { code } } }`;
const fleet = { ...place, resourceGroupName: 'rg-fleet', virtualInstanceName: 'F01' };

let callers = 0;
/** A caller who has started nothing yet, whom the activity log knows as `who`. */
function newCaller(layer: TestLayer) {
  callers += 1;
  const token = `a-caller-of-facts-${callers}`;
  const query = async (text: string, variables: object = {}): Promise<Json> => {
    const { data, errors } = await layer.query(text, variables as Record<string, unknown>, {
      authorization: `Bearer ${token}`,
    });
    expect(errors, text).toBeUndefined();
    return data;
  };
  return {
    token,
    who: derivedGuid(`caller:${token}`),
    query,
    stop: async (applicationInstanceName: string, at: object = place) =>
      (await query(stopOne, { input: actionInput({ ...at, applicationInstanceName }) }))
        .stopApplicationInstance.operation,
    operations: async (fields: string, filter = '') =>
      (await query(`{ operations${filter} { ${fields} } }`)).operations,
    follow: async (id: string) => {
      for await (const { errors } of layer.watch(progress, { id }, token)) expect(errors).toBeUndefined();
    },
  };
}
type Caller = ReturnType<typeof newCaller>;

const logReads = async (sandbox: TestSandbox) =>
  (await sandbox.calls()).filter(({ path }) => path.includes('/eventtypes/'));
const allTimes =
  "eventTimestamp ge '2000-01-01T00:00:00Z' and eventTimestamp le '2999-01-01T00:00:00Z' and resourceProvider eq 'Vendor.Workloads'";
const logPath = '/providers/Microsoft.Insights/eventtypes/management/values';

async function stopFleet(sandbox: TestSandbox, { query }: Caller, count: number): Promise<string[]> {
  await sandbox.send('POST', '/sandbox/virtual-instances', { name: 'F01', applicationInstances: count });
  const instances = Array.from({ length: count }, (_one, index) => ({
    names: { ...fleet, applicationInstanceName: `app${String(index + 1).padStart(2, '0')}` },
  }));
  const { results } = (await query(stopMany, { input: { instances } })).stopApplicationInstances;
  return results.map(({ operation }: Json) => operation.id);
}

describe('startedBy', () => {
  test('of fifty operations is one list for their subscription and time range', async ({
    layer,
    sandbox,
  }) => {
    const caller = newCaller(layer);
    const ids = await stopFleet(sandbox, caller, 50);
    await sandbox.forgetCalls();

    const listed = await caller.operations('id startedBy');
    const [read, ...others] = await sandbox.calls();

    expect(listed).toHaveLength(50);
    for (const { startedBy } of listed) expect(startedBy).toBe(caller.who);
    expect(others).toEqual([]);
    expect(read?.path).toMatch(
      `/subscriptions/${place.subscriptionId}${logPath}?api-version=2015-04-01&$filter=`,
    );
    expect(decodeURIComponent(read?.path ?? '')).toMatch(
      /filter=eventTimestamp ge '[\d-]+T[\d:.]+Z' and eventTimestamp le '[\d-]+T[\d:.]+Z' and resourceProvider eq 'Vendor.Workloads'$/,
    );

    await sandbox.forgetCalls();
    await caller.operations('state startedBy');
    expect(await logReads(sandbox)).toHaveLength(1);

    await sandbox.forgetCalls();
    const aliases = ids
      .slice(0, 20)
      .map((id, index) => `o${index}: instanceOperation(id: "${id}") { startedBy }`);
    expect((await caller.query(`{ ${aliases.join(' ')} }`)).o7).toEqual({ startedBy: caller.who });
    expect(await logReads(sandbox)).toHaveLength(1);
  });

  test('is read once for all events of a GraphQL subscription', async ({ layer, sandbox }) => {
    const caller = newCaller(layer);
    const ids = await stopFleet(sandbox, caller, 20);
    await sandbox.forgetCalls();
    const told = new Map<string, string>();

    const events = layer.watch(
      'subscription ($ids: [ID!]!) { operationsProgress(ids: $ids) { id startedBy state } }',
      { ids },
      caller.token,
    );
    for await (const { data, errors } of events) {
      expect(errors).toBeUndefined();
      told.set(data.operationsProgress.id, data.operationsProgress.startedBy);
    }

    expect(told).toEqual(new Map(ids.map((id) => [id, caller.who])));
    expect(await logReads(sandbox)).toHaveLength(1);
  });

  test('is who sent this request, not who stopped the same instance a moment before', async ({
    layer,
    sandbox,
  }) => {
    const [one, other] = [newCaller(layer), newCaller(layer)];
    await one.stop('quick');
    await other.stop('quick');

    expect(await one.operations('startedBy')).toEqual([{ startedBy: one.who }]);
    expect(await other.operations('startedBy')).toEqual([{ startedBy: other.who }]);
    expect(await logReads(sandbox)).toHaveLength(2);
  });

  test('is by instance and time where the response had no id, and null where these name two', async ({
    layer,
    sandbox,
  }) => {
    const [one, other] = [newCaller(layer), newCaller(layer)];
    for (const caller of [one, other]) {
      await sandbox.fault({ method: 'POST', reset: 'after' });
      await caller.query(stopOne, { input: actionInput({ ...place, applicationInstanceName: 'QUICK' }) });
      if (caller === one) expect(await one.operations('startedBy')).toEqual([{ startedBy: one.who }]);
    }

    expect(await one.operations('startedBy')).toEqual([{ startedBy: null }]);
  });

  test('is null while the log is throttled, which holds back no other call', async ({ layer, sandbox }) => {
    const caller = newCaller(layer);
    await caller.stop('endless');
    await sandbox.fault({ path: logPath, status: 429, headers: { 'retry-after': '60' }, body: {}, times: 9 });

    expect(await caller.operations('state startedBy')).toEqual([{ state: 'RUNNING', startedBy: null }]);
    expect(await caller.operations('state')).toEqual([{ state: 'RUNNING' }]);
    expect((await caller.stop('app01')).state).toBe('RUNNING');
  });

  test('reads further pages of the log', async ({ layer, sandbox }) => {
    const caller = newCaller(layer);
    await stopFleet(sandbox, caller, 50);
    await sandbox.fault({
      path: logPath,
      status: 200,
      body: {
        value: [],
        nextLink: `https://decoy.example/subscriptions/${place.subscriptionId}${logPath}?$filter=${encodeURIComponent(allTimes)}&$skipToken=cm93OjA%3D`,
      },
    });

    const listed = await caller.operations('startedBy');

    expect(listed).toEqual(Array(50).fill({ startedBy: caller.who }));
    expect(await logReads(sandbox)).toHaveLength(2);
  });

  test.for([
    ['is refused', { status: 403, body: { error: { code: 'AuthorizationFailed', message: 'no' } } }],
    ['does not exist', { status: 404, body: { error: { code: 'InvalidResourceType', message: 'no' } } }],
    ['is throttled', { status: 429 }],
    ['fails', { status: 500, body: '<html>' }],
    ['is broken', { reset: 'before' }],
    ['is no list', { status: 200, body: { value: 7 } }],
    [
      'has events of other shapes',
      { status: 200, body: { value: [null, 7, {}, { caller: 7, operationName: 'x' }] } },
    ],
    ['has no events', { status: 200, body: { value: [] } }],
  ] as const)(
    'is null where the log %s, after one call and without an error',
    async ([, fault], { layer, sandbox }) => {
      const caller = newCaller(layer);
      await caller.stop('quick');
      await sandbox.forgetCalls();
      await sandbox.fault({ path: logPath, times: 5, ...fault });

      expect(await caller.operations('state startedBy')).toEqual([{ state: 'SUCCEEDED', startedBy: null }]);
      expect(await sandbox.calls()).toHaveLength(1);
    },
  );

  test('is null five seconds after a log that does not answer was asked', async ({ layer, sandbox }) => {
    const caller = newCaller(layer);
    await caller.stop('quick');
    await sandbox.fault({ path: logPath, delayMs: 20_000 });
    const startedAt = performance.now();

    expect(await caller.operations('state startedBy')).toEqual([{ state: 'SUCCEEDED', startedBy: null }]);
    expect(performance.now() - startedAt).toBeLessThan(15_000);
  });

  test('costs nothing where it is not selected, or ACTIVITY_LOG is off, as it is in serve', async ({
    layer,
    sandbox,
  }) => {
    const serving = await startTestLayer(sandbox.url, {}, 'serve');
    const off = await startTestLayer(sandbox.url, { ACTIVITY_LOG: 'off' });
    const on = await startTestLayer(sandbox.url, { ACTIVITY_LOG: 'on' }, 'serve');
    onTestFinished(async () => {
      for (const one of [serving, off, on]) await one.stop();
    });
    await newCaller(layer).stop('quick');
    for (const [one, count] of [
      [serving, 0],
      [off, 0],
      [on, 1],
    ] as const) {
      const caller = newCaller(one);
      await caller.stop('quick');
      await sandbox.forgetCalls();
      const [{ startedBy }] = await caller.operations('startedBy');
      expect(startedBy).toBe(count === 0 ? null : caller.who);
      expect(await sandbox.calls()).toHaveLength(count);
    }
  });

  test('is told for each token of a verified caller, who has one list for all', async ({ sandbox }) => {
    const issuer = await startIssuer();
    const layer = await startTestLayer(sandbox.url, issuer.settings);
    onTestFinished(async () => {
      await layer.stop();
      issuer.stop();
    });
    const who: string[] = [];
    const as = async (text: string, variables = {}) => {
      const token = await issuer.token('ann');
      who.unshift(derivedGuid(`caller:${token}`));
      return layer.query(text, variables, { authorization: `Bearer ${token}` });
    };
    for (const name of ['quick', 'app01'])
      await as(stopOne, { input: actionInput({ ...place, applicationInstanceName: name }) });
    const started = [...who];
    const { data, errors } = await as('{ operations { startedBy } }');

    expect(errors).toBeUndefined();
    expect(data.operations).toEqual(started.map((startedBy) => ({ startedBy })));
  });
});

describe('durationSeconds', () => {
  test('is from the start to the end, or to now while it runs, and null where the end is not known', async ({
    layer,
  }) => {
    const caller = newCaller(layer);
    expect((await caller.stop('endless')).durationSeconds).toBeLessThan(5);
    await caller.stop('silent');
    const { id } = await caller.stop('app01');
    await caller.follow(id);
    onTestFinished(() => void vi.useRealTimers());
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 100_000 });

    const [app01, silent, endless] = await caller.operations('startTime endTime durationSeconds');

    expect(app01.durationSeconds).toBe((Date.parse(app01.endTime) - Date.parse(app01.startTime)) / 1_000);
    expect(app01.durationSeconds).toBe(0.1);
    expect(silent.durationSeconds).toBeNull();
    expect(endless.durationSeconds).toBeGreaterThan(99);
    expect(endless.durationSeconds).toBeLessThan(110);
  });
});

describe('lastDurationSeconds', () => {
  const set = (sandbox: TestSandbox, stepMs: number) =>
    sandbox.send('POST', '/sandbox/instances', { stepMs });

  test('is that of the last success before, of the same action and instance, without a call', async ({
    layer,
    sandbox,
  }) => {
    const caller = newCaller(layer);
    await set(sandbox, 10);
    await caller.follow((await caller.stop('app01')).id);
    await set(sandbox, 30);
    await caller.follow((await caller.stop('APP01')).id);
    await caller.follow((await caller.stop('app02')).id);
    await caller.follow((await caller.stop('fragile')).id);
    await caller.follow((await caller.stop('fragile')).id);
    const { id } = await caller.stop('app01');
    await sandbox.forgetCalls();

    const listed = await caller.operations('applicationInstanceName lastDurationSeconds');

    expect(listed.map((one: Json) => [one.applicationInstanceName, one.lastDurationSeconds])).toEqual([
      ['app01', 0.15],
      ['fragile', null],
      ['fragile', null],
      ['app02', null],
      ['APP01', 0.05],
      ['app01', null],
    ]);
    expect(await sandbox.calls()).toEqual([]);
    const { instanceOperation } = await caller.query(
      'query ($id: ID!) { instanceOperation(id: $id) { lastDurationSeconds } }',
      { id },
    );
    expect(instanceOperation).toEqual({ lastDurationSeconds: 0.15 });
    expect(await newCaller(layer).operations('lastDurationSeconds')).toEqual([]);
  });

  test('reads at most one operation whose end is not known, and none where it is not selected', async ({
    layer,
    sandbox,
  }) => {
    const caller = newCaller(layer);
    const known = await caller.stop('app01');
    await caller.follow(known.id);
    for (let count = 0; count < 3; count += 1) {
      const input = {
        ...actionInput({ ...place, applicationInstanceName: 'app01' }),
        softStopTimeoutSeconds: count + 1,
      };
      await expect
        .poll(async () => (await caller.query(stopOne, { input })).stopApplicationInstance.operation?.id)
        .toEqual(expect.any(String));
    }
    await sandbox.forgetCalls();
    const [{ id, requestedAt }] = await caller.operations('id requestedAt');
    expect(await sandbox.calls()).toEqual([]);
    await sandbox.fault({ path: '/operationStatuses/', status: 503, times: 9 });

    const newest = await caller.operations('id lastDurationSeconds', `(filter: { since: "${requestedAt}" })`);

    expect(newest).toEqual([{ id, lastDurationSeconds: 0.1 }]);
    expect(await sandbox.calls()).toHaveLength(1);
  });
});

describe('operations of one instance', () => {
  test('are found by its nodeId, whatever the case of its names, and no others', async ({
    layer,
    sandbox,
  }) => {
    const caller = newCaller(layer);
    const { query } = caller;
    const names = { ...place, resourceGroupName: 'RG-NORTH', applicationInstanceName: 'App01' };
    const first = await caller.stop('app01');
    await caller.stop('app02');
    await query(
      `mutation ($input: StopCentralInstanceInput!) { stopCentralInstance(input: $input) { operation { id } } }`,
      { input: { instance: { names: { ...place, centralInstanceName: 'cs0' } } } },
    );
    const idOf = (type: string, ...key: string[]) =>
      Buffer.from(JSON.stringify([type, place.subscriptionId, ...key])).toString('base64url');
    await sandbox.forgetCalls();
    const found = async (instance: string, more = '') =>
      (
        await query(`query ($instance: ID) { operations(filter: { instance: $instance ${more} }) { id } }`, {
          instance,
        })
      ).operations;

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

  test.for([
    'nothing',
    Buffer.from('["ApplicationInstance","s","g","v"]').toString('base64url'),
    Buffer.from('["Customer","s","g"]').toString('base64url'),
    Buffer.from('["ApplicationInstance","s","g","..","a"]').toString('base64url'),
  ])('are not searched by %s', async (instance, { layer, sandbox }) => {
    const { errors } = await layer.query(
      'query ($instance: ID) { operations(filter: { instance: $instance }) { id } }',
      { instance },
    );

    expect(errors).toMatchObject([
      { message: expect.stringContaining('`filter.instance`'), extensions: { code: 'BAD_USER_INPUT' } },
    ]);
    expect(await sandbox.calls()).toEqual([]);
  });
});
