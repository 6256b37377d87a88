import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { GraphQLFormattedError } from 'graphql';
import { createClient as createEventClient } from 'graphql-sse';
import { createClient as createSocketClient } from 'graphql-ws';
import { test as base, expect, onTestFinished } from 'vitest';
import { WebSocket } from 'ws';
import type { SandboxOptions } from '../../sandbox/sandbox.ts';
import { sandboxCompanyId } from '../../sandbox/seed.ts';
import { startTributary } from '../../src/app/compose.ts';
import { createLogger } from '../../src/app/log.ts';
import type { ExplainedCall } from '../../src/http/call-tracing.ts';
import { mapAsyncIterator } from '../../src/runtime/async-iterators.ts';
import { readTestConfig } from './constants.ts';
import { fixture } from './fixture.ts';
import type { Json } from './json.ts';
import { createLeaks, everyToken } from './leaks.ts';
import { type MetricsPage, readMetrics } from './metrics.ts';
import { testWithSandbox } from './sandbox.ts';
import { type StubAnswer, type StubRequest, startStub } from './stub.ts';

/** An answer to a query: tests know what they asked, so data is what they say it is. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly data: Json;
  readonly errors?: readonly (GraphQLFormattedError & { extensions: Record<string, unknown> })[];
  /** What `tributary-explain: 1` asks for. */
  readonly extensions?: { readonly upstream: readonly ExplainedCall[] };
}

/** What a subscription tells. */
export interface Event {
  readonly data?: Json;
  readonly errors?: Answer['errors'];
}

/** A line of the log. */
export type Line = Readonly<Record<string, unknown>>;

const keptLines = 500;

export type TestLayer = Awaited<ReturnType<typeof startTestLayer>>;

/** What most requests are sent with: a sandbox lets it do everything. */
export const testToken = 'canary-token-of-the-tests';

/**
 * A layer in front of a sandbox, with other settings where given; stop it afterwards.
 *
 * Whatever a test asks: no token it sends, and no secret of the settings, may turn up in an answer, an event, a metric
 * or the log, and no address of an upstream in an error, a metric or the log. The test fails that makes the layer tell one.
 */
export async function startTestLayer(
  sandboxUrl: string,
  settings: Readonly<Record<string, string>> = {},
  mode: 'dev' | 'serve' = 'dev',
) {
  const config = readTestConfig(
    {
      PORT: '0',
      ADMIN_PORT: 'off',
      // The tests themselves keep the event loop busy.
      MAX_LOOP_DELAY_MS: '60000',
      // To a layer that verifies nobody all requests of a test are one caller's: they come from one address.
      MAX_REQUESTS_PER_CALLER: '100000',
      BUSINESS_URL: sandboxUrl,
      MANAGEMENT_URL: sandboxUrl,
      BUSINESS_COMPANY_ID: sandboxCompanyId,
      OPERATION_POLL_MS: '20',
      OPERATION_SECRETS: 'a secret of the tests',
      // Many faults are set on one layer: those of one test are not to fail the next.
      UPSTREAM_BREAKER_FAILURES: '1000000',
      // Most tests say how often a fault comes by how often a call is made.
      UPSTREAM_ATTEMPTS: '1',
      LOG_LEVEL: 'debug',
      ...settings,
    },
    (path) => readFileSync(path, 'utf8'),
  );
  const { BUSINESS_URL, MANAGEMENT_URL, OPERATION_SECRETS } = config;
  const { BUSINESS_CLIENT_SECRET, MANAGEMENT_CLIENT_SECRET } = config;
  const [secrets, addresses] = [createLeaks(), createLeaks()];
  const sent = (token: string) => {
    secrets.keep(token);
    everyToken.keep(token);
  };
  const check = () => {
    secrets.check();
    addresses.check();
  };
  for (const secret of [BUSINESS_CLIENT_SECRET, MANAGEMENT_CLIENT_SECRET, ...(OPERATION_SECRETS ?? [])])
    secrets.keep(secret ?? '');
  for (const url of [BUSINESS_URL, MANAGEMENT_URL]) if (url) addresses.keep(new URL(url).host);
  // So do the tokens begin that the layer is given, and its handles.
  addresses.keep('eyJhbGci');
  const lines: Line[] = [];
  const write = (line: string) => {
    if (lines.push(JSON.parse(line) as Line) > keptLines) lines.shift();
    secrets.look('the log', line);
    addresses.look('the log', line);
  };
  const server = await startTributary(config, null, createLogger({ LOG_LEVEL: 'debug' }, { write }), mode);

  const withoutLeaks = (events: AsyncIterable<unknown>): AsyncIterable<Event> =>
    mapAsyncIterator(events[Symbol.asyncIterator]() as AsyncIterator<Event>, (event) => {
      secrets.look('an event', JSON.stringify(event));
      addresses.look('an error of an event', JSON.stringify(event.errors ?? []));
      check();
      return event;
    });

  async function query(
    text: string,
    variables?: Readonly<Record<string, unknown>>,
    given: Readonly<Record<string, string>> = {},
  ): Promise<Answer> {
    const headers = {
      'content-type': 'application/json',
      authorization: `Bearer ${testToken}`,
      ...given,
    };
    for (const value of Object.values(headers)) if (/^bearer /i.test(value)) sent(value.slice(7).trim());
    const response = await fetch(`${server.url}/graphql`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ query: text, variables }),
    });
    const answered = await response.text();
    const body = JSON.parse(answered) as Pick<Answer, 'data' | 'errors' | 'extensions'>;
    secrets.look('an answer', answered);
    secrets.look('a header of an answer', JSON.stringify([...response.headers]));
    addresses.look('an error', JSON.stringify(body.errors ?? []));
    check();
    return { status: response.status, headers: response.headers, ...body };
  }

  return {
    url: server.url,
    adminUrl: server.adminUrl,
    async stop() {
      await server.stop();
      check();
    },
    /** The last lines of the log, and of them those of one request. */
    lines: (): readonly Line[] => [...lines],
    linesOf: (id: string): readonly Line[] => lines.filter(({ requestId }) => requestId === id),
    /** What `/metrics` tells, where there is an admin port. */
    async metrics(): Promise<MetricsPage> {
      const text = await (await fetch(`${server.adminUrl}/metrics`)).text();
      secrets.look('a metric', text);
      addresses.look('a metric', text);
      check();
      return readMetrics(text);
    },
    query,
    /** The data of a query that has no errors. */
    async read(...asked: Parameters<typeof query>): Promise<Json> {
      const { data, errors } = await query(...asked);
      expect(errors, asked[0]).toBeUndefined();
      return data;
    },
    /** A subscription over WebSocket, by a real client. */
    watch: (query: string, variables: Record<string, unknown>, token = testToken) => {
      sent(token);
      const client = createSocketClient({
        url: `${server.url.replace('http', 'ws')}/graphql`,
        webSocketImpl: WebSocket,
        connectionParams: { authorization: `Bearer ${token}` },
        retryAttempts: 0,
      });
      return withoutLeaks(client.iterate({ query, variables }));
    },
    /** The same over server-sent events. */
    watchEvents: (query: string, variables: Record<string, unknown>, token = testToken) => {
      sent(token);
      const client = createEventClient({
        url: `${server.url}/graphql/stream`,
        headers: { authorization: `Bearer ${token}` },
        retryAttempts: 0,
      });
      return withoutLeaks(client.iterate({ query, variables }));
    },
  };
}

