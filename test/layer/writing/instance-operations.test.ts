import { expect } from 'vitest';
import { startTestLayer, test, testToken } from '../../support/layer.ts';
import { actionInput, collect, place, progress, stop, stopInstance } from '../../support/operations.ts';
import { startStub } from '../../support/stub.ts';

test('an operation can be queried at any time, also through a process started later', async ({
  layer,
  sandbox,
}) => {
  const { operation } = await stopInstance(layer, 'app02');
  const query = 'query ($id: ID!) { instanceOperation(id: $id) { id state percentComplete } }';
  await collect(layer.watch(progress, { id: operation.id }));
  const later = await startTestLayer(sandbox.url);

  const now = await layer.query(query, { id: operation.id });
  const restarted = await later.query(query, { id: operation.id });
  const watched = await collect(later.watch(progress, { id: operation.id }));

  await later.stop();
  const ended = { id: operation.id, state: 'SUCCEEDED', percentComplete: 100 };
  expect(now.data.instanceOperation).toEqual(ended);
  expect(restarted.data.instanceOperation).toEqual(ended);
  expect(watched).toMatchObject([ended]);
});

test.for([
  ['quick', 'SUCCEEDED', 0],
  ['silent', 'UNKNOWN', 0],
] as const)(
  'the result of %s is %s at once and stays so without a poll',
  async ([name, state, calls], { layer, sandbox }) => {
    const { operation } = await stopInstance(layer, name);
    await sandbox.forgetCalls();

    const states = await collect(layer.watch(progress, { id: operation.id }));
    const { data } = await layer.query('query ($id: ID!) { instanceOperation(id: $id) { state } }', {
      id: operation.id,
    });

    expect(operation.state).toBe(state);
    expect(states.map((event) => event.state)).toEqual([state]);
    expect(data.instanceOperation.state).toBe(state);
    expect(await sandbox.calls()).toHaveLength(calls);
  },
);

test('a stop is sent once with its timeout, and never retried when its response is lost', async ({
  layer,
  sandbox,
}) => {
  await sandbox.fault({ method: 'POST', reset: 'after' });

  const { operation, userErrors } = await stopInstance(layer, 'app01', { softStopTimeoutSeconds: 300 });

  expect(operation).toBeNull();
  expect(userErrors).toMatchObject([{ code: 'OUTCOME_UNKNOWN' }]);
  const calls = await sandbox.calls();
  expect(calls).toHaveLength(1);
  expect(calls[0]?.path).toBe(
    `/subscriptions/${place.subscriptionId}/resourceGroups/rg-north/providers/Vendor.Workloads/virtualInstances/N01/applicationInstances/app01/stop?api-version=2023-04-01`,
  );
  expect(JSON.parse(calls[0]?.body ?? '')).toEqual({ softStopTimeoutSeconds: 300 });
});

test.for([
  ['an empty name', { virtualInstanceName: '' }, 'virtualInstanceName'],
  ['a name with a slash', { resourceGroupName: 'a/b' }, 'resourceGroupName'],
  ['a resource group of 91 characters', { resourceGroupName: 'g'.repeat(91) }, 'resourceGroupName'],
  ['a negative timeout', { softStopTimeoutSeconds: -1 }, 'softStopTimeoutSeconds'],
] as const)('%s is INVALID_INPUT and nothing is sent', async ([_what, wrong, field], { layer, sandbox }) => {
  const { userErrors } = await stopInstance(layer, 'app01', wrong);

  const path = field === 'softStopTimeoutSeconds' ? ['input', field] : ['input', 'instance', 'names', field];
  expect(userErrors).toMatchObject([{ code: 'INVALID_INPUT', path }]);
  expect(await sandbox.calls()).toEqual([]);
});

test.for(['not a handle', `${'A'.repeat(9000)}`])(
  'an id that is no handle is BAD_USER_INPUT',
  async (id, { layer, sandbox }) => {
    const { errors } = await layer.query('query ($id: ID!) { instanceOperation(id: $id) { state } }', { id });

    expect(errors).toMatchObject([{ extensions: { code: 'BAD_USER_INPUT' } }]);
    expect(await sandbox.calls()).toEqual([]);
  },
);

test('a deeply nested refusal is still reported as a refusal', async ({ layer, sandbox }) => {
  const info = `${'['.repeat(20_000)}${']'.repeat(20_000)}`;
  const body = `{"error":{"code":"Deep","message":"m","additionalInfo":[{"type":"t","info":${info}}]}}`;
  await sandbox.fault({ method: 'POST', status: 409, body });

  const { userErrors } = await stopInstance(layer, 'app01');

  expect(userErrors).toMatchObject([{ code: 'CONFLICT', upstream: { code: 'Deep' } }]);
});

test('a token in the error message of a failed operation does not reach the caller', async ({
  layer,
  sandbox,
}) => {
  const error = { code: 'Failed', message: `Bearer ${testToken} at ${sandbox.url}` };
  await sandbox.fault({ method: 'POST', status: 200, body: { status: 'Failed', error } });

  const { operation } = await stopInstance(layer, 'app01');
  const { data } = await layer.query(
    'query ($id: ID!) { instanceOperation(id: $id) { error { message } } }',
    {
      id: operation.id,
    },
  );

  expect(data.instanceOperation.error.message).toBe('Bearer [token] at http://[upstream]');
});

