import { setTimeout as sleep } from 'node:timers/promises';
import { test as base, expect, onTestFinished } from 'vitest';
import { fixture } from '../../support/fixture.ts';
import { startTestLayer } from '../../support/layer.ts';
import { startStub } from '../../support/stub.ts';
import { lookForHarm } from '../../support/upstreams/odd-shapes.ts';

const id = '00000000-0000-4000-8000-000000000001';

const test = base.extend(
  'scene',
  { scope: 'file' },
  fixture(async ({ onCleanup }) => {
    const scene = { headers: {} as Readonly<Record<string, string>>, status: 200 };
    const stub = await startStub(() => ({ ...scene, body: { id, value: [], properties: {} } }));
    const layer = await startTestLayer(stub.url, { POLL_RECORDS_MS: '50', POLL_HEALTH_MS: '50' });
    onCleanup(async () => {
      await layer.stop();
      stub.stop();
    });
    return Object.assign(scene, { layer, stub });
  }),
);

const oddHeaders = [
  '',
  '0',
  '-1',
  '1.5',
  '1e400',
  '9'.repeat(400),
  '99999999999',
  'NaN',
  '__proto__',
  'constructor',
  'x'.repeat(4_000),
  '\u00ff',
  ',',
  '[]',
  '{}',
  'null',
  'Fri, 31 Dec 9999 23:59:59 GMT',
  'Sat, 13 Sep 275760 00:00:00 GMT',
  '//',
  'https://[',
  '::',
  '%',
  '/%ff',
  '/a?b#c',
];
const names = [
  'retry-after',
  'retry-after-ms',
  'x-ms-retry-after-ms',
  'date',
  'location',
  'vendor-asyncoperation',
  'etag',
  'content-type',
  'allow',
  'www-authenticate',
];

test.for([202, 404, 429, 503])(
  'whatever a header of a response with %i contains, no call is repeated in a loop',
  async (status, { scene }) => {
    const { layer, stub } = scene;
    const harm = lookForHarm(layer);
    onTestFinished(harm.stop);
    let callers = 0;
    for (const name of names) {
      for (const text of oddHeaders) {
        Object.assign(scene, { status, headers: { [name]: text } });
        callers += 1;
        const as = { authorization: `Bearer caller-number-${callers}` };
        const stop = `mutation { stopApplicationInstance(input: { instance: { names: { subscriptionId: "a", resourceGroupName: "b", virtualInstanceName: "c", applicationInstanceName: "d" } } }) { operation { id state } userErrors { code } } }`;
        for (const document of [
          `{ company { customer(id: "${id}") { city } } healthEvent(trackingId: "SI_1") { title } }`,
          stop,
        ]) {
          const answer = await layer.query(document, {}, as);
          harm.look(`${name}: ${text}`, answer);
          const handle = answer.data?.stopApplicationInstance?.operation?.id;
          if (handle)
            harm.look(
              `${name}: ${text}`,
              await layer.query(
                'query ($id: ID!) { instanceOperation(id: $id) { state } }',
                { id: handle },
                as,
              ),
            );
          for (const { extensions } of answer.errors ?? [])
            expect(extensions.retryAfterSeconds, `${name}: ${text}`).not.toBeNull();
        }
      }
    }
    // Who polls: each watcher for as long as a few polls take, all at once.
    Object.assign(scene, { status, headers: {} });
    for (const text of oddHeaders) {
      Object.assign(scene, { headers: { 'retry-after': text } });
      const before = stub.requests.length;
      const documents = [
        `subscription { recordChanged(companyId: "${id}", types: [CUSTOMER]) { id } }`,
        'subscription { healthEventChanged(trackingId: "SI_1") { title } }',
      ];
      const watchers = documents.map((document) =>
        layer.watch(document, {}, `watcher-number-${callers}`)[Symbol.asyncIterator](),
      );
      for (const watcher of watchers) watcher.next().catch(() => {});
      await sleep(150);
      await Promise.all(watchers.map((watcher) => watcher.return?.()));
      harm.look(`retry-after: ${text}`);
      if (stub.requests.length - before > 25)
        harm.look(`retry-after: ${text}`, {
          errors: [{ message: `${stub.requests.length - before} requests`, extensions: {} }],
        });
      callers += 1;
    }
    expect(harm.all).toEqual([]);
  },
);
