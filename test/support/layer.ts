import type { GraphQLFormattedError } from 'graphql';
import { createClient as createEventClient } from 'graphql-sse';
import { createClient as createSocketClient } from 'graphql-ws';
import { pino } from 'pino';
import { test as base } from 'vitest';
import { WebSocket } from 'ws';
import { readConfig } from '../../src/config.ts';
import { startLayer } from '../../src/layer.ts';
import type { SandboxOptions } from '../../src/sandbox/sandbox.ts';
import { sandboxCompanyId } from '../../src/sandbox/seed/seed.ts';
import type { ExplainedCall } from '../../src/upstream/explain.ts';
import { startTestSandbox, type TestSandbox } from './sandbox.ts';

/** An answer to a query: tests know what they asked, so data is what they say it is. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: the shape of data is the query's
  readonly data: any;
  readonly errors?: readonly (GraphQLFormattedError & { extensions: Record<string, unknown> })[];
  /** What `tributary-explain: 1` asks for. */
  readonly extensions?: { readonly upstream: readonly ExplainedCall[] };
}

/** What a subscription tells. */
export interface Event {
  // biome-ignore lint/suspicious/noExplicitAny: the shape of data is the subscription's
  readonly data?: any;
  readonly errors?: Answer['errors'];
}

export interface TestLayer {
  readonly url: string;
  query(
    query: string,
    variables?: Readonly<Record<string, unknown>>,
    headers?: Readonly<Record<string, string>>,
  ): Promise<Answer>;
  /** A subscription over WebSocket, by a real client. */
  watch(query: string, variables: Record<string, unknown>, token?: string): AsyncIterable<Event>;
  /** The same over server-sent events. */
  watchEvents(query: string, variables: Record<string, unknown>, token?: string): AsyncIterable<Event>;
  stop(): Promise<void>;
}

export const testToken = 'tester';

/** A layer in front of a sandbox, with other settings where given; stop it afterwards. */
export async function startTestLayer(
  sandboxUrl: string,
  settings: Readonly<Record<string, string>> = {},
): Promise<TestLayer> {
  const config = readConfig(
    {
      PORT: '0',
      BUSINESS_URL: sandboxUrl,
      MANAGEMENT_URL: sandboxUrl,
      BUSINESS_COMPANY_ID: sandboxCompanyId,
      OPERATION_POLL_MS: '20',
      OPERATION_SECRETS: 'a secret of the tests',
      // biome-ignore lint/style/noProcessEnv: the test project says which executor it tests
      COMPILE_AFTER: process.env.COMPILE_AFTER,
      ...settings,
    },
    () => '',
  );
  const server = await startLayer(config, null, pino({ level: 'silent' }));

  return {
    url: server.url,
    stop: server.stop,
    async query(query, variables, headers = {}) {
      const response = await fetch(`${server.url}/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${testToken}`, ...headers },
        body: JSON.stringify({ query, variables }),
      });
      const body = (await response.json()) as Pick<Answer, 'data' | 'errors' | 'extensions'>;
      return { status: response.status, headers: response.headers, ...body };
    },
    watch: (query, variables, token = testToken) => {
      const client = createSocketClient({
        url: `${server.url.replace('http', 'ws')}/graphql`,
        webSocketImpl: WebSocket,
        connectionParams: { authorization: `Bearer ${token}` },
        retryAttempts: 0,
      });
      return client.iterate({ query, variables }) as AsyncIterable<Event>;
    },
    watchEvents: (query, variables, token = testToken) => {
      const client = createEventClient({
        url: `${server.url}/graphql/stream`,
        headers: { authorization: `Bearer ${token}` },
        retryAttempts: 0,
      });
      return client.iterate({ query, variables }) as AsyncIterable<Event>;
    },
  };
}

/** Tests with a layer in front of a sandbox; both start with the file, and every test finds the sandbox as new. */
export const testWith = (options: SandboxOptions, settings: Readonly<Record<string, string>>) =>
  base
    // biome-ignore lint/correctness/noEmptyPattern: vitest reads from the pattern what a fixture needs
    .extend('startedSandbox', { scope: 'file' }, async ({}, { onCleanup }) => {
      const sandbox = await startTestSandbox(options);
      onCleanup(() => sandbox.stop());
      return sandbox;
    })
    .extend('startedLayer', { scope: 'file' }, async ({ startedSandbox }, { onCleanup }) => {
      const layer = await startTestLayer(startedSandbox.url, settings);
      onCleanup(() => layer.stop());
      return layer;
    })
    .extend('sandbox', async ({ startedSandbox }): Promise<TestSandbox> => {
      await startedSandbox.reset();
      return startedSandbox;
    })
    .extend('layer', async ({ sandbox: _reset, startedLayer }) => startedLayer);

/** The same with the usual options of both. */
export const test = testWith({}, {});
