import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { startTestLayer, test } from '../../support/layer.ts';
import { collect, ofItsOwn, progress, stopInstance } from '../../support/operations.ts';

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

test('a stop that fails reports why, at the end of its progress', async ({ layer }) => {
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

test('many subscribers of one operation share one poll', async ({ layer, sandbox }) => {
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
  'the polling stops when the last subscriber unsubscribes, though nothing ever changes (%s)',
  async (watch, { layer, sandbox }) => {
    const { operation } = await stopInstance(layer, 'app01');
    const running = { status: 200, headers: { 'retry-after': '1' }, body: { status: 'Running' } };
    await sandbox.fault({ path: '/operationStatuses/', times: 10_000, ...running });
    const watching = layer[watch](progress, { id: operation.id })[Symbol.asyncIterator]();
    await watching.next();
    const next = watching.next();

    await watching.return?.();
    await next;

    const pollsInAWhile = async () => {
      await sandbox.forgetCalls();
      await sleep(1_200);
      return (await sandbox.calls()).length;
    };
    await expect.poll(pollsInAWhile, { timeout: 6_000 }).toBe(0);
  },
);

test('only the caller that started an operation can follow it', async ({ layer }) => {
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

test('a token that expires during the subscription ends it with UNAUTHENTICATED', async ({
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

test('transient failures do not end the progress', async ({ layer, sandbox }) => {
  const { operation } = await stopInstance(layer, 'app01');
  for (const status of [404, 429, 500, 503])
    await sandbox.fault({ path: '/operationStatuses/', status, body: {} });

  const states = await collect(layer.watch(progress, { id: operation.id }));

  expect(states.at(-1)).toMatchObject({ state: 'SUCCEEDED', percentComplete: 100 });
});

test('a 200 that carries a status URL is still running, and is polled', async ({ layer }) => {
  const { operation } = await stopInstance(layer, 'tracked');

  const states = await collect(layer.watch(progress, { id: operation.id }));

  expect(operation.state).toBe('RUNNING');
  expect(states.at(-1).state).toBe('SUCCEEDED');
});

test('a status URL that responds 202, then 204, both without a body, is followed to SUCCEEDED', async ({
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

test('an upstream with a Retry-After of zero is not polled without a pause', async ({ sandbox }) => {
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
  await sleep(200);
  const calls = await sandbox.calls();
  await watching.return?.();
  await layer.stop();

  expect(calls).toHaveLength(1);
});

test('the percentage never decreases', async ({ layer, sandbox }) => {
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

test('another caller cannot share the poll of an operation', async ({ layer, sandbox }) => {
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
  'a poll answered %s does not end the progress',
  async (status, { layer, sandbox }) => {
    const { operation } = await stopInstance(layer, 'app01');
    await sandbox.fault({ path: '/operationStatuses/', status, body: {} });

    const states = await collect(layer.watch(progress, { id: operation.id }));

    expect(states.at(-1).state).toBe('SUCCEEDED');
  },
);

test("a throttled poll is repeated after the upstream's Retry-After", async ({ layer, sandbox }) => {
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

  await sleep(600);
  const calls = await sandbox.calls();
  await next;
  await watching.return?.();

  expect(calls).toHaveLength(1);
});

test('where a poll returns another status URL, that one is polled at once', async ({ layer, sandbox }) => {
  await sandbox.fault({ method: 'POST', status: 202, headers: { location: '/results/1' }, body: '' });
  await sandbox.fault({ path: '/results/1', status: 202, headers: { location: '/results/2' }, body: '' });
  await sandbox.fault({ path: '/results/2', status: 204, body: '' });

  const { operation } = await stopInstance(layer, 'app01', ofItsOwn());
  const states = await collect(layer.watch(progress, { id: operation.id }));

  expect(states.map(({ state }) => state)).toEqual(['SUCCEEDED']);
  expect((await sandbox.calls()).slice(1).map(({ path }) => path)).toEqual([
    '/results/1?api-version=2023-04-01',
    '/results/2?api-version=2023-04-01',
  ]);
});
