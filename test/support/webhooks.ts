import { test as base, expect } from 'vitest';
import type { SandboxOptions } from '../../sandbox/sandbox.ts';
import { sandboxCompanyId } from '../../sandbox/seed.ts';
import { fixture } from './fixture.ts';
import { freePort } from './free-port.ts';
import type { Json } from './json.ts';
import { type Event, startTestLayer, type TestLayer } from './layer.ts';
import { startTestSandbox, type TestSandbox } from './sandbox.ts';

export const changed = `subscription ($types: [RecordType!]) {
  recordChanged(types: $types) {
    type change companyId id recordNodeId lastModifiedDateTime
    record { ... on Customer { nodeId id city } ... on Item { id unitPrice } }
  }
}`;

export const pathOf = (set: string, id?: string) =>
  `/api/v2.0/companies(${sandboxCompanyId})/${set}${id === undefined ? '' : `(${id})`}`;

/** Changes a record past the layer. */
export const change = (sandbox: TestSandbox, set: string, id: string, body: object) =>
  sandbox.send('PATCH', pathOf(set, id), body, { 'if-match': '*' });

/** Makes a record past the layer. */
export async function create(sandbox: TestSandbox, set: string, body: object): Promise<string> {
  return ((await (await sandbox.send('POST', pathOf(set), body)).json()) as Json).id;
}

export const remove = (sandbox: TestSandbox, set: string, id: string) =>
  sandbox.send('DELETE', pathOf(set, id), undefined, { 'if-match': '*' });

/** Steers the sandbox's webhooks. */
export async function steer(sandbox: TestSandbox, body: object): Promise<void> {
  const response = await sandbox.send('POST', '/sandbox/webhooks', body);
  if (!response.ok) throw new Error(await response.text());
}

/** The subscriptions the sandbox has, and what it has sent. */
export async function shown(sandbox: TestSandbox): Promise<{ subscriptions: Json[]; deliveries: Json[] }> {
  return (await sandbox.send('GET', '/sandbox/webhooks')).json() as Promise<Json>;
}

export const isPoll = ({ path }: { readonly path: string }) => path.includes('lastModifiedDateTime%20ge');
export const isToken = ({ path }: { readonly path: string }) => path.includes('/oauth2/');
const isSubscription = ({ path }: { readonly path: string }) => path.includes('/subscriptions');

/** The calls that create, renew or delete webhook subscriptions. */
export const subscriptionWrites = async (sandbox: TestSandbox) =>
  (await sandbox.calls()).filter((call) => isSubscription(call) && call.method !== 'GET');

/** What a layer needs to be told of changes by this sandbox; polls come every half second, or every ten. */
export async function webhookSettings(sandbox: TestSandbox): Promise<Readonly<Record<string, string>>> {
  const port = String(await freePort());
  return {
    PORT: port,
    PUBLIC_URL: `http://127.0.0.1:${port}`,
    BUSINESS_TOKEN_URL: `${sandbox.url}/common/oauth2/token`,
    BUSINESS_CLIENT_ID: 'tributary',
    BUSINESS_CLIENT_SECRET: 'sandbox-secret',
    BUSINESS_SCOPE: 'https://upstream.example/.default',
    POLL_RECORDS_MS: '500',
  };
}

// What has not been told by then is not going to be.
const patienceMs = 30_000;

/** A watcher, who is told from the moment this resolves. */
export async function startWatching(
  layer: TestLayer,
  sandbox: TestSandbox,
  types: readonly string[] = ['CUSTOMER'],
  token?: string,
) {
  const polls = async () => (await sandbox.calls()).filter(isPoll).length;
  const before = await polls();
  const events = layer.watch(changed, { types }, token)[Symbol.asyncIterator]();
  let pending: Promise<IteratorResult<Event>> | null = events.next();
  pending.catch(() => {});
  // Once to know what stands, and once more when the upstream has been asked to tell.
  await expect.poll(polls, { interval: 10 }).toBeGreaterThanOrEqual(before + types.length);
  const next = async (): Promise<Event> => {
    const coming = pending ?? events.next();
    pending = coming;
    // A watcher whose layer ends is told so after the test has looked.
    coming.catch(() => {});
    const { value } = await coming;
    pending = null;
    return value;
  };
  return {
    next,
    /**
     * What is told within a while, by `change` and id. `count` is how many are expected: for these it waits longer on a
     * busy machine, and for the while again after the last of them, so that one too many is seen.
     */
    async during(milliseconds: number, count = 0): Promise<string[]> {
      const told: string[] = [];
      let end = Date.now() + (count > 0 ? patienceMs : milliseconds);
      for (;;) {
        const late = new Promise<null>((resolve) => setTimeout(resolve, Math.max(end - Date.now(), 0), null));
        const event = await Promise.race([next(), late]);
        if (event === null) return told;
        told.push(`${event.data?.recordChanged.change} ${event.data?.recordChanged.id}`);
        if (told.length === count) end = Date.now() + milliseconds;
      }
    },
    leave: async () => void (await events.return?.()),
  };
}

/** Waits until the sandbox has so many subscriptions, and the poll that follows is over. */
export async function subscribed(sandbox: TestSandbox, count = 1): Promise<Json[]> {
  await expect.poll(async () => (await shown(sandbox)).subscriptions.length, { interval: 10 }).toBe(count);
  await new Promise((resolve) => setTimeout(resolve, 100));
  return (await shown(sandbox)).subscriptions;
}

/** Tests with a layer and a sandbox of their own, which tells of changes soon. */
export const webhookTest = (options: SandboxOptions = {}, settings: Readonly<Record<string, string>> = {}) =>
  base
    .extend(
      'sandbox',
      fixture(async ({ onCleanup }) => {
        const sandbox = await startTestSandbox({
          webhooks: { delayMs: 20, retryPausesMs: [20, 20] },
          ...options,
        });
        onCleanup(() => sandbox.stop());
        return sandbox;
      }),
    )
    .extend('layer', async ({ sandbox }, { onCleanup }) => {
      const layer = await startTestLayer(sandbox.url, { ...(await webhookSettings(sandbox)), ...settings });
      onCleanup(() => layer.stop());
      return layer;
    });
