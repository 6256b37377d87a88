import { test as base, expect, onTestFinished } from 'vitest';
import { createFileAddresses } from '../../../src/business/reading/files.ts';
import { createPrincipalHasher } from '../../../src/http/auth/bearer.ts';
import { createOperationHandles } from '../../../src/instances/operations/operation-handle.ts';
import { fixture } from '../../support/fixture.ts';
import { startLayerForTest, startTestLayer, type TestLayer } from '../../support/layer.ts';
import { place, progress, stopInstance } from '../../support/operations.ts';
import { startTestProxy } from '../../support/proxies/http-proxy.ts';
import { type StubAnswer, type StubRequest, startStub } from '../../support/stub.ts';
import { type Decoy, startDecoy, tricks } from '../../support/upstreams/decoy.ts';

const token = 'canary-token-1';
const asyncHeader = 'vendor-asyncoperation';

interface Scene {
  readonly decoy: Decoy;
  /** Where the upstream is; the layer is told no other address. */
  readonly host: string;
  readonly requests: readonly StubRequest[];
  readonly layer: TestLayer;
  /** What the upstream answers from now on. */
  answer(how: (request: StubRequest) => StubAnswer): void;
}

/** A layer before an upstream that names a decoy wherever it can. */
const test = base.extend(
  'scene',
  { scope: 'file' },
  fixture(async ({ onCleanup }): Promise<Scene> => {
    let how: (request: StubRequest) => StubAnswer = () => ({});
    const decoy = await startDecoy();
    const upstream = await startStub((request) => how(request));
    const layer = await startTestLayer(upstream.url);
    onCleanup(async () => {
      await layer.stop();
      upstream.stop();
      await decoy.stop();
    });
    const { host } = new URL(upstream.url);
    const answer: Scene['answer'] = (next) => {
      how = next;
    };
    return { decoy, host, requests: upstream.requests, layer, answer };
  }),
);

// All in one of the headers, one in the other: both are read alike.
test.for([
  ...tricks.map((trick) => [asyncHeader, ...trick] as const),
  ...tricks.slice(0, 1).map((trick) => ['location', ...trick] as const),
])(
  'a URL of another host in %s, %s, is requested from the upstream or not at all',
  async ([name, , write], { scene }) => {
    const { answer, decoy, host, layer, requests } = scene;
    const named = { [name]: write(host, decoy.host, 'operations/1?s=1') };
    const authorization = `Bearer ${token}`;
    const asked = requests.length;
    const stopAndFollow = async () => {
      const query: TestLayer['query'] = (text, variables) => layer.query(text, variables, { authorization });
      const { id } = (await stopInstance({ ...layer, query }, 'app01')).operation;
      await query('query ($id: ID!) { instanceOperation(id: $id) { state } }', { id });
      for await (const { data, errors } of layer.watch(progress, { id }, token))
        if (errors || data?.operationProgress.state !== 'RUNNING') return;
    };
    answer(({ method }) =>
      method === 'POST' ? { status: 202, headers: named } : { body: { status: 'Succeeded' }, headers: named },
    );
    await stopAndFollow();
    // In the header of a poll, of an operation that goes on.
    let polls = 0;
    answer(({ method }) => {
      if (method === 'POST') return { status: 202, headers: { [asyncHeader]: '/operations/0' } };
      polls += 1;
      return polls === 1
        ? { body: { status: 'Running' }, headers: named }
        : { body: { status: 'Succeeded' } };
    });
    await stopAndFollow();

    expect(requests.length).toBeGreaterThanOrEqual(asked + 4);
    expect(decoy.connections()).toBe(0);
    expect(decoy.received()).toBe('');
    for (const { headers } of requests) expect(headers).toMatchObject({ host, authorization });
  },
);

test.for(['/%2e%2e/x', '@decoy.example/x'])(
  'who has the secret cannot make a handle or an address of a file lead to %s',
  async (path) => {
    const upstream = await startStub(() => ({ body: {} }));
    const proxy = await startTestProxy(Number(new URL(upstream.url).port));
    onTestFinished(() => {
      proxy.stop();
      upstream.stop();
    });
    const secret = 'a leaked secret of the tests';
    const layer = await startLayerForTest('http://upstream.example/base', {
      OPERATION_SECRETS: secret,
      HTTP_PROXY: proxy.url,
      BUSINESS_DIALECT: 'dynamics',
    });
    const at = { path, isResult: false };
    const content = { at, sentAt: Date.now(), last: null, owner: null, action: 'stop', instance: place };
    const id = createOperationHandles([secret]).seal(content);
    const principal = createPrincipalHasher(secret)('token', token);
    const options = { secrets: [secret], seconds: 60, baseUrl: '/files/', now: Date.now };
    const file = { path, companyId: 'c', name: 'n', isReplaceable: true, principal };
    const { url } = createFileAddresses(options).create(file);
    const authorization = `Bearer ${token}`;

    const query = 'query ($id: ID!) { instanceOperation(id: $id) { state } }';
    const { errors } = await layer.query(query, { id }, { authorization });
    const watched = [];
    for await (const event of layer.watch(progress, { id }, token)) {
      watched.push(event.errors?.[0]);
      break;
    }
    const files = ['GET', 'PUT'].map((method) =>
      fetch(layer.url + url, { method, headers: { authorization }, ...(method === 'PUT' && { body: 'x' }) }),
    );

    for (const error of [errors?.[0], ...watched])
      expect(error).toMatchObject({ extensions: { code: 'BAD_USER_INPUT' } });
    expect(watched).toHaveLength(1);
    for (const { status } of await Promise.all(files)) expect(status).toBe(400);
    expect([...proxy.requests, ...upstream.requests]).toEqual([]);
  },
);
