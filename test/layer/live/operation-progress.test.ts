import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, vi } from 'vitest';
import { startTestLayer, testWith } from '../../support/layer.ts';
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

test.for(['watch', 'watchEvents'] as const)(
  'the progress of a stop is reported live to its end (%s)',
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

test('subscribers of one operation share one poll, which stops when the last of them unsubscribes', async ({
  layer,
  sandbox,
}) => {
  const { operation } = await stopInstance(layer, 'app01');
  const body = { status: 'Running' };
  await sandbox.fault({ path: '/operationStatuses/', times: 10_000, status: 200, body });
  await sandbox.forgetCalls();
  const all = Array.from({ length: 20 }, () =>
    layer.watch(progress, { id: operation.id })[Symbol.asyncIterator](),
  );
  await Promise.all(all.map((events) => events.next()));
  expect((await sandbox.calls()).length).toBeLessThan(20);

  await Promise.all(all.map((events) => events.return?.()));

  const pollsInAWhile = async () => {
    await sandbox.forgetCalls();
    await sleep(250);
    return (await sandbox.calls()).length;
  };
  await expect.poll(pollsInAWhile).toBe(0);
});

test('transient failures do not end the progress', async ({ layer, sandbox }) => {
  const { operation } = await stopInstance(layer, 'app01');
  for (const status of [404, 408, 302, 429, 500, 503])
    await sandbox.fault({ path: '/operationStatuses/', status, body: {} });

  const states = await collect(layer.watch(progress, { id: operation.id }));

  expect(states.at(-1)).toMatchObject({ state: 'SUCCEEDED', percentComplete: 100 });
});

test.for([
  ['located', { state: 'SUCCEEDED', status: null, percentComplete: null }],
  ['located-409', { state: 'FAILED', error: { code: 'StopFailed' } }],
] as const)(
  'the result of an operation is read at the address of its result (%s)',
  async ([name, end], { layer, sandbox }) => {
    const { operation } = await stopInstance(layer, name);
    await sandbox.forgetCalls();

    const states = await collect(layer.watch(progress, { id: operation.id }));

    expect(states.at(-1)).toMatchObject({ id: operation.id, ...end });
    expect(new Set(states.slice(0, -1).map(({ state }) => state))).toEqual(new Set(['RUNNING']));
    for (const { path } of await sandbox.calls())
      expect(path).toContain('/locations/north/operationResults/');
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

test('a 404 right after the start is RUNNING, and once a state is known it is no new state; the percentage never decreases', async ({
  layer,
  sandbox,
}) => {
  const absent = { path: '/operationStatuses/', status: 404, body: { error: { message: 'Not found.' } } };
  const seen = { path: '/operationStatuses/', status: 200, body: { status: 'Working', percentComplete: 7 } };
  const { operation } = await stopInstance(layer, 'app01');
  await sandbox.fault({ ...absent, times: 3 });
  await sandbox.fault(seen);
  await sandbox.fault({ ...absent, times: 2 });
  await sandbox.fault({ ...seen, body: { status: 'Restarted', percentComplete: 3 } });

  const { data } = await layer.query(query, { id: operation.id });
  const states = await collect(layer.watch(progress, { id: operation.id }));

  expect(data.instanceOperation).toMatchObject({ state: 'RUNNING', status: null, percentComplete: null });
  expect(states.slice(0, 3)).toMatchObject([
    { state: 'RUNNING', status: null, percentComplete: null },
    { state: 'RUNNING', status: 'Working', percentComplete: 7 },
    { state: 'RUNNING', status: 'Restarted', percentComplete: 7 },
  ]);
  expect(states.filter(({ status }) => status === null)).toHaveLength(1);
  expect(states.at(-1).state).toBe('SUCCEEDED');
});

test('a replica whose clock is two minutes ahead gives an operation a minute to appear, by its own clock', async ({
  sandbox,
}) => {
  const layer = await startTestLayer(sandbox.url);
  onTestFinished(async () => {
    vi.restoreAllMocks();
    vi.useRealTimers();
    await layer.stop();
  });
  const { operation } = await stopInstance(layer, 'app01');
  await sandbox.fault({ path: '/operationStatuses/', status: 404, times: 1_000, body: {} });
  const now = performance.now.bind(performance);
  let aheadMs = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => now() + aheadMs);
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 120_000 });

  const events = layer.watch(progress, { id: operation.id })[Symbol.asyncIterator]();
  const first = await events.next();
  const second = events.next();
  expect(await Promise.race([second, sleep(300, 'no news')])).toBe('no news');
  aheadMs = 61_000;
  vi.advanceTimersByTime(61_000);

  expect(first.value.data.operationProgress.state).toBe('RUNNING');
  expect((await second).value.errors).toMatchObject([{ extensions: { code: 'OPERATION_EXPIRED' } }]);
});

test('an operation that moves is read at its new URL at once, with at most four requests for each poll', async ({
  layer,
  sandbox,
}) => {
  await sandbox.fault({ method: 'POST', status: 202, headers: { location: '/ops/0' }, body: '' });
  for (let n = 0; n < 5; n += 1)
    await sandbox.fault({ path: `/ops/${n}`, status: 202, headers: { location: `/ops/${n + 1}` }, body: '' });
  const { operation } = await stopInstance(layer, 'app01', ofItsOwn());

  const { data } = await layer.query(query, { id: operation.id });

  expect(data.instanceOperation.state).toBe('RUNNING');
  expect((await sandbox.calls()).slice(1).map(({ path }) => path)).toEqual(
    [0, 1, 2, 3].map((n) => `/ops/${n}?api-version=2023-04-01`),
  );
});
