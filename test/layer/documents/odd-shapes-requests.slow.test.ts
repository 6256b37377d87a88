import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { test as base, expect, onTestFinished } from 'vitest';
import { WebSocket } from 'ws';
import { fixture } from '../../support/fixture.ts';
import { freePort } from '../../support/free-port.ts';
import { startTestLayer, type TestLayer, testToken } from '../../support/layer.ts';
import { startStub } from '../../support/stub.ts';
import { lookForHarm, oddOnes } from '../../support/upstreams/odd-shapes.ts';

const id = '00000000-0000-4000-8000-000000000001';
const authorization = `Bearer ${testToken}`;

const test = base.extend(
  'layer',
  { scope: 'file' },
  fixture(async ({ onCleanup }) => {
    const stub = await startStub(({ target }) => {
      if (target.includes('/token'))
        return { body: { access_token: 'a-token-of-the-layer', token_type: 'Bearer' } };
      return { body: { id, value: [], properties: {} } };
    });
    const port = String(await freePort());
    const layer = await startTestLayer(stub.url, {
      PORT: port,
      PUBLIC_URL: `http://127.0.0.1:${port}`,
      BUSINESS_TOKEN_URL: `${stub.url}/token`,
      BUSINESS_CLIENT_ID: 'tributary',
      BUSINESS_CLIENT_SECRET: 'a-secret-of-the-tests',
      MAX_SOCKETS_PER_CALLER: '10000',
    });
    onCleanup(async () => {
      await layer.stop();
      stub.stop();
    });
    return layer;
  }),
);

function watchFor(layer: TestLayer) {
  const harm = lookForHarm(layer);
  onTestFinished(harm.stop);
  return harm;
}

const query =
  'query Odd($id: UUID!, $filter: CustomerFilter) { company { customer(id: $id) { city } customers(filter: $filter) { totalCount } } }';
const asked = {
  query,
  operationName: 'Odd',
  variables: { id, filter: { city: { eq: 'Oslo' }, and: [{ creditLimit: { in: ['1'] } }] } },
  extensions: { persistedQuery: { version: 1, sha256Hash: 'x' } },
};
const byHash = { extensions: asked.extensions, documentId: 'x' };
const bodies = [...oddOnes(asked), ...oddOnes(byHash)];

test.for(['/graphql', '/graphql/stream'])(
  'whatever JSON is sent to %s, it is answered or rejected in the format of GraphQL',
  async (path, { layer }) => {
    const harm = watchFor(layer);
    const accept = path === '/graphql' ? 'application/json' : 'text/event-stream';
    for (const { what, text } of bodies) {
      const parameters = new URLSearchParams({ query, variables: text, extensions: text }).toString();
      const isShort = what.startsWith('the body') && parameters.length < 8_000;
      for (const method of isShort ? ['POST', 'GET'] : ['POST']) {
        const response = await fetch(`${layer.url}${path}${method === 'GET' ? `?${parameters}` : ''}`, {
          method,
          headers: {
            'content-type': 'application/json',
            authorization,
            accept,
            'apollo-require-preflight': '1',
          },
          ...(method === 'POST' && { body: text }),
        });
        const answer = await response.json();
        harm.look(`${method} ${what}`, answer as never);
        expect([200, 400, 413], `${method} ${what}`).toContain(response.status);
      }
    }
    expect(harm.all).toEqual([]);
  },
);

test('whatever JSON is sent over a WebSocket, it is answered or closes only that WebSocket', async ({
  layer,
}) => {
  const harm = watchFor(layer);
  const init = {
    type: 'connection_init',
    payload: { authorization, managementAuthorization: authorization },
  };
  const subscribe = {
    id: '1',
    type: 'subscribe',
    payload: { ...asked, query: 'subscription ($id: ID!) { operationProgress(id: $id) { state } }' },
  };
  const talks = [
    ...oddOnes(init).map(({ what, text }) => ({ what: `init: ${what}`, said: [text] })),
    ...oddOnes(subscribe).map(({ what, text }) => ({
      what: `subscribe: ${what}`,
      said: [JSON.stringify(init), text],
    })),
    ...oddOnes({ type: 'ping', payload: { x: 1 } }).map(({ what, text }) => ({
      what: `ping: ${what}`,
      said: [JSON.stringify(init), text],
    })),
    ...oddOnes({ id: '1', type: 'complete' }).map(({ what, text }) => ({
      what: `complete: ${what}`,
      said: [JSON.stringify(init), text],
    })),
  ];
  for (const { what, said } of talks) {
    const socket = new WebSocket(`${layer.url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws');
    await once(socket, 'open');
    const isClosed = once(socket, 'close');
    for (const text of said) {
      const heard = once(socket, 'message').catch(() => {});
      socket.send(text);
      const [message] = ((await Promise.race([heard, isClosed.then(() => []), sleep(50, [])])) ??
        []) as unknown[];
      const { type, payload } = JSON.parse(String(message ?? '{}'));
      harm.look(what, type === 'error' ? { errors: payload } : {});
    }
    socket.terminate();
    const [code] = await isClosed;
    expect([1000, 1005, 1006, 1009, 4400, 4401, 4406, 4409, 4429], what).toContain(code);
  }
  expect(harm.all).toEqual([]);
});
