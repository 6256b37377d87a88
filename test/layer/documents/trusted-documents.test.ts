import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from 'graphql-ws';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { type Event, startTestLayer, type TestLayer, testToken } from '../../support/layer.ts';
import { startTestSandbox, type TestSandbox } from '../../support/sandbox.ts';

const customers =
  'query Customers($first: Int) { company { customers(first: $first) { nodes { number } } } }';
const watch = 'subscription Watch($id: String!) { healthEventChanged(trackingId: $id) { title } }';
const hashOf = (text: string) => createHash('sha256').update(text).digest('hex');

let folder: string;
let sandbox: TestSandbox;
let layer: TestLayer;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'documents-'));
  const path = join(folder, 'persisted-documents.json');
  const manifest = Object.fromEntries([customers, watch].map((text) => [`sha256:${hashOf(text)}`, text]));
  await writeFile(path, JSON.stringify(manifest));
  sandbox = await startTestSandbox();
  layer = await startTestLayer(sandbox.url, { TRUSTED_DOCUMENTS: path });
});
afterAll(async () => {
  await layer.stop();
  await sandbox.stop();
  await rm(folder, { recursive: true });
});

const authorization = `Bearer ${testToken}`;

async function post(body: unknown): Promise<Event & { status: number }> {
  const response = await fetch(`${layer.url}/graphql`, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return { status: response.status, ...((await response.json()) as Event) };
}

async function get(parameters: Record<string, string>, path = '/graphql'): Promise<Event> {
  const accept = path === '/graphql' ? 'application/json' : 'text/event-stream';
  const headers = { authorization, accept, 'apollo-require-preflight': '1' };
  return (await (
    await fetch(`${layer.url}${path}?${new URLSearchParams(parameters)}`, { headers })
  ).json()) as Event;
}

describe('with trusted documents', () => {
  test.each([
    ['an id', () => ({ documentId: hashOf(customers) })],
    [
      'the hash of Apollo clients',
      () => ({ extensions: { persistedQuery: { version: 1, sha256Hash: hashOf(customers) } } }),
    ],
    ['its text', () => ({ query: customers })],
  ])('one is executed by %s, with its variables, by POST and by GET', async (_how, reference) => {
    const posted = await post({ ...reference(), variables: { first: 2 } });
    const { extensions, ...texts } = reference() as { extensions?: unknown };
    const got = await get({
      ...(texts as Record<string, string>),
      ...(extensions !== undefined && { extensions: JSON.stringify(extensions) }),
      variables: '{"first":2}',
    });

    expect(posted.errors).toBeUndefined();
    expect(posted.data.company.customers.nodes).toHaveLength(2);
    expect(got.data).toEqual(posted.data);
  });

  test('a subscription runs by its id, over WebSocket and event streams', async () => {
    const payload = { query: '', documentId: hashOf(watch), variables: { id: 'SI_1-QRT' } };
    const socket = createClient({
      url: `${layer.url.replace('http', 'ws')}/graphql`,
      webSocketImpl: WebSocket,
      connectionParams: { authorization },
      retryAttempts: 0,
    });
    const stream = await fetch(`${layer.url}/graphql/stream`, {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json', accept: 'text/event-stream' },
      body: JSON.stringify(payload),
    });

    const overSocket = await first(socket.iterate(payload) as AsyncIterable<Event>);
    let overStream = '';
    for await (const piece of stream.body ?? []) {
      overStream += Buffer.from(piece);
      if (overStream.includes('event: next')) break;
    }

    expect(overSocket.data?.healthEventChanged.title).toEqual(expect.any(String));
    expect(overStream).toContain('"healthEventChanged":{"title":');
  });
});

test('another document is rejected on every transport, introspection included', async () => {
  const query = '{ company { customers(first: 1) { nodes { id } } } }';
  const subscription = 'subscription { healthEventChanged(trackingId: "SI_1-QRT") { summary } }';

  const answers = [
    await post({ query }),
    await post({ query: '{ __schema { queryType { name } } }' }),
    await get({ query }),
    await first(layer.watch(subscription, {})),
    await get({ query: subscription }, '/graphql/stream'),
  ];

  for (const { errors } of answers)
    expect(errors).toMatchObject([{ extensions: { code: 'DOCUMENT_NOT_TRUSTED' } }]);
});

// Over WebSocket a refusal is what the client throws.
async function first(events: AsyncIterable<Event>): Promise<Event> {
  try {
    for await (const event of events) return event;
  } catch (errors) {
    return { errors: errors as NonNullable<Event['errors']> };
  }
  throw new Error('The stream has no event.');
}