type Settings = Readonly<Record<string, string>>;

/** A layer that stops with the test. */
export async function startLayerForTest(url: string, settings: Settings = {}, mode?: 'dev' | 'serve') {
  const layer = await startTestLayer(url, settings, mode);
  onTestFinished(() => layer.stop());
  return layer;
}

/** Returns the first event of a stream and leaves the stream. */
export async function firstOf(events: AsyncIterable<Event>): Promise<Event> {
  for await (const event of events) return event;
  throw new Error('The stream has no event.');
}

/** Opens a WebSocket to a layer, and sends nothing. */
export async function openSocket({ url }: TestLayer, headers: Settings = {}): Promise<WebSocket> {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws', { headers });
  socket.on('error', () => {});
  await once(socket, 'open');
  return socket;
}

/** Sends a message and returns the next message that arrives. */
export async function say(socket: WebSocket, message: object): Promise<Json> {
  socket.send(JSON.stringify(message));
  return JSON.parse(String((await once(socket, 'message'))[0]));
}

/** A layer in front of an upstream that answers as given; both stop with the test. */
export async function startBeforeStub(
  answer: Parameters<typeof startStub>[0],
  settings: Settings | ((url: string) => Settings) = {},
) {
  const stub = await startStub(answer);
  // What is registered last is stopped first.
  onTestFinished(() => stub.stop());
  const layer = await startLayerForTest(
    stub.url,
    typeof settings === 'function' ? settings(stub.url) : settings,
  );
  return { stub, layer };
}

/** Tests with a layer in front of an upstream that answers as `scene.answer` says; both start with the file. */
export const testBeforeStub = (answer: (request: StubRequest) => StubAnswer, settings: Settings = {}) =>
  base.extend(
    'scene',
    { scope: 'file' },
    fixture(async ({ onCleanup }) => {
      const scene = { answer };
      const stub = await startStub((request) => scene.answer(request));
      const layer = await startTestLayer(stub.url, settings);
      onCleanup(async () => {
        await layer.stop();
        stub.stop();
      });
      return Object.assign(scene, { stub, layer });
    }),
  );

/** Tests with a layer in front of a sandbox; both start with the file, and every test finds the sandbox as new. */
export const testWith = (options: SandboxOptions, settings: Readonly<Record<string, string>>) =>
  testWithSandbox(options)
    .extend('startedLayer', { scope: 'file' }, async ({ startedSandbox }, { onCleanup }) => {
      const layer = await startTestLayer(startedSandbox.url, settings);
      onCleanup(() => layer.stop());
      return layer;
    })
    .extend('layer', async ({ sandbox: _reset, startedLayer }) => startedLayer);

/** The same with the usual options of both. */
export const test = testWith({}, {});