test('names and versions in the paths come from the settings', async ({ sandbox }) => {
  const layer = await startTestLayer(sandbox.url, {
    INSTANCES_TYPE: 'Acme.Systems/acmeInstances@2030-01-01',
    HEALTH_PROVIDER: 'Acme.Health@2031-01-01',
  });

  await layer.query(stop, { input: actionInput({ ...place, applicationInstanceName: 'app01' }) });
  await layer.query('{ healthEvent(trackingId: "SI_1-QRT") { title } }');
  await layer.stop();

  expect((await sandbox.calls()).map(({ path }) => path)).toEqual([
    `/subscriptions/${place.subscriptionId}/resourceGroups/rg-north/providers/Acme.Systems/acmeInstances/N01/applicationInstances/app01/stop?api-version=2030-01-01`,
    '/providers/Acme.Health/events/SI_1-QRT?api-version=2031-01-01',
  ]);
});

test('a stop whose own response has a long error has a handle that opens, without the steps', async ({
  layer,
  sandbox,
}) => {
  const details = Array.from({ length: 100 }, () => ({ code: 'Detail', message: 'd'.repeat(100) }));
  const additionalInfo = [{ type: 'T', info: 'i'.repeat(10_000) }];
  await sandbox.fault({
    method: 'POST',
    status: 200,
    body: {
      status: 'Failed',
      error: { code: 'Long', message: 'm'.repeat(20_000), details, additionalInfo },
      operations: Array.from({ length: 200 }, (_, index) => ({ name: `step ${index}`.repeat(10) })),
    },
  });

  const { operation } = await stopInstance(layer, 'app01');
  const { data, errors } = await layer.query(
    `query ($id: ID!) { instanceOperation(id: $id) {
      state operations { name } error { code message details { code } additionalInfo { type } }
    } }`,
    { id: operation.id },
  );

  expect(operation.operations).toHaveLength(200);
  expect(errors).toBeUndefined();
  expect(data.instanceOperation).toEqual({
    state: 'FAILED',
    operations: [],
    error: { code: 'Long', message: 'm'.repeat(1024), details: [], additionalInfo: [] },
  });
});

test('a stop whose token the upstream rejects is UNAUTHENTICATED', async ({ layer, sandbox }) => {
  await sandbox.fault({ method: 'POST', status: 401, body: {} });

  const { data, errors } = await layer.query(stop, {
    input: actionInput({ ...place, applicationInstanceName: 'app01' }),
  });

  expect(data).toEqual({ stopApplicationInstance: null });
  expect(errors).toMatchObject([{ extensions: { code: 'UNAUTHENTICATED', upstream: 'instances' } }]);
});

test('a stop is sent with the token for the management area', async ({ sandbox }) => {
  const layer = await startTestLayer(sandbox.url, { MANAGEMENT_TOKEN_HEADER: 'x-management' });
  const input = actionInput({ ...place, applicationInstanceName: 'app01' });

  await layer.query(stop, { input }, { 'x-management': 'Bearer token-of-the-area' });
  await layer.query(stop, { input });
  await layer.stop();

  const [own, shared] = (await sandbox.calls()).map(({ headers }) => headers.authorization);
  expect(own).toMatch(/^Bearer sha256:/);
  expect(own).not.toBe(shared);
});

test('a stop may take longer than a read', async ({ sandbox }) => {
  const layer = await startTestLayer(sandbox.url, { REQUEST_TIMEOUT_MS: '100', WRITE_TIMEOUT_MS: '5000' });
  await sandbox.fault({ method: 'POST', delayMs: 400 });

  const { userErrors } = await stopInstance(layer, 'app01');
  await layer.stop();

  expect(userErrors).toEqual([]);
});

const endTime = '2026-03-01T09:30:00Z';
const error = { code: 'StopFailed', message: 'It would not stop.' };
const resource = { name: 'app01', type: 'x/applicationInstances', properties: { status: 'Offline' } };

test.for([
  ['a word of its own and an end time', { body: { status: 'Stopped', endTime } }, 'SUCCEEDED'],
  ['an error beside it', { body: { status: 'Finished', endTime, error } }, 'FAILED'],
  ['a word of failure', { body: { status: 'TimedOut' } }, 'FAILED'],
  ['the resource', { body: resource }, 'SUCCEEDED'],
  ['a word of work under way and an end time', { body: { status: 'InProgress', endTime } }, 'RUNNING'],
] as const)(
  'an operation that the upstream shows with %s lets a new stop be sent',
  async ([, answer, state]) => {
    const at = `/subscriptions/${place.subscriptionId}/operationStatuses/1?api-version=2023-04-01`;
    const stub = await startStub(({ method }) =>
      method === 'POST' ? { status: 202, headers: { 'azure-asyncoperation': at } } : answer,
    );
    const layer = await startTestLayer(stub.url);
    const { operation } = await stopInstance(layer, 'app01');

    const again = await stopInstance(layer, 'app01');
    const { data } = await layer.query('query ($id: ID!) { instanceOperation(id: $id) { state } }', {
      id: operation.id,
    });

    expect(again.operation.id).not.toBe(operation.id);
    expect(stub.requests.filter(({ method }) => method === 'POST')).toHaveLength(2);
    expect(data.instanceOperation.state).toBe(state);
    await layer.stop();
    stub.stop();
  },
);

test.for([
  ['a 204', { status: 204 }],
  ['the resource', { status: 200, body: resource }],
] as const)('a stop that is answered with %s has ended', async ([, answer]) => {
  const stub = await startStub(() => answer);
  const layer = await startTestLayer(stub.url);

  const { operation } = await stopInstance(layer, 'app01');

  expect(operation.state).toBe('SUCCEEDED');
  await layer.stop();
  stub.stop();
});
