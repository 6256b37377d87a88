import { expect } from 'vitest';
import { startBeforeStub, startLayerForTest, test, testToken } from '../../support/layer.ts';
import { actionInput, collect, place, progress, stop, stopInstance } from '../../support/operations.ts';

test('an operation can be queried at any time, also through a process started later', async ({
  layer,
  sandbox,
}) => {
  const { operation } = await stopInstance(layer, 'app02');
  const query = 'query ($id: ID!) { instanceOperation(id: $id) { id state percentComplete } }';
  await collect(layer.watch(progress, { id: operation.id }));
  const later = await startLayerForTest(sandbox.url);

  const now = await layer.query(query, { id: operation.id });
  const restarted = await later.query(query, { id: operation.id });
  const watched = await collect(later.watch(progress, { id: operation.id }));

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

test('a stop is sent with the token for the management area', async ({ sandbox }) => {
  const layer = await startLayerForTest(sandbox.url, { MANAGEMENT_TOKEN_HEADER: 'x-management' });
  const input = actionInput({ ...place, applicationInstanceName: 'app01' });

  await layer.query(stop, { input }, { 'x-management': 'Bearer token-of-the-area' });
  await layer.query(stop, { input });

  const [own, shared] = (await sandbox.calls()).map(({ headers }) => headers.authorization);
  expect(own).toMatch(/^Bearer sha256:/);
  expect(own).not.toBe(shared);
});
const resource = { name: 'app01', type: 'x/applicationInstances', properties: { status: 'Offline' } };

test.for([
  ['a 204', { status: 204 }],
  ['the resource', { status: 200, body: resource }],
] as const)('a stop that is answered with %s has ended', async ([, answer]) => {
  const { layer } = await startBeforeStub(() => answer);

  const { operation } = await stopInstance(layer, 'app01');

  expect(operation.state).toBe('SUCCEEDED');
});
