import { once } from 'node:events';
import { createServer, type IncomingMessage, request } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { type Answer, startTestLayer, testToken } from '../../support/layer.ts';

const company = '{ company { name } }';
const twoReads = '{ company { name customers(first: 1) { nodes { id } } } }';
const change =
  'mutation { createCustomer(input: { displayName: "Held" }) { customer { id } userErrors { code } } }';

/** A layer before an upstream that answers nothing until it is told to; `open` counts the calls it holds. */
async function startBeforeSilence(settings: Readonly<Record<string, string>> = {}) {
  const upstream = { open: 0, begun: 0, answer() {} };
  const held: (() => void)[] = [];
  const server = createServer((request, response) => {
    upstream.open += 1;
    upstream.begun += 1;
    response.on('close', () => {
      upstream.open -= 1;
    });
    request.resume();
    held.push(() => response.writeHead(200, { 'content-type': 'application/json' }).end('{"value":[]}'));
  });
  upstream.answer = () => {
    for (const answer of held.splice(0)) answer();
  };
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const layer = await startTestLayer(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, settings);
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
    await layer.stop();
  });
  const ask = (query: string, headers: Readonly<Record<string, string>> = {}) => {
    const leaving = new AbortController();
    const answer = fetch(`${layer.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${testToken}`, ...headers },
      body: JSON.stringify({ query }),
      signal: leaving.signal,
    }).then(
      (response) => response.json() as Promise<Answer>,
      () => null,
    );
    return { answer, leave: () => leaving.abort() };
  };
  return { upstream, layer, ask };
}

const until = (isSo: () => boolean) => expect.poll(isSo, { timeout: 1_000, interval: 5 }).toBe(true);

test('the calls of a query are aborted when its client has disconnected', async () => {
  const { upstream, ask } = await startBeforeSilence();
  const { leave } = ask(twoReads);
  await until(() => upstream.open === 2);
  leave();

  await until(() => upstream.open === 0);
});

test('so are those of pipelined queries on one connection', async () => {
  const { upstream, layer } = await startBeforeSilence();
  const { hostname, port, host } = new URL(layer.url);
  const body = (query: string) => JSON.stringify({ query });
  const request = (text: string) =>
    `POST /graphql HTTP/1.1\r\nhost: ${host}\r\nauthorization: Bearer ${testToken}\r\ncontent-type: application/json\r\ncontent-length: ${text.length}\r\n\r\n${text}`;
  const socket = connect(Number(port), hostname);
  socket.write(request(body(company)) + request(body(twoReads)));
  await until(() => upstream.open === 2);
  socket.destroy();

  await until(() => upstream.open === 0);
});

test('a read that two clients wait for is aborted when both have disconnected, and answered while one remains', async () => {
  const { upstream, ask } = await startBeforeSilence();
  const [one, two] = [ask(company), ask(company)];
  await until(() => upstream.open === 1);
  await sleep(50);
  one.leave();
  await sleep(100);
  expect(upstream).toMatchObject({ open: 1, begun: 1 });
  upstream.answer();
  expect(await two.answer).toHaveProperty('data');

  const [three, four] = [ask(company), ask(company)];
  await until(() => upstream.open === 1);
  await sleep(50);
  three.leave();
  four.leave();
  await until(() => upstream.open === 0);
});

test('a read that another client has aborted is read anew for the next', async () => {
  const { upstream, ask } = await startBeforeSilence();
  const one = ask(company);
  await until(() => upstream.open === 1);
  one.leave();
  await until(() => upstream.open === 0);
  const two = ask(company);
  await until(() => upstream.open === 1);
  upstream.answer();

  expect(await two.answer).toHaveProperty('data');
});

test('a write continues when its client has disconnected', async () => {
  const { upstream, ask } = await startBeforeSilence();
  const { leave } = ask(change);
  await until(() => upstream.open === 1);
  leave();
  await sleep(200);

  expect(upstream.open).toBe(1);
});

test('a query ends at its deadline, and no call continues for it', async () => {
  const { upstream, ask } = await startBeforeSilence({ REQUEST_TIMEOUT_MS: '400' });
  const startedAt = performance.now();
  const { data, errors } = (await ask(twoReads).answer) as Answer;

  expect(performance.now() - startedAt).toBeLessThan(400 + 250);
  expect(data.company).toMatchObject({ customers: null });
  expect(errors?.map(({ extensions }) => extensions.code)).toEqual(['UPSTREAM_TIMEOUT', 'UPSTREAM_TIMEOUT']);
  await until(() => upstream.open === 0);
});

test('x-request-timeout shortens the deadline of a query, and never extends it', async () => {
  const { ask } = await startBeforeSilence({ REQUEST_TIMEOUT_MS: '500' });
  for (const [given, ms] of [
    ['100', 100],
    ['100000', 500],
  ] as const) {
    const startedAt = performance.now();
    const { errors } = (await ask(company, { 'x-request-timeout': given }).answer) as Answer;
    const took = performance.now() - startedAt;

    expect(errors?.[0]?.extensions.code).toBe('UPSTREAM_TIMEOUT');
    expect(took).toBeGreaterThan(ms - 5);
    expect(took).toBeLessThan(ms + 250);
  }
});

test('the deadline of a query counts from its first byte, however late the last one arrives', async () => {
  const { layer } = await startBeforeSilence();
  const asking = request(`${layer.url}/graphql`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      authorization: `Bearer ${testToken}`,
      'x-request-timeout': '1500',
    },
  });
  asking.write('{"query":');
  const startedAt = performance.now();
  await sleep(1_200);
  asking.end(`${JSON.stringify(company)}}`);
  const [response] = (await once(asking, 'response')) as [IncomingMessage];
  const { errors } = JSON.parse((await response.toArray()).join('')) as Answer;

  expect(errors?.[0]?.extensions.code).toBe('UPSTREAM_TIMEOUT');
  expect(performance.now() - startedAt).toBeLessThan(1_500 + 250);
});

test.for(['0', '-5', '1.5', 'soon', '9999999999'])('x-request-timeout %j is rejected', async (given) => {
  const { upstream, layer } = await startBeforeSilence();

  const { status, errors } = await layer.query(company, {}, { 'x-request-timeout': given });

  expect(status).toBe(400);
  expect(errors).toMatchObject([{ extensions: { code: 'BAD_USER_INPUT' } }]);
  expect(errors?.[0]?.message).toContain('milliseconds');
  expect(upstream.begun).toBe(0);
});
