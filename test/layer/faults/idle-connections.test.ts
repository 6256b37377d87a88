import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished } from 'vitest';
import { startTestLayer, type TestLayer } from '../../support/layer.ts';
import { asDeployed, testDisturbed } from '../../support/proxies/disturbed.ts';

const test = testDisturbed({ BUSINESS_CHOSEN_IDS: 'off' });

const ask = (layer: TestLayer, caller: number) =>
  layer.query('{ company { name } }', {}, { authorization: `Bearer caller-${caller}` });

test('no read fails although every connection breaks on its second use', async ({ proxy }) => {
  const layer = await startTestLayer(proxy.url, { UPSTREAM_ATTEMPTS: '2' });
  onTestFinished(() => layer.stop());
  proxy.next({ kept: true, unheard: true, times: 1_000_000 });
  // Few enough for the budget of retries.
  let failed = 0;
  const caller = async (number: number) => {
    for (let n = 0; n < 8; n += 1) if ((await ask(layer, number)).errors) failed += 1;
  };
  await Promise.all(Array.from({ length: 8 }, (_, number) => caller(number)));

  expect(failed).toBe(0);
});

test('an upstream that closes every connection after its first response fails no read', async () => {
  const upstream = createServer((request, response) => {
    request.resume();
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(
      JSON.stringify({ value: [{ id: '5d115c9c-44e3-4a11-bb43-000000000000', name: 'Contoso' }] }),
      () => request.socket.end(),
    );
  });
  await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void upstream.close());
  const { port } = upstream.address() as AddressInfo;
  const layer = await startTestLayer(`http://127.0.0.1:${port}`, asDeployed);
  onTestFinished(() => layer.stop());

  const failures: unknown[] = [];
  const caller = async (number: number) => {
    for (let n = 0; n < 30; n += 1) {
      const headers = { authorization: `Bearer caller-${number}` };
      const { errors } = await layer.query('{ companies { nodes { name } } }', {}, headers);
      if (errors) failures.push(errors);
    }
  };
  await Promise.all(Array.from({ length: 32 }, (_, number) => caller(number)));

  expect(failures).toEqual([]);
});

test('a connection is not reused after it was idle for longer than allowed', async ({ proxy }) => {
  const layer = await startTestLayer(proxy.url, { UPSTREAM_KEEP_ALIVE_MS: '50' });
  onTestFinished(() => layer.stop());
  await ask(layer, 1);
  await ask(layer, 2);
  await sleep(200);
  await ask(layer, 3);

  expect(proxy.connections.map(({ requests }) => requests.length)).toEqual([2, 1]);
});
