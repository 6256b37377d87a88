import { setTimeout as sleep } from 'node:timers/promises';
import { test as base, expect, onTestFinished } from 'vitest';
import { fixture } from '../../support/fixture.ts';
import { freePort } from '../../support/free-port.ts';
import { startTestLayer, type TestLayer } from '../../support/layer.ts';
import { startStub } from '../../support/stub.ts';
import { lookForHarm, oddOnes } from '../../support/upstreams/odd-shapes.ts';

const id = '00000000-0000-4000-8000-000000000001';
const times = { before: '2026-01-01T00:00:00Z', after: '2026-01-02T00:00:00Z' };
const watching = `subscription ($companyId: UUID!) {
  recordChanged(companyId: $companyId, types: [CUSTOMER]) { change id lastModifiedDateTime record { ... on Customer { displayName } } }
}`;

/** A layer that is told of changes, or polls them, for companies that are each answered in a way of their own. */
const test = base.extend(
  'scene',
  { scope: 'file' },
  fixture(async ({ onCleanup }) => {
    // By the number of a company and what is asked for it: JSON.
    const scene = {
      odd: new Map<string, string>(),
      subscriptions: null as string | null,
      asked: new Map<string, number>(),
    };
    const port = String(await freePort());
    const notificationUrl = `http://127.0.0.1:${port}/webhooks/records`;
    const stub = await startStub(({ method, target, body }) => {
      const ask = () => {
        if (target.includes('/token')) return 'token';
        if (target.includes('v2.0/subscriptions')) return `subscription ${method}`;
        if (target.includes('desc')) return 'latest';
        return target.includes('%20ge%20') ? 'changes' : 'record';
      };
      const what = ask();
      const [company = ''] = /(?<=companies\()[0-9a-f-]{36}/.exec(`${target} ${body}`) ?? [];
      const key = `${what} ${company}`;
      scene.asked.set(key, (scene.asked.get(key) ?? 0) + 1);
      const usual: Readonly<Record<string, unknown>> = {
        token: { access_token: 'a-token-of-the-layer', token_type: 'Bearer', expires_in: 3_600 },
        latest: { value: [{ id, lastModifiedDateTime: times.before }] },
        changes: { value: [{ id, lastModifiedDateTime: times.after }] },
        record: { id, displayName: 'x' },
        'subscription GET': scene.subscriptions ?? { value: [] },
        'subscription POST': subscription(company, notificationUrl),
        'subscription PATCH': subscription(company, notificationUrl),
      };
      return { body: scene.odd.get(key) ?? usual[what] };
    });
    const layer = await startTestLayer(stub.url, {
      PORT: port,
      PUBLIC_URL: `http://127.0.0.1:${port}`,
      BUSINESS_TOKEN_URL: `${stub.url}/token`,
      BUSINESS_CLIENT_ID: 'tributary',
      BUSINESS_CLIENT_SECRET: 'a-secret-of-the-tests',
      POLL_RECORDS_MS: '20',
      MAX_SUBSCRIPTIONS: '10000',
      MAX_SOCKETS_PER_CALLER: '10000',
    });
    onCleanup(async () => {
      await layer.stop();
      stub.stop();
    });
    return Object.assign(scene, { layer, stub, notificationUrl });
  }),
);

let companies = 0;
const newCompany = () => {
  companies += 1;
  return `00000000-0000-4000-9000-${String(companies).padStart(12, '0')}`;
};

const subscription = (company: string, notificationUrl: string) => ({
  '@odata.etag': 'W/"1"',
  subscriptionId: company,
  notificationUrl,
  resource: `/api/v2.0/companies(${company})/customers`,
  expirationDateTime: '2099-01-01T00:00:00Z',
  clientState: 'x',
});

interface Scene {
  readonly layer: TestLayer;
  readonly asked: ReadonlyMap<string, number>;
}

/** Watches a company until the layer has asked for `what` of it so often, or has told something. */
async function watchUntil({ layer, asked }: Scene, company: string, what: string, times: number) {
  const events = layer.watch(watching, { companyId: company })[Symbol.asyncIterator]();
  const told = events.next();
  told.catch(() => {});
  const isAsked = async () => {
    while ((asked.get(`${what} ${company}`) ?? 0) < times) await sleep(5);
    return null;
  };
  const first = await Promise.race([told, isAsked(), sleep(2_000, null)]);
  await events.return?.();
  return first === null ? {} : first.value;
}

test.for(['latest', 'changes', 'record'] as const)(
  'whatever JSON an upstream responds to a poll for %s, the polls continue or the subscriber gets an error',
  async (what, { scene }) => {
    const { layer } = scene;
    const harm = lookForHarm(layer);
    onTestFinished(harm.stop);
    const body =
      what === 'record' ? { id, displayName: 'x' } : { value: [{ id, lastModifiedDateTime: times.after }] };
    const odd = [...oddOnes(body)];
    while (odd.length > 0) {
      await Promise.all(
        odd.splice(0, 20).map(async (one) => {
          const company = newCompany();
          scene.odd.set(`${what} ${company}`, one.text);
          const event = await watchUntil(scene, company, what, 2);
          harm.look(`${what} ${one.what}`, event);
        }),
      );
    }
    expect(harm.all).toEqual([]);
  },
);

test.for(['POST', 'GET'] as const)(
  'whatever JSON an upstream responds to %s of a subscription, changes are notified or polled',
  async (method, { scene }) => {
    const { layer, notificationUrl } = scene;
    const harm = lookForHarm(layer);
    onTestFinished(harm.stop);
    const odd =
      method === 'POST'
        ? oddOnes(subscription('x', notificationUrl))
        : oddOnes({ value: [subscription('x', notificationUrl)] });
    for (const one of odd) {
      const company = newCompany();
      const text = one.text
        .replaceAll('"x"', () => `"${company}"`)
        .replace('companies(x)', `companies(${company})`);
      if (method === 'POST') scene.odd.set(`subscription POST ${company}`, text);
      else scene.subscriptions = text;
      // Its polls go on, however the registration ends.
      await watchUntil(scene, company, 'changes', 2);
      harm.look(`${method} ${one.what}`);
    }
    scene.subscriptions = null;
    expect(harm.all).toEqual([]);
    const refused = layer.lines().filter(({ msg }) => String(msg).startsWith('Subscribing to changes'));
    expect(refused.length).toBeGreaterThan(50);
  },
);
