import { expect } from 'vitest';
import { type Event, startTestLayer, type TestLayer, test } from '../support/layer.ts';

const stop = `mutation ($input: StopApplicationInstanceInput!) {
  stopApplicationInstance(input: $input) {
    operation { id operationId name state status startTime endTime percentComplete error { code } operations { name } }
    userErrors { code message path upstream { code message target details { code message } } }
  }
}`;

const progress = `subscription ($id: ID!) {
  operationProgress(id: $id) {
    id state status percentComplete startTime endTime operations { name state }
    error { code message target details { code message } additionalInfo { type info } }
  }
}`;

const place = {
  subscriptionId: '11111111-2222-4333-8444-555555555555',
  resourceGroupName: 'rg-north',
  virtualInstanceName: 'N01',
};

async function stopInstance(layer: TestLayer, applicationInstanceName: string, more: object = {}) {
  const { data, errors } = await layer.query(stop, { input: { ...place, applicationInstanceName, ...more } });
  expect(errors).toBeUndefined();
  return data.stopApplicationInstance;
}

async function collect(events: AsyncIterable<Event>) {
  // biome-ignore lint/suspicious/noExplicitAny: see Answer
  const states: any[] = [];
  for await (const { data, errors } of events) {
    expect(errors).toBeUndefined();
    states.push(data?.operationProgress);
  }
  return states;
}

test.for(['watch', 'watchEvents'] as const)(
  'a stop is followed live to its end (%s)',
  async (watch, { layer }) => {
    const { operation, userErrors } = await stopInstance(layer, 'app01');
    expect(userErrors).toEqual([]);
    expect(operation.state).toBe('RUNNING');

    const states = await collect(layer[watch](progress, { id: operation.id }));

    const percents = states.map(({ percentComplete }) => percentComplete);
    expect(percents.length).toBeGreaterThan(2);
    expect(percents).toEqual([...percents].sort((a, b) => a - b));
    expect(new Set(percents).size).toBe(percents.length);
    expect(states.slice(0, -1).every(({ state }) => state === 'RUNNING')).toBe(true);
    expect(states.at(-1)).toMatchObject({
      id: operation.id,
      state: 'SUCCEEDED',
      percentComplete: 100,
      error: null,
    });
    expect(states.at(-1).endTime).toMatch(/^\d{4}-.*Z$/);
    expect(states.at(-1).operations.length).toBeGreaterThan(0);
  },
);

test('a stop that fails tells why, at the end of its progress', async ({ layer }) => {
  const { operation } = await stopInstance(layer, 'fragile');

  const states = await collect(layer.watch(progress, { id: operation.id }));

  const last = states.at(-1);
  expect(last.state).toBe('FAILED');
  expect(last.percentComplete).toBeLessThan(100);
  expect(last.error).toMatchObject({
    code: expect.stringMatching(/\w/),
    message: expect.stringMatching(/\w/),
  });
  expect(last.error.details.length).toBeGreaterThan(0);
  expect(last.error.additionalInfo[0].info).toBeTypeOf('object');
});

