import { startTestLayer, type TestLayer, testWith } from '../layer.ts';
import type { JournalEntry, TestSandbox } from '../sandbox.ts';
import { type FaultProxy, startFaultProxy } from './fault-proxy.ts';

/** What most tests switch off: they count calls, and share a layer. */
export const asDeployed = { UPSTREAM_ATTEMPTS: '3', UPSTREAM_BREAKER_FAILURES: '20' };

/**
 * Tests of a layer that reaches all of its sandbox through a proxy. Layer and proxy are every test's own: what one
 * has learned of its upstream is no business of the next.
 */
export const testDisturbed = (settings: Readonly<Record<string, string>> = {}) =>
  testWith({}, {})
    .extend('proxy', async ({ sandbox }, { onCleanup }): Promise<FaultProxy> => {
      const proxy = await startFaultProxy(sandbox.url);
      onCleanup(() => proxy.stop());
      return proxy;
    })
    .extend('disturbed', async ({ proxy }, { onCleanup }): Promise<TestLayer> => {
      const layer = await startTestLayer(proxy.url, { ...asDeployed, ...settings });
      onCleanup(() => layer.stop());
      return layer;
    });

/** What a call was, as far as it is repeated when the call is. */
export const shapeOf = ({ method, path, headers, body }: JournalEntry) => ({
  method,
  path,
  range: headers.range,
  body,
});

/** The methods of all calls, in their order. */
export const methodsOf = async (sandbox: TestSandbox): Promise<readonly string[]> =>
  (await sandbox.calls()).map(({ method }) => method);

/** All requests that came to a proxy, whether the upstream heard of them or not. */
export const requestsOf = ({ connections }: FaultProxy): readonly string[] =>
  connections.flatMap(({ requests }) => requests);

/** The connections that have carried a request and are still open. */
export const busyOf = ({ connections }: FaultProxy) =>
  connections.filter(({ isOpen, requests }) => isOpen && requests.length > 0);
