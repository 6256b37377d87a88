import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { expect } from 'vitest';
import { WebSocket } from 'ws';
import { type TestLayer, testToken, testWith } from '../../support/layer.ts';

const ours = 'https://app.example.com';
const test = testWith({}, { CORS_ORIGINS: ours, POLL_HEALTH_MS: '50' });

type Headers = Readonly<Record<string, string>>;

const query = '{ companies { totalCount } }';
const watching = 'subscription { healthEventChanged(trackingId: "SI_1-QRT") { title } }';
const json = 'application/json';
const events = 'text/event-stream';

/** The status of an answer, and its text up to the first event. */
async function send(layer: TestLayer, method: string, path: string, headers: Headers, content?: object) {
  const sent = request(layer.url + path, {
    method,
    agent: false,
    headers: { authorization: `Bearer ${testToken}`, ...headers },
  });
  sent.on('error', () => {});
  sent.end(content && JSON.stringify(content));
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  let text = '';
  for await (const chunk of response) {
    text += chunk;
    if (text.includes('event: next')) break;
  }
  sent.destroy();
  return { status: response.statusCode, text };
}

async function openSocket(layer: TestLayer, headers: Headers) {
  const socket = new WebSocket(`${layer.url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws', {
    headers: { authorization: `Bearer ${testToken}`, ...headers },
  });
  socket.on('error', () => {});
  const [, refusal] = await Promise.race([once(socket, 'open'), once(socket, 'unexpected-response')]);
  if (!refusal) {
    socket.terminate();
    return { status: 200, text: '' };
  }
  let text = '';
  for await (const chunk of refusal as IncomingMessage) text += chunk;
  return { status: (refusal as IncomingMessage).statusCode, text };
}

const get = (path: string, text: string) => `${path}?${new URLSearchParams({ query: text })}`;
const meant = { 'apollo-require-preflight': '1' };

/** Every way to have something carried out, as a client sends it that is no page. */
const routes: Readonly<
  Record<
    string,
    (layer: TestLayer, headers: Headers) => Promise<{ status: number | undefined; text: string }>
  >
> = {
  'a POST': (layer, headers) =>
    send(layer, 'POST', '/graphql', { 'content-type': json, ...headers }, { query }),
  'a GET': (layer, headers) => send(layer, 'GET', get('/graphql', query), { ...meant, ...headers }),
  'a GET by another spelling of the address': (layer, headers) =>
    send(layer, 'GET', get('/%67raphql', query), { ...meant, ...headers }),
  'a stream by POST': (layer, headers) =>
    send(
      layer,
      'POST',
      '/graphql/stream',
      { 'content-type': json, accept: events, ...headers },
      { query: watching },
    ),
  'events by POST': (layer, headers) =>
    send(layer, 'POST', '/graphql', { 'content-type': json, accept: events, ...headers }, { query }),
  'a WebSocket': openSocket,
};

test.for(Object.entries(routes))(
  '%s that a browser sends for a page of another site is rejected, unless its origin is allowed',
  async ([, ask], { layer, sandbox }) => {
    const site = { 'sec-fetch-site': 'cross-site' };
    await sandbox.forgetCalls();
    for (const origin of [null, 'https://evil.example', layer.url]) {
      const { status, text } = await ask(layer, { ...site, ...(origin !== null && { origin }) });
      expect(status).toBe(403);
      expect(JSON.parse(text)).toMatchObject({
        errors: [{ message: expect.stringContaining('CORS_ORIGINS'), extensions: { code: 'FORBIDDEN' } }],
      });
    }
    expect(await sandbox.calls()).toEqual([]);

    for (const headers of [{ ...site, origin: ours }, { 'sec-fetch-site': 'same-origin' }, {}])
      expect(await ask(layer, headers)).toMatchObject({ status: 200 });
  },
);

const streams = [get('/graphql/stream', watching), get('/graphql', query)] as const;

test.for([
  ['as a page can send it without asking first', { authorization: '' }, 400],
  [
    'of a page of the same site, but another origin',
    { authorization: '', 'sec-fetch-site': 'same-site' },
    400,
  ],
  ['with an empty header', { authorization: '', 'apollo-require-preflight': '' }, 400],
  ['with a token', {}, 200],
  ['with apollo-require-preflight', { authorization: '', ...meant }, 200],
  ['with x-apollo-operation-name', { authorization: '', 'x-apollo-operation-name': 'Watch' }, 200],
  ['with the type of JSON', { authorization: '', 'content-type': json }, 200],
  ['of EventSource on a page of this server', { authorization: '', 'sec-fetch-site': 'same-origin' }, 200],
] as const)(
  'an event stream by GET %s is rejected unless no page can send it so',
  async ([, headers, expected], { layer, sandbox }) => {
    await sandbox.forgetCalls();
    for (const stream of streams) {
      const { status, text } = await send(layer, 'GET', stream, { accept: events, ...headers });

      expect(status).toBe(expected);
      if (expected === 200) expect(text).toContain('event: next');
      else
        expect(JSON.parse(text)).toMatchObject({
          errors: [
            {
              message: expect.stringContaining('apollo-require-preflight'),
              extensions: { code: 'BAD_USER_INPUT', requestId: expect.any(String) },
            },
          ],
        });
    }
    if (expected !== 200) expect(await sandbox.calls()).toEqual([]);
  },
);
