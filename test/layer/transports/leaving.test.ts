import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { type Answer, testToken } from '../../support/layer.ts';
import { company, startBeforeSilence, twoReads } from '../../support/upstreams/silent-upstream.ts';

const change =
  'mutation { createCustomer(input: { displayName: "Held" }) { customer { id } userErrors { code } } }';

const until = (isSo: () => boolean) => expect.poll(isSo, { timeout: 10_000, interval: 5 }).toBe(true);

test('the calls of a query are aborted when its client has disconnected', async () => {
  const { upstream, ask } = await startBeforeSilence();
  const { leave } = ask(twoReads);
  await until(() => upstream.open === 2);
  leave();

  await until(() => upstream.open === 0);
});

test('so are those of a query with another behind it on its connection, which is never executed', async () => {
  const { upstream, layer } = await startBeforeSilence();
  const { hostname, port, host } = new URL(layer.url);
  const body = (query: string) => JSON.stringify({ query });
  const head = (text: string) =>
    `POST /graphql HTTP/1.1\r\nhost: ${host}\r\nauthorization: Bearer ${testToken}\r\ncontent-type: application/json\r\ncontent-length: ${text.length}\r\n\r\n${text}`;
  const socket = connect(Number(port), hostname);
  socket.write(head(body(company)) + head(body(twoReads)));
  await until(() => upstream.open === 1);
  await sleep(50);
  socket.destroy();

  await until(() => upstream.open === 0);
  await sleep(50);
  expect(upstream.begun).toBe(1);
});

test('a write continues when its client has disconnected', async () => {
  const { upstream, ask } = await startBeforeSilence();
  const { leave } = ask(change);
  await until(() => upstream.open === 1);
  leave();
  await sleep(200);

  expect(upstream.open).toBe(1);
});

test('a query ends at its deadline, which counts from its first byte, and no call continues for it', async () => {
  const { upstream, layer } = await startBeforeSilence();
  const asking = request(`${layer.url}/graphql`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      authorization: `Bearer ${testToken}`,
      'x-request-timeout': '500',
    },
  });
  asking.write('{"query":');
  const startedAt = performance.now();
  await sleep(300);
  asking.end(`${JSON.stringify(twoReads)}}`);
  const [response] = (await once(asking, 'response')) as [IncomingMessage];
  const { errors } = JSON.parse((await response.toArray()).join('')) as Answer;

  expect(errors?.map(({ extensions }) => extensions.code)).toEqual(['UPSTREAM_TIMEOUT', 'UPSTREAM_TIMEOUT']);
  expect(performance.now() - startedAt).toBeLessThan(500 + 250);
  await until(() => upstream.open === 0);
});

test('`x-request-timeout` never extends the time of a request', async () => {
  const { layer } = await startBeforeSilence({ REQUEST_TIMEOUT_MS: '200' });

  const { errors } = await layer.query(company, {}, { 'x-request-timeout': '60000' });

  expect(errors).toMatchObject([{ extensions: { code: 'UPSTREAM_TIMEOUT' } }]);
});

test('an `x-request-timeout` that is no number of milliseconds is rejected', async () => {
  const { upstream, layer } = await startBeforeSilence();
  for (const given of ['0', 'soon']) {
    const { status, errors } = await layer.query(company, {}, { 'x-request-timeout': given });

    expect([status, errors?.[0]?.extensions.code]).toEqual([400, 'BAD_USER_INPUT']);
  }
  expect(upstream.begun).toBe(0);
});
