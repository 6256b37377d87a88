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

type Route = (layer: TestLayer, headers: Headers) => Promise<{ status: number | undefined; text: string }>;

const byPost: Route = (layer, headers) =>
  send(layer, 'POST', '/graphql', { 'content-type': json, ...headers }, { query });
const byStream: Route = (layer, headers) =>
  send(
    layer,
    'POST',
    '/graphql/stream',
    { 'content-type': json, accept: events, ...headers },
    { query: watching },
  );

/** Every way to have something carried out, as a client sends it that is no page. */
const routes: Readonly<Record<string, Route>> = {
  'a POST': byPost,
  'a GET': (layer, headers) => send(layer, 'GET', get('/graphql', query), { ...meant, ...headers }),
  'a stream': byStream,
  'a WebSocket': openSocket,
};

test.for(Object.entries(routes))(
  '%s that a browser sends for a page of another site is rejected, unless its origin is allowed',
  async ([, ask], { layer, sandbox }) => {
    const site = { 'sec-fetch-site': 'cross-site' };
    await sandbox.forgetCalls();
    for (const origin of [null, 'https://evil.example', layer.url]) {
      const { status, text } = await ask(layer, { ...site, ...(origin !== null && { origin }) });
      expect([status, JSON.parse(text).errors[0].extensions.code]).toEqual([403, 'FORBIDDEN']);
    }
    expect(await sandbox.calls()).toEqual([]);

    for (const headers of [{ ...site, origin: ours }, { 'sec-fetch-site': 'same-origin' }, {}])
      expect(await ask(layer, headers)).toMatchObject({ status: 200 });
  },
);

test('a WebSocket or a stream of another origin is rejected, whatever the browser says of its site', async ({
  layer,
}) => {
  for (const ask of [openSocket, byStream]) {
    const statuses = [];
    for (const origin of ['https://evil.example', 'null', ours, layer.url])
      statuses.push((await ask(layer, { origin })).status);
    expect(statuses).toEqual([403, 403, 200, 200]);
  }
});

test('a page can read responses where its origin is allowed, and never with credentials', async ({
  layer,
}) => {
  const preflight = (origin: string) =>
    fetch(`${layer.url}/graphql`, {
      method: 'OPTIONS',
      headers: {
        origin,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'authorization,content-type',
      },
    });
  const ask = (origin: string) =>
    fetch(`${layer.url}/graphql`, {
      method: 'POST',
      headers: { origin, 'content-type': json, authorization: `Bearer ${testToken}` },
      body: JSON.stringify({ query }),
    });

  const told = await preflight(ours);
  expect(told.headers.get('access-control-allow-headers')).toContain('authorization, content-type');
  for (const { headers } of [told, await ask(ours)]) {
    expect(headers.get('access-control-allow-origin')).toBe(ours);
    expect(headers.get('access-control-allow-credentials')).toBeNull();
    expect(headers.get('vary')).toMatch(/origin/i);
  }
  for (const { headers } of [await preflight('https://evil.example'), await ask('https://evil.example')])
    expect(headers.get('access-control-allow-origin')).toBeNull();
});

const streams = [get('/graphql/stream', watching), get('/graphql', query)] as const;

test.for([
  ['as a page can send it without asking first', { 'sec-fetch-site': 'same-site' }, 400],
  ['with an empty header', { 'apollo-require-preflight': '' }, 400],
  ['with a token', { authorization: `Bearer ${testToken}` }, 200],
  ['with the type of JSON', { 'content-type': json }, 200],
  ['of EventSource on a page of this server', { 'sec-fetch-site': 'same-origin' }, 200],
] as const)(
  'an event stream by GET %s is rejected unless no page can send it so',
  async ([, headers, expected], { layer, sandbox }) => {
    await sandbox.forgetCalls();
    for (const stream of streams) {
      const given = { accept: events, authorization: '', ...headers };
      const { status, text } = await send(layer, 'GET', stream, given);

      expect(status).toBe(expected);
      expect(text).toContain(expected === 200 ? 'event: next' : 'apollo-require-preflight');
    }
    if (expected !== 200) expect(await sandbox.calls()).toEqual([]);
  },
);