test('an operation can be asked for at any time, also through a layer started later', async ({
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

test('many watchers of one operation share one poller', async ({ layer, sandbox }) => {
  const { operation } = await stopInstance(layer, 'app01');
  await sandbox.forgetCalls();

  const all = await Promise.all(
    Array.from({ length: 20 }, () => collect(layer.watch(progress, { id: operation.id }))),
  );

  for (const states of all) expect(states.at(-1).state).toBe('SUCCEEDED');
  const alone = (await sandbox.calls()).length;
  expect(alone).toBeLessThan(20);
});

test.for(['watch', 'watchEvents'] as const)(
  'the last watcher leaving stops the polling, though nothing changes (%s)',
  async (watch, { layer, sandbox }) => {
    const left = await stopInstance(layer, 'app01');
    const other = await stopInstance(layer, 'app02');
    await sandbox.fault({ path: '/operationStatuses/', times: 3, status: 503, body: {} });
    const watching = layer[watch](progress, { id: left.operation.id })[Symbol.asyncIterator]();
    const next = watching.next();
    const polls = async () => (await sandbox.calls()).filter(({ method }) => method === 'GET');
    while ((await polls()).length < 2);
    const path = (await polls())[0]?.path;

    await watching.return?.();
    await next;
    await collect(layer.watch(progress, { id: other.operation.id }));
    await sandbox.forgetCalls();
    const again = await stopInstance(layer, 'app02');
    await collect(layer.watch(progress, { id: again.operation.id }));

    expect((await polls()).length).toBeGreaterThan(2);
    expect((await polls()).filter((call) => call.path === path)).toEqual([]);
  },
);

test('only the caller who started an operation can follow it', async ({ layer }) => {
  const { operation } = await stopInstance(layer, 'app01');

  const events = [];
  for await (const event of layer.watch(progress, { id: operation.id }, 'somebody-else')) events.push(event);

  expect(events).toMatchObject([
    {
      data: { operationProgress: null },
      errors: [{ extensions: { code: 'FORBIDDEN', upstream: 'instances' } }],
    },
  ]);
});

test('a token that expires while watching ends the stream with UNAUTHENTICATED', async ({
  layer,
  sandbox,
}) => {
  const { operation } = await stopInstance(layer, 'app01');
  await sandbox.fault({
    path: '/operationStatuses/',
    status: 401,
    body: { error: { code: 'ExpiredAuthenticationToken' } },
  });

  const events = [];
  for await (const event of layer.watch(progress, { id: operation.id })) events.push(event);

  expect(events.at(-1)?.errors).toMatchObject([{ extensions: { code: 'UNAUTHENTICATED' } }]);
});

test('failures that pass do not end the progress', async ({ layer, sandbox }) => {
  const { operation } = await stopInstance(layer, 'app01');
  for (const status of [404, 429, 500, 503])
    await sandbox.fault({ path: '/operationStatuses/', status, body: {} });

  const states = await collect(layer.watch(progress, { id: operation.id }));

  expect(states.at(-1)).toMatchObject({ state: 'SUCCEEDED', percentComplete: 100 });
});

test.for([
  ['quick', 'SUCCEEDED', 0],
  ['silent', 'UNKNOWN', 0],
] as const)(
  'the answer of %s is %s at once and stays so without asking',
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

test('a 200 that carries a status address is still running, and is followed', async ({ layer }) => {
  const { operation } = await stopInstance(layer, 'tracked');

  const states = await collect(layer.watch(progress, { id: operation.id }));

  expect(operation.state).toBe('RUNNING');
  expect(states.at(-1).state).toBe('SUCCEEDED');
});

test('a refused stop is a user error in the words of the upstream', async ({ layer }) => {
  const { operation, userErrors } = await stopInstance(layer, 'busy');

  expect(operation).toBeNull();
  expect(userErrors).toMatchObject([
    {
      code: 'CONFLICT',
      upstream: { code: 'AnotherOperationInProgress', details: [{ code: expect.any(String) }] },
    },
  ]);
});

test('an instance that is not there is NOT_FOUND', async ({ layer }) => {
  const { userErrors } = await stopInstance(layer, 'nobody');

  expect(userErrors).toMatchObject([{ code: 'NOT_FOUND', upstream: { code: 'ResourceNotFound' } }]);
});

test('a stop is sent once with its timeout, and never again when its answer is lost', async ({
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

test('a stop without a timeout is a hard stop', async ({ layer, sandbox }) => {
  await stopInstance(layer, 'quick');

  expect(JSON.parse((await sandbox.calls())[0]?.body ?? '')).toEqual({ softStopTimeoutSeconds: 0 });
});

test.for([
  ['an empty name', { virtualInstanceName: '' }, 'virtualInstanceName'],
  ['a name that climbs', { virtualInstanceName: '..' }, 'virtualInstanceName'],
  ['a name with a slash', { resourceGroupName: 'a/b' }, 'resourceGroupName'],
  ['a resource group of 91 characters', { resourceGroupName: 'g'.repeat(91) }, 'resourceGroupName'],
  ['a negative timeout', { softStopTimeoutSeconds: -1 }, 'softStopTimeoutSeconds'],
] as const)('%s is INVALID_INPUT and nothing is sent', async ([_what, wrong, field], { layer, sandbox }) => {
  const { userErrors } = await stopInstance(layer, 'app01', wrong);

  expect(userErrors).toMatchObject([{ code: 'INVALID_INPUT', path: ['input', field] }]);
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

test('a final answer of any length fits its handle, in brief', async ({ layer, sandbox }) => {
  const long = '"\u0001'.repeat(5000);
  const error = { code: long, message: long, target: long, details: [{ code: long }] };
  await sandbox.fault({
    method: 'POST',
    status: 200,
    body: { id: long, name: long, status: 'Failed', error },
  });
  const { operation } = await stopInstance(layer, 'app01');

  const { data, errors } = await layer.query(
    'query ($id: ID!) { instanceOperation(id: $id) { state name error { code message } } }',
    { id: operation.id },
  );

  expect(errors).toBeUndefined();
  expect(data.instanceOperation.state).toBe('FAILED');
  expect(data.instanceOperation.name).toBe(long.slice(0, 1024));
});

test('a refusal of absurd depth is still a refusal', async ({ layer, sandbox }) => {
  const info = `${'['.repeat(20_000)}${']'.repeat(20_000)}`;
  const body = `{"error":{"code":"Deep","message":"m","additionalInfo":[{"type":"t","info":${info}}]}}`;
  await sandbox.fault({ method: 'POST', status: 409, body });

  const { userErrors } = await stopInstance(layer, 'app01');

  expect(userErrors).toMatchObject([{ code: 'CONFLICT', upstream: { code: 'Deep' } }]);
});

test('a token in the words of a failed operation does not reach the caller', async ({ layer, sandbox }) => {
  const error = { code: 'Failed', message: `Bearer tester at ${sandbox.url}` };
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

test('names and versions of the paths are those of the settings', async ({ sandbox }) => {
  const layer = await startTestLayer(sandbox.url, {
    INSTANCES_NAMESPACE: 'Acme.Systems',
    INSTANCES_SEGMENT: 'acmeInstances',
    INSTANCES_API_VERSION: '2030-01-01',
    HEALTH_NAMESPACE: 'Acme.Health',
    HEALTH_API_VERSION: '2031-01-01',
  });

  await layer.query(stop, { input: { ...place, applicationInstanceName: 'app01' } });
  await layer.query('{ healthEvent(trackingId: "SI_1-QRT") { title } }');
  await layer.stop();

  expect((await sandbox.calls()).map(({ path }) => path)).toEqual([
    `/subscriptions/${place.subscriptionId}/resourceGroups/rg-north/providers/Acme.Systems/acmeInstances/N01/applicationInstances/app01/stop?api-version=2030-01-01`,
    '/providers/Acme.Health/events/SI_1-QRT/fetchEventDetails?api-version=2031-01-01',
  ]);
});

test('a stop whose own answer says a lot of its failure has a handle that opens, without the steps', async ({
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

test('a status address that answers 202, then 204, both without a body, is followed to SUCCEEDED', async ({
  layer,
  sandbox,
}) => {
  await sandbox.fault({ method: 'POST', status: 202, headers: { location: '/results/1' }, body: '' });
  await sandbox.fault({ path: '/results/1', status: 202, times: 2, body: '' });
  await sandbox.fault({ path: '/results/1', status: 204, body: '' });

  const { operation } = await stopInstance(layer, 'app01');
  const states = await collect(layer.watch(progress, { id: operation.id }));

  expect(states.map(({ state }) => state)).toEqual(['RUNNING', 'SUCCEEDED']);
});

test('an upstream that asks to wait no time is not asked without a pause', async ({ sandbox }) => {
  const layer = await startTestLayer(sandbox.url, { OPERATION_POLL_MS: '400' });
  const { operation } = await stopInstance(layer, 'app01');
  await sandbox.fault({
    path: '/operationStatuses/',
    times: 1000,
    status: 200,
    headers: { 'retry-after': '0' },
    body: { status: 'Running' },
  });
  await sandbox.forgetCalls();
  const watching = layer.watch(progress, { id: operation.id })[Symbol.asyncIterator]();

  await watching.next();
  await new Promise((resolve) => setTimeout(resolve, 200));
  const calls = await sandbox.calls();
  await watching.return?.();
  await layer.stop();

  expect(calls).toHaveLength(1);
});

test('the percentage never goes back', async ({ layer, sandbox }) => {
  const { operation } = await stopInstance(layer, 'app01');
  for (const percentComplete of [50, 20])
    await sandbox.fault({
      path: '/operationStatuses/',
      status: 200,
      body: { status: `Running ${percentComplete}`, percentComplete },
    });

  const states = await collect(layer.watch(progress, { id: operation.id }));

  expect(states.slice(0, 2)).toMatchObject([
    { status: 'Running 50', percentComplete: 50 },
    { status: 'Running 20', percentComplete: 50 },
  ]);
});

test('a stop that the upstream does not accept the token for is UNAUTHENTICATED', async ({
  layer,
  sandbox,
}) => {
  await sandbox.fault({ method: 'POST', status: 401, body: {} });

  const { data, errors } = await layer.query(stop, { input: { ...place, applicationInstanceName: 'app01' } });

  expect(data).toEqual({ stopApplicationInstance: null });
  expect(errors).toMatchObject([{ extensions: { code: 'UNAUTHENTICATED', upstream: 'instances' } }]);
});

test('without a management address a stop is UPSTREAM_NOT_CONFIGURED', async ({ sandbox }) => {
  const layer = await startTestLayer(sandbox.url, { MANAGEMENT_URL: '' });

  const { errors } = await layer.query(stop, { input: { ...place, applicationInstanceName: 'app01' } });
  await layer.stop();

  expect(errors).toMatchObject([{ extensions: { code: 'UPSTREAM_NOT_CONFIGURED', upstream: 'instances' } }]);
});

test('a stop goes with the token for the management area', async ({ sandbox }) => {
  const layer = await startTestLayer(sandbox.url, { MANAGEMENT_TOKEN_HEADER: 'x-management' });
  const input = { ...place, applicationInstanceName: 'app01' };

  await layer.query(stop, { input }, { 'x-management': 'Bearer management' });
  await layer.query(stop, { input });
  await layer.stop();

  const [own, shared] = (await sandbox.calls()).map(({ headers }) => headers.authorization);
  expect(own).toMatch(/^Bearer sha256:/);
  expect(own).not.toBe(shared);
});

test('another caller cannot join those who follow an operation', async ({ layer, sandbox }) => {
  const { operation } = await stopInstance(layer, 'app01');
  const watching = layer.watch(progress, { id: operation.id })[Symbol.asyncIterator]();
  await watching.next();

  const events = [];
  for await (const event of layer.watch(progress, { id: operation.id }, 'somebody-else')) events.push(event);
  await watching.return?.();

  expect(events).toMatchObject([{ errors: [{ extensions: { code: 'FORBIDDEN' } }] }]);
  expect(await sandbox.calls()).not.toEqual([]);
});

test.for([408, 504, 302])(
  'a look answered %s does not end the progress',
  async (status, { layer, sandbox }) => {
    const { operation } = await stopInstance(layer, 'app01');
    await sandbox.fault({ path: '/operationStatuses/', status, body: {} });

    const states = await collect(layer.watch(progress, { id: operation.id }));

    expect(states.at(-1).state).toBe('SUCCEEDED');
  },
);

test('a watcher by events who leaves stops the polling though nothing ever changes', async ({
  layer,
  sandbox,
}) => {
  const { operation } = await stopInstance(layer, 'app01');
  await sandbox.fault({
    path: '/operationStatuses/',
    times: 10_000,
    status: 200,
    headers: { 'retry-after-ms': '20' },
    body: { status: 'Running' },
  });
  const watching = layer.watchEvents(progress, { id: operation.id })[Symbol.asyncIterator]();
  await watching.next();

  await watching.return?.();
  await new Promise((resolve) => setTimeout(resolve, 300));
  const before = (await sandbox.calls()).length;
  await new Promise((resolve) => setTimeout(resolve, 1500));

  expect(await sandbox.calls()).toHaveLength(before);
});

test('a stop may take longer than a read', async ({ sandbox }) => {
  const layer = await startTestLayer(sandbox.url, { REQUEST_TIMEOUT_MS: '100', WRITE_TIMEOUT_MS: '5000' });
  await sandbox.fault({ method: 'POST', delayMs: 400 });

  const { userErrors } = await stopInstance(layer, 'app01');
  await layer.stop();

  expect(userErrors).toEqual([]);
});

test('a look that is throttled is followed by the next one when the upstream says', async ({
  layer,
  sandbox,
}) => {
  const { operation } = await stopInstance(layer, 'app01');
  await sandbox.fault({
    path: '/operationStatuses/',
    status: 429,
    headers: { 'retry-after': '1' },
    body: {},
  });
  await sandbox.forgetCalls();
  const watching = layer.watch(progress, { id: operation.id })[Symbol.asyncIterator]();
  const next = watching.next();
  while ((await sandbox.calls()).length === 0);

  await new Promise((resolve) => setTimeout(resolve, 600));
  const calls = await sandbox.calls();
  await next;
  await watching.return?.();

  expect(calls).toHaveLength(1);
});

test('where a look names another status address, that one is asked next', async ({ layer, sandbox }) => {
  await sandbox.fault({ method: 'POST', status: 202, headers: { location: '/results/1' }, body: '' });
  await sandbox.fault({ path: '/results/1', status: 202, headers: { location: '/results/2' }, body: '' });
  await sandbox.fault({ path: '/results/2', status: 204, body: '' });

  const { operation } = await stopInstance(layer, 'app01');
  const states = await collect(layer.watch(progress, { id: operation.id }));

  expect(states.map(({ state }) => state)).toEqual(['RUNNING', 'SUCCEEDED']);
  expect((await sandbox.calls()).slice(1).map(({ path }) => path)).toEqual(['/results/1', '/results/2']);
});
