import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, vi } from 'vitest';
import { startTestLayer, testToken, testWith } from '../../support/layer.ts';
import {
  actionInput,
  collect,
  ofItsOwn,
  place,
  progress,
  stop,
  stopInstance,
} from '../../support/operations.ts';

const test = testWith({ stepMs: 60 }, {});
const query = 'query ($id: ID!) { instanceOperation(id: $id) { id state status percentComplete } }';

/** The first event, after which the watcher leaves. */
async function first(events: AsyncIterable<{ data?: { operationProgress: { percentComplete: number } } }>) {
  for await (const { data } of events) return data?.operationProgress;
  return undefined;
}

test.for([
  ['watch', 'watch'],
  ['watch', 'watchEvents'],
  ['watchEvents', 'watch'],
] as const)(
  'a client that loses its connection resumes with the same handle (%s, then %s)',
  async (row, { layer, sandbox }) => {
    const [before, after] = row;
    const { operation } = await stopInstance(layer, 'app01');
    const seen = await first(layer[before](progress, { id: operation.id }));
    await sandbox.forgetCalls();

    const rest = await collect(layer[after](progress, { id: operation.id }));

    expect(rest[0].percentComplete).toBeGreaterThanOrEqual(seen?.percentComplete ?? 101);
    expect(rest.at(-1)).toMatchObject({ id: operation.id, state: 'SUCCEEDED', percentComplete: 100 });
    expect((await sandbox.calls()).every(({ method }) => method === 'GET')).toBe(true);
  },
);

test('a subscriber whose token expired resumes with a renewed one and the same handle', async ({ layer }) => {
  const input = actionInput({ ...place, applicationInstanceName: 'expiring' });
  const { data } = await layer.query(stop, { input }, { authorization: 'Bearer clerk' });
  const { id } = data.stopApplicationInstance.operation;

  const events = [];
  for await (const event of layer.watch(progress, { id }, 'clerk')) events.push(event);
  const renewed = await collect(layer.watch(progress, { id }, 'clerk~2'));
  const stranger = [];
  for await (const event of layer.watch(progress, { id }, 'clark~2')) stranger.push(event);

  expect(events.at(-1)).toMatchObject({
    data: { operationProgress: null },
    errors: [{ extensions: { code: 'UNAUTHENTICATED', upstream: 'instances' } }],
  });
  expect(renewed.at(-1)).toMatchObject({ id, state: 'SUCCEEDED', percentComplete: 100 });
  expect(stranger).toMatchObject([{ errors: [{ extensions: { code: 'FORBIDDEN' } }] }]);
});

test('each token of one caller has its own poll, and each subscriber gets all states to the end', async ({
  layer,
}) => {
  const { operation } = await stopInstance(layer, 'app01');

  const [old, renewed] = await Promise.all([
    collect(layer.watch(progress, { id: operation.id }, testToken)),
    collect(layer.watch(progress, { id: operation.id }, `${testToken}~2`)),
  ]);

  expect(old.at(-1).state).toBe('SUCCEEDED');
  expect(renewed.at(-1).state).toBe('SUCCEEDED');
});

test('a status URL of 4,000 characters is sent byte for byte, after a restart and after secrets rotate', async ({
  sandbox,
}) => {
  const secrets = ['an old secret....', 'an old secret....', 'a new secret....,an old secret....'];
  const started = await startTestLayer(sandbox.url, { OPERATION_SECRETS: secrets[0] as string });
  const { operation } = await stopInstance(started, 'long-address');
  await started.query(query, { id: operation.id });
  await started.stop();

  const states = [];
  for (const OPERATION_SECRETS of secrets) {
    const layer = await startTestLayer(sandbox.url, { OPERATION_SECRETS });
    states.push((await layer.query(query, { id: operation.id })).data.instanceOperation);
    states.push((await collect(layer.watch(progress, { id: operation.id }))).at(-1));
    await layer.stop();
  }

  // The sandbox answers 403 to any byte that is not as it was.
  for (const { id } of states) expect(id).toBe(operation.id);
  expect(states.at(-1)).toMatchObject({ state: 'SUCCEEDED', percentComplete: 100 });
  const [, ...looks] = await sandbox.calls();
  const [path = ''] = new Set(looks.map((look) => look.path));
  expect(looks.every((look) => look.path === path && look.status === 200)).toBe(true);
  expect(path).toHaveLength(4_000);
  expect(path).toMatch(
    /\/operationStatuses\/[\w-]+\*[0-9A-F]{64}\?api-version=.*&c=MII%2fa~\w+%2B!\*%3d%3D&h=kR7\*'/,
  );
});

