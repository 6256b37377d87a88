import { once } from 'node:events';
import { request } from 'node:http';
import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { startIssuer } from '../../support/issuer.ts';
import { startTestLayer, type TestLayer, testToken } from '../../support/layer.ts';
import { startTestSandbox, type TestSandbox } from '../../support/sandbox.ts';

let sandbox: TestSandbox;
let layer: TestLayer;
beforeAll(async () => {
  sandbox = await startTestSandbox();
  layer = await startTestLayer(sandbox.url);
});
afterAll(async () => {
  await layer.stop();
  await sandbox.stop();
});

const authorization = `Bearer ${testToken}`;
const json = 'application/json';
const query = '{ company { id } }';
const body = JSON.stringify({ query });

interface Answered {
  readonly status: number | undefined;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

async function send(
  method: string,
  path: string,
  headers: Readonly<Record<string, string>>,
  content?: string | Buffer,
  url = layer.url,
): Promise<Answered> {
  const sent = request(url + path, { method, headers: { authorization, ...headers }, agent: false });
  sent.on('error', () => {});
  sent.end(content);
  const [response] = await once(sent, 'response');
  let text = '';
  for await (const chunk of response) text += chunk;
  return { status: response.statusCode, headers: response.headers, text };
}

function expectRefusal({ status, headers, text }: Answered, expected: number, code = 'BAD_USER_INPUT') {
  expect(status).toBe(expected);
  expect(headers['content-type']).toMatch(/^application\/(json|graphql-response\+json); charset=utf-8$/);
  expect(JSON.parse(text)).toEqual({
    errors: [
      expect.objectContaining({
        message: expect.stringMatching(/\w/),
        extensions: { code, requestId: expect.any(String) },
      }),
    ],
  });
}

describe('a body', () => {
  test.each([
    ['in UTF-8', { 'content-type': 'application/json; charset=utf-8' }, body],
    ['that begins with a byte order mark', { 'content-type': json }, `\ufeff${body}`],
  ])('%s is read', async (_what, headers, content) => {
    const { status, text } = await send('POST', '/graphql', headers, content);

    expect([status, JSON.parse(text).errors]).toEqual([200, undefined]);
  });

  test.each([
    ['in UTF-16', { 'content-type': 'application/json; charset=utf-16' }, Buffer.from(body, 'utf16le'), 415],
    [
      'of bytes that are no UTF-8',
      { 'content-type': json },
      Buffer.from([...Buffer.from(body.slice(0, -3)), 0xc3, 0x28, 0x22, 0x7d]),
      400,
    ],
    ['that is compressed', { 'content-type': json, 'content-encoding': 'gzip' }, gzipSync(body), 415],
    ['over 256 KB', { 'content-type': json }, JSON.stringify({ query: ' '.repeat(262_144) }), 413],
    ['that is a list', { 'content-type': json }, `[${body},${body}]`, 400],
    [
      'that sets a prototype in its variables',
      { 'content-type': json },
      `{"query":"${query}","variables":{"a":{"__proto__":{"isAdmin":true}}}}`,
      400,
    ],
    ['of plain text', { 'content-type': 'text/plain' }, body, 400],
  ])('%s is rejected', async (_what, headers, content, expected) => {
    await sandbox.forgetCalls();
    for (const path of ['/graphql', '/graphql/stream']) {
      const accept = path === '/graphql' ? json : 'text/event-stream';
      const answered = await send('POST', path, { accept, ...headers }, content);
      if (path === '/graphql') expectRefusal(answered, expected);
      else expect([400, 413, 415]).toContain(answered.status);
    }
    expect(await sandbox.calls()).toEqual([]);
    expect(({} as { isAdmin?: boolean }).isAdmin).toBeUndefined();
  });
});

const asked = `/graphql?${new URLSearchParams({ query })}`;

test.each([
  ['variables that are no JSON', `${asked}&variables=%7B`],
  ['two documents', `${asked}&query=%7Bcompanies%7BtotalCount%7D%7D`],
])('a GET with %s is rejected, and nothing is executed', async (_what, path) => {
  await sandbox.forgetCalls();
  const sent = await send('GET', path, { 'content-type': json });

  expectRefusal(sent, 400);
  expect(await sandbox.calls()).toEqual([]);
});

/** Bytes as they are, and all that comes back until the connection ends. */
async function raw(bytes: string): Promise<string> {
  const socket = connect(Number(new URL(layer.url).port), '127.0.0.1');
  socket.on('error', () => {});
  let text = '';
  socket.on('data', (chunk) => {
    text += chunk;
  });
  socket.write(bytes);
  await once(socket, 'close');
  return text;
}

test.each([
  ['headers over 16 KB', `GET /graphql HTTP/1.1\r\nhost: x\r\nx: ${'x'.repeat(20_000)}\r\n\r\n`, 431],
  [
    'two hosts, with two thousand headers between',
    `POST /graphql HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n${'a:b\r\n'.repeat(2_000)}Host: y\r\n\r\n${body}`,
    400,
  ],
  [
    'a WebSocket with two hosts',
    'GET /graphql HTTP/1.1\r\nhost: x\r\nhost: y\r\nconnection: upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
    400,
  ],
])('a request of %s is rejected in the format of GraphQL', async (_what, bytes, status) => {
  const [head = '', content = ''] = (await raw(bytes)).split('\r\n\r\n');

  expect(head).toContain(`HTTP/1.1 ${status} `);
  expect(JSON.parse(content)).toMatchObject({ errors: [{ extensions: { code: 'BAD_USER_INPUT' } }] });
});

test('an upgrade to h2c by POST, as Java sends it with every request, is ignored: the response is HTTP/1.1', async () => {
  const upgrade =
    'connection: upgrade, http2-settings\r\nupgrade: h2c\r\nhttp2-settings: AAEAAEAAAAIAAAABAAMAAABk';
  const text = await raw(
    `POST /graphql HTTP/1.1\r\nhost: x\r\nauthorization: ${authorization}\r\nconnection: close\r\n${upgrade}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
  );

  expect(text).toMatch(/^HTTP\/1.1 200 /);
  expect(text).toContain('{"data":{"company":{"id":');
});

test('a GET that two parsers decode differently reveals no field names without a token, and executes no mutation', async () => {
  const [issuer, sandbox] = await Promise.all([startIssuer(), startTestSandbox()]);
  const layer = await startTestLayer(sandbox.url, issuer.settings);
  onTestFinished(async () => {
    await layer.stop();
    await sandbox.stop();
    issuer.stop();
  });
  const get = (path: string, authorization: string) =>
    send('GET', path, { authorization, 'apollo-require-preflight': '1' }, undefined, layer.url);
  const unseen = await get('/graphql?query={compani}&variables=%7B"a":"%ff"%7D', '');
  expect(unseen.text).not.toContain('companies');

  const change = 'mutation+M{createCustomer(input:{displayName:"A"}){userErrors{code}}}';
  const hidden = `query+Q{healthEvent(trackingId:"%22){title}}query+M{__typename}%23%FF"){title}}${change}`;
  await get(`/graphql?query=${hidden}&operationName=M`, `Bearer ${await issuer.token('ada')}`);
  expect(await sandbox.calls()).toEqual([]);
});
