import { once } from 'node:events';
import { connect } from 'node:net';
import { test as base, expect } from 'vitest';
import { fixture } from '../../support/fixture.ts';
import { startTestLayer, testToken } from '../../support/layer.ts';
import { startStub } from '../../support/stub.ts';

/** A layer that serves all it can serve. */
const test = base.extend(
  'layer',
  { scope: 'file' },
  fixture(async ({ onCleanup }) => {
    const stub = await startStub(() => ({
      headers: { 'cache-control': 'public, max-age=600', etag: '"1"', age: '5', server: 'Upstream 1.2.3' },
      body: { value: [], '@odata.count': 7 },
    }));
    const layer = await startTestLayer(stub.url, {
      MANAGEMENT_URL: stub.url,
      BUSINESS_TOKEN_URL: `${stub.url}/token`,
      BUSINESS_CLIENT_ID: 'tributary',
      BUSINESS_CLIENT_SECRET: 'secret-of-the-layer',
      PUBLIC_URL: 'http://127.0.0.1:1',
    });
    onCleanup(async () => {
      await layer.stop();
      stub.stop();
    });
    return layer;
  }),
);

/** The head and the body of the first answer to what is sent, to its last byte or as far as it has come. */
async function answerTo(url: string, lines: readonly string[], body = ''): Promise<string> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  const length = body === '' ? [] : [`content-length: ${Buffer.byteLength(body)}`];
  socket.write(`${[...lines, 'host: layer', ...length].join('\r\n')}\r\n\r\n${body}`);
  let answer = '';
  socket.on('data', (bytes) => {
    answer += bytes;
  });
  while (!answer.includes('\r\n\r\n') && !socket.closed)
    await Promise.race([once(socket, 'data'), once(socket, 'close')]);
  socket.destroy();
  return answer;
}

const json = ['content-type: application/json', `authorization: Bearer ${testToken}`];
const document = '{"query":"{ companies { edges { node { customers { totalCount } } } } }"}';
const upgrade = [
  'connection: upgrade',
  'upgrade: websocket',
  'sec-websocket-version: 13',
  'sec-websocket-key: MTIzNDU2Nzg5MDEyMzQ1Ng==',
];
const query = encodeURIComponent('{ companies { edges { node { customers { totalCount } } } } }');

type Row = readonly [status: number, what: string, lines: readonly string[], body?: string];

/** A request to the graph and the status of its answer: one for each place that makes answers. */
const onGraph: readonly Row[] = [
  [200, 'a query', ['POST /graphql HTTP/1.1', ...json], document],
  [200, 'a query by GET', [`GET /graphql?query=${query} HTTP/1.1`, ...json]],
  [200, 'a query without a token', ['POST /graphql HTTP/1.1', 'content-type: application/json'], document],
  [200, 'a stream', ['POST /graphql HTTP/1.1', ...json, 'accept: text/event-stream'], document],
  [400, 'a document that is none', ['POST /graphql HTTP/1.1', ...json], '{"query":"{"}'],
  [400, 'a body that is no JSON', ['POST /graphql HTTP/1.1', ...json], '{'],
  [400, 'what is not HTTP', ['POST /graphql']],
  [400, 'a path that is none', ['GET /graphql% HTTP/1.1']],
  [
    400,
    'a socket of another protocol',
    ['GET /graphql HTTP/1.1', ...upgrade, 'sec-websocket-protocol: mqtt'],
  ],
  [403, 'a socket of another page', ['GET /graphql HTTP/1.1', ...upgrade, 'origin: https://evil.example']],
  [405, 'another method', ['PUT /graphql HTTP/1.1', ...json], document],
  [413, 'a long body', ['POST /graphql HTTP/1.1', ...json], ' '.repeat(300_000)],
  [415, 'another content type', ['POST /graphql HTTP/1.1', 'content-type: text/csv'], 'a'],
  [431, 'long headers', ['POST /graphql HTTP/1.1', `x-long: ${'x'.repeat(20_000)}`]],
];
const elsewhere: readonly Row[] = [
  [400, 'a forged notification', ['POST /webhooks/records HTTP/1.1'], '{'],
  [404, 'a name of every object', ['GET /__proto__ HTTP/1.1']],
  [400, 'a path that cannot be decoded', ['GET /files/%c0%80 HTTP/1.1']],
  [404, 'a socket elsewhere', ['GET /nowhere HTTP/1.1', ...upgrade]],
];

test.for([...onGraph, ...elsewhere])(
  'a response reveals no software, has the id of its request, and one of the graph is stored nowhere (%i: %s)',
  async (row, { layer }) => {
    const [status, what, lines, body] = row;
    const answer = await answerTo(layer.url, lines, body);
    const [head = '', content = ''] = answer.split('\r\n\r\n');

    expect(head).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    if (onGraph.includes(row)) {
      const kept = `cache-control: no-store${what === 'a stream' ? ', no-transform' : ''}`;
      expect(head.match(/^(cache-control|age|expires|etag|last-modified):.*$/gim)).toEqual([kept]);
    }
    expect(head).not.toMatch(/^(x-powered-by|server|via|x-aspnet.*|x-runtime|x-generator):/im);
    // What clients may send is named as the clients of Apollo name it, whatever answers them.
    const told = head.replace(/^access-control-allow-headers: .*$/im, '');
    expect(told).not.toMatch(/fastify|apollo|node|express|undici|upstream/i);
    expect(answer).not.toMatch(
      /fastify|FST_|HPE_|apollo ?server|undici|node_modules|\n\s+at |\/work\/|\d+\.\d+\.\d+/i,
    );
    expect(head).toMatch(/^x-content-type-options: nosniff$/im);
    const id = /^x-request-id: ([\w-]+)$/im.exec(head)?.[1];
    expect(id).toMatch(/.{30}/);
    const errors = JSON.parse(/^\{"errors".*/m.exec(content)?.[0] ?? '{"errors":[]}').errors;
    for (const error of errors) expect(error.extensions.requestId).toBe(id);
  },
);