test('once its secret is removed a handle is BAD_USER_INPUT, and nothing is sent', async ({
  layer,
  sandbox,
}) => {
  const { operation } = await stopInstance(layer, 'app01');
  const other = await startTestLayer(sandbox.url, { OPERATION_SECRETS: 'a secret of others' });
  await sandbox.forgetCalls();

  const { errors } = await other.query(query, { id: operation.id });
  const events = [];
  for await (const event of other.watch(progress, { id: operation.id })) events.push(event);
  await other.stop();

  expect(errors).toMatchObject([{ extensions: { code: 'BAD_USER_INPUT' } }]);
  expect(events).toMatchObject([{ errors: [{ extensions: { code: 'BAD_USER_INPUT' } }] }]);
  expect(await sandbox.calls()).toEqual([]);
});

test('a 404 right after the start is RUNNING, and once a state is known it is no new state', async ({
  layer,
  sandbox,
}) => {
  const absent = { path: '/operationStatuses/', status: 404, body: { error: { message: 'Not found.' } } };
  const seen = { path: '/operationStatuses/', status: 200, body: { status: 'Working', percentComplete: 7 } };
  const { operation } = await stopInstance(layer, 'app01');
  await sandbox.fault({ ...absent, times: 3 });
  await sandbox.fault(seen);
  await sandbox.fault({ ...absent, times: 2 });

  const { data } = await layer.query(query, { id: operation.id });
  const states = await collect(layer.watch(progress, { id: operation.id }));

  expect(data.instanceOperation).toMatchObject({ state: 'RUNNING', status: null, percentComplete: null });
  expect(states.slice(0, 2)).toMatchObject([
    { state: 'RUNNING', status: null, percentComplete: null },
    { state: 'RUNNING', status: 'Working', percentComplete: 7 },
  ]);
  expect(states.filter(({ status }) => status === null)).toHaveLength(1);
  expect(states.at(-1).state).toBe('SUCCEEDED');
});

test('an operation that the upstream no longer knows is OPERATION_EXPIRED six minutes after its start', async ({
  layer,
  sandbox,
}) => {
  const { operation } = await stopInstance(layer, 'app01');
  await sandbox.fault({ path: '/operationStatuses/', status: 404, times: 3, body: {} });
  const young = await layer.query(query, { id: operation.id });
  onTestFinished(() => void vi.useRealTimers());
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 361_000 });

  const old = await layer.query(query, { id: operation.id });
  const events = [];
  for await (const event of layer.watch(progress, { id: operation.id })) events.push(event);

  expect(young.data.instanceOperation.state).toBe('RUNNING');
  expect(old.errors).toMatchObject([{ extensions: { code: 'OPERATION_EXPIRED' } }]);
  expect(events).toMatchObject([{ errors: [{ extensions: { code: 'OPERATION_EXPIRED' } }] }]);
});

test('a replica whose clock is two minutes ahead gives an operation a minute to appear, by its own clock', async ({
  layer,
  sandbox,
}) => {
  const { operation } = await stopInstance(layer, 'app01');
  await sandbox.fault({ path: '/operationStatuses/', status: 404, times: 1_000, body: {} });
  onTestFinished(() => void vi.useRealTimers());
  vi.useFakeTimers({ toFake: ['Date', 'performance'], now: Date.now() + 120_000 });

  const { data } = await layer.query(query, { id: operation.id });
  const events = layer.watch(progress, { id: operation.id })[Symbol.asyncIterator]();
  const first = await events.next();
  const second = events.next();
  const young = await Promise.race([second, sleep(300, 'no news')]);
  vi.advanceTimersByTime(61_000);

  expect(data.instanceOperation.state).toBe('RUNNING');
  expect(first.value.data.operationProgress.state).toBe('RUNNING');
  expect(young).toBe('no news');
  expect((await second).value.errors).toMatchObject([{ extensions: { code: 'OPERATION_EXPIRED' } }]);
});

