import { expect, onTestFinished, test } from 'vitest';
import { sandboxCompanyId } from '../../../sandbox/seed.ts';
import { ExchangeExpired, sendRequest } from '../../../src/http/exchange.ts';
import { createConnectionPool } from '../../../src/http/wire/connection-pool.ts';
import { createConnector } from '../../../src/http/wire/connector.ts';
import { startDeadline } from '../../../src/runtime/deadline.ts';
import { startLayerForTest, type TestLayer } from '../../support/layer.ts';
import { testDisturbed } from '../../support/proxies/disturbed.ts';
import { hang, resolveTo } from '../../support/proxies/hanging-address.ts';
import { plainConnector, plainReading } from '../../support/proxies/wire.ts';
import { startStub } from '../../support/stub.ts';

const name = '{ company { name } }';

async function startUpstream(called: string) {
  const upstream = await startStub(() => ({ body: { id: sandboxCompanyId, name: called } }));
  onTestFinished(() => upstream.stop());
  return { upstream, port: Number(new URL(upstream.url).port) };
}

test('an upstream with several addresses of which two hang is reached', async () => {
  const addresses = ['127.0.0.2', '127.0.0.3', '127.0.0.1'];
  const { port, upstream } = await startUpstream('reached');
  for (const address of addresses.slice(0, -1)) await hang(address, port);
  resolveTo('several.example', ...addresses);
  const layer = await startLayerForTest(`http://several.example:${port}`, { REQUEST_TIMEOUT_MS: '9000' });

  const { data } = await layer.query(name);

  expect(data.company.name).toBe('reached');
  expect(upstream.requests).toHaveLength(1);
});

test('connections that are too old take no further call, so that a host name is followed when it moves', async () => {
  const { port, upstream: before } = await startUpstream('before');
  resolveTo('moving.example', '127.0.0.1');
  const layer = await startLayerForTest(`http://moving.example:${port}`, {
    UPSTREAM_CONNECTION_SECONDS: '1',
    UPSTREAM_KEEP_ALIVE_MS: '60000',
    UPSTREAM_CONNECTIONS: '1',
  });
  const read = async (caller: number) =>
    (await layer.query(name, {}, { authorization: `Bearer caller-${caller}` })).data.company.name;

  expect(await read(0)).toBe('before');
  expect(await read(1)).toBe('before');
  resolveTo('moving.example', '127.0.0.2');
  const after = await startStub(() => ({ body: { id: sandboxCompanyId, name: 'after' } }), {
    host: '127.0.0.2',
    port,
  });
  onTestFinished(() => after.stop());
  let caller = 1;
  const readNext = () => {
    caller += 1;
    return read(caller);
  };
  await expect.poll(readNext, { interval: 50 }).toBe('after');

  // Every read was exactly one call, also while the connection changed.
  expect(before.requests.length + after.requests.length).toBe(caller + 1);
});

test('a call that is under way when its connection becomes too old is finished on it, and is its last', async () => {
  let finish = () => {};
  const upstream = await startStub(async ({ target }) => {
    if (target === '/slow')
      await new Promise<void>((resolve) => {
        finish = resolve;
      });
    return { body: target };
  });
  const { connect } = createConnector(plainConnector);
  const pool = createConnectionPool({
    origin: upstream.url,
    connect,
    maxAgeMs: 1,
    clientOptions: { keepAliveTimeout: 60_000 },
  });
  onTestFinished(async () => {
    await pool.close();
    upstream.stop();
  });
  const deadline = startDeadline(10_000);
  const send = (path: string) =>
    sendRequest(pool.acquire(false), { method: 'GET', path }, deadline, plainReading);

  const slow = send('/slow');
  await expect.poll(() => upstream.requests.length).toBe(1);
  finish();
  const texts = [(await slow).text, (await send('/next')).text];
  deadline.end();

  expect(texts).toEqual(['/slow', '/next']);
  expect(new Set(upstream.requests.map(({ remotePort }) => remotePort)).size).toBe(2);
});

test('a call that is canceled before it has a connection is reported as not sent, and is not sent later', async () => {
  const upstream = await startStub(({ target }) => ({ body: target }));
  const { connect } = createConnector(plainConnector);
  let canceled = 0;
  const pool = createConnectionPool({
    origin: upstream.url,
    connect(target, callback) {
      if (canceled > 0) return connect(target, callback);
      // A connection that never opens.
      return () => {
        canceled += 1;
      };
    },
    maxAgeMs: 60_000,
    clientOptions: {},
  });
  onTestFinished(async () => {
    await pool.close();
    upstream.stop();
  });
  const send = (path: string, ms: number) => {
    const deadline = startDeadline(ms);
    const request = { method: 'POST', path, body: '{}' } as const;
    return sendRequest(pool.acquire(false), request, deadline, plainReading).finally(() => deadline.end());
  };

  const hasty = await send('/hasty', 20).catch((error: unknown) => error);
  const { text } = await send('/next', 5_000);

  expect(hasty).toBeInstanceOf(ExchangeExpired);
  expect((hasty as ExchangeExpired).isSent).toBe(false);
  expect(text).toBe('/next');
  expect(upstream.requests.map(({ target }) => target)).toEqual(['/next']);
  expect(canceled).toBe(1);
});

const disturbedTest = testDisturbed({ BUSINESS_CHOSEN_IDS: 'off' });

const ask = (layer: TestLayer, caller: number) =>
  layer.query('{ company { name } }', {}, { authorization: `Bearer caller-${caller}` });

disturbedTest(
  'a connection is closed, and not reused, after it was idle for longer than allowed',
  async ({ proxy }) => {
    const layer = await startLayerForTest(proxy.url, { UPSTREAM_KEEP_ALIVE_MS: '50' });
    await ask(layer, 1);
    await expect.poll(() => proxy.open()).toBe(0);
    await ask(layer, 2);

    expect(proxy.connections.map(({ requests }) => requests.length)).toEqual([1, 1]);
  },
);