test('a handle whose operation has moved returns the state from its new URL', async ({ layer, sandbox }) => {
  const { operation } = await stopInstance(layer, 'moving');
  await expect
    .poll(async () => (await layer.query(query, { id: operation.id })).data.instanceOperation)
    .toMatchObject({ state: 'SUCCEEDED', percentComplete: 100 });
  await sandbox.forgetCalls();

  const watched = await collect(layer.watch(progress, { id: operation.id }));

  expect(watched).toMatchObject([{ state: 'SUCCEEDED', percentComplete: 100 }]);
  expect(await sandbox.calls()).toHaveLength(2);
});

test('a status URL that differs only in its signature is not polled at once', async ({ layer, sandbox }) => {
  await sandbox.fault({
    method: 'POST',
    status: 202,
    headers: { 'vendor-asyncoperation': '/ops/1?t=1' },
    body: '',
  });
  const running = { status: 200, body: { status: 'Running' } };
  await sandbox.fault({
    path: '/ops/1',
    ...running,
    headers: { 'vendor-asyncoperation': '/ops/1?t=2', 'retry-after': '1' },
  });
  const { operation } = await stopInstance(layer, 'app01', ofItsOwn());
  const watching = layer.watch(progress, { id: operation.id })[Symbol.asyncIterator]();

  await watching.next();
  await sleep(200);
  const calls = await sandbox.calls();
  await watching.return?.();

  expect(calls.slice(1).map(({ path }) => path)).toEqual(['/ops/1?t=1']);
});

test.for([
  ['vendor-asyncoperation', '/ops/1', '/ops/1?api-version=2023-04-01'],
  ['vendor-asyncoperation', 'ops/1?', '/ops/1?api-version=2023-04-01'],
  ['location', '/ops/1', '/ops/1?api-version=2023-04-01'],
  ['vendor-asyncoperation', '/ops/1?t=1', '/ops/1?t=1'],
  ['vendor-asyncoperation', '/ops/1?api-version=2021-12-01&t=%2f', '/ops/1?api-version=2021-12-01&t=%2f'],
] as const)(
  'a status URL in %s, %s, is polled as %s: with the configured api-version only where it has no query',
  async ([header, address, asked], { layer, sandbox }) => {
    await sandbox.fault({ method: 'POST', status: 202, headers: { [header]: address }, body: '' });
    await sandbox.fault({ path: '/ops/1', status: 200, body: { status: 'Succeeded' } });
    const { operation } = await stopInstance(layer, 'app01', ofItsOwn());

    const watched = await collect(layer.watch(progress, { id: operation.id }));

    expect(watched).toMatchObject([{ state: 'SUCCEEDED' }]);
    expect((await sandbox.calls()).slice(1).map(({ path }) => path)).toEqual([asked]);
  },
);

test('an upstream that moves an operation endlessly gets at most four requests for each poll', async ({
  layer,
  sandbox,
}) => {
  await sandbox.fault({ method: 'POST', status: 202, headers: { location: '/ops/0' }, body: '' });
  for (let n = 0; n < 9; n += 1)
    await sandbox.fault({ path: `/ops/${n}`, status: 202, headers: { location: `/ops/${n + 1}` }, body: '' });
  const { operation } = await stopInstance(layer, 'app01', ofItsOwn());

  const { data } = await layer.query(query, { id: operation.id });

  expect(data.instanceOperation.state).toBe('RUNNING');
  expect(await sandbox.calls()).toHaveLength(1 + 4);
});

test('a Location beside a status is not used as the next status URL', async ({ layer, sandbox }) => {
  const { operation } = await stopInstance(layer, 'app01');
  await sandbox.fault({
    path: '/operationStatuses/',
    status: 200,
    headers: { location: '/results/1' },
    body: { status: 'Running', percentComplete: 1 },
  });

  const states = await collect(layer.watch(progress, { id: operation.id }));

  expect(states.at(-1)).toMatchObject({ state: 'SUCCEEDED', percentComplete: 100 });
  expect((await sandbox.calls()).filter(({ path }) => path === '/results/1')).toEqual([]);
});

test.for([
  [204, '', 'SUCCEEDED'],
  [200, '', 'RUNNING'],
] as const)(
  'the state at a status URL that responds %i without a body%s is %s',
  async ([status, body, state], { layer, sandbox }) => {
    const { operation } = await stopInstance(layer, 'app01');
    await sandbox.fault({ path: '/operationStatuses/', status, body });

    const { data } = await layer.query(query, { id: operation.id });

    expect(data.instanceOperation.state).toBe(state);
  },
);
