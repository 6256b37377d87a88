import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { type Event, startTestLayer } from '../../support/layer.ts';
import { type StubAnswer, startStub } from '../../support/stub.ts';

const fields = `title status lastUpdateTime description summary
  impact { impactedService impactedServiceGuid impactedRegions { impactedRegion lastUpdateTime } }`;
const query = `{ healthEvent(trackingId: "A") { ${fields} } }`;
const watched = `subscription { healthEventChanged(trackingId: "A") { ${fields} } }`;
const short = 'subscription { healthEventChanged(trackingId: "A") { title description } }';
const updated = '2025-10-05T10:00:00Z';

interface Scene {
  plain: object;
  /** The details, or how the fetch of them is answered. */
  details: object;
  fetch: StubAnswer | null;
}

/** A layer that looks often at the one event of an upstream. */
async function watching(scene: Scene) {
  const upstream = await startStub(({ method }) => {
    const properties = method === 'GET' ? scene.plain : scene.details;
    return method === 'POST' && scene.fetch ? scene.fetch : { body: { name: 'A', properties } };
  });
  const layer = await startTestLayer(upstream.url, { POLL_HEALTH_MS: '40' });
  onTestFinished(async () => {
    await layer.stop();
    upstream.stop();
  });
  const methods = () => upstream.requests.map(({ method }) => method);
  return {
    layer,
    fetches: () => methods().filter((method) => method === 'POST').length,
    methods,
    /** Waits for so many looks, whatever else is asked. */
    async looks(count: number) {
      const from = methods().length;
      const reads = () =>
        methods()
          .slice(from)
          .filter((method) => method === 'GET').length;
      await expect.poll(reads).toBeGreaterThanOrEqual(count);
    },
  };
}

const reading = (events: AsyncIterable<Event>) => {
  const iterator = events[Symbol.asyncIterator]();
  onTestFinished(async () => void (await iterator.return?.()));
  const next = async () => (await iterator.next()).value as Event;
  return {
    next,
    /** What comes within some looks. */
    async soon() {
      const waiting = next();
      waiting.catch(() => {});
      return Promise.race([waiting, sleep(250, 'silence')]);
    },
  };
};

const advisory = { eventType: 'SecurityAdvisory', status: 'Active', title: 'T', lastUpdateTime: updated };
const withheld = {
  description: 'D',
  impact: [
    {
      impactedService: 'Mail',
      impactedServiceGuid: 'G',
      impactedRegions: [{ impactedRegion: 'North', lastUpdateTime: updated }],
    },
  ],
};
const impact = [{ impactedService: 'Mail', impactedRegions: [{ impactedRegion: 'North' }] }];
const forbidden: StubAnswer = { status: 403, body: { code: 'AuthorizationFailed' } };

test('a subscriber gets what a query returns, with one plain read for each poll and one fetch for each change', async () => {
  const scene: Scene = { plain: { ...advisory, impact }, details: withheld, fetch: null };
  const { layer, looks, fetches, methods } = await watching(scene);
  const events = reading(layer.watch(watched, {}));

  const first = await events.next();
  await looks(4);
  const calls = methods();
  Object.assign(scene, {
    plain: { ...scene.plain, status: 'Resolved', lastUpdateTime: '2025-10-06T10:00:00Z' },
    details: { ...withheld, description: 'Done' },
  });
  const second = await events.next();
  await looks(3);
  const fetched = fetches();
  const { data } = await layer.query(query);

  expect(first).toEqual({
    data: {
      healthEventChanged: {
        title: 'T',
        status: 'ACTIVE',
        lastUpdateTime: updated,
        summary: null,
        ...withheld,
      },
    },
  });
  expect(calls.slice(0, 2)).toEqual(['GET', 'POST']);
  expect(new Set(calls.slice(2))).toEqual(new Set(['GET']));
  expect(second).toEqual({ data: { healthEventChanged: data.healthEvent } });
  expect(data.healthEvent).toMatchObject({ title: 'T', status: 'RESOLVED', description: 'Done' });
  expect(fetched).toBe(2);
});

test('a fetch that fails is reported once at the withheld fields, with the rest, and repeated at each poll', async () => {
  const scene: Scene = { plain: advisory, details: { description: 'D' }, fetch: { status: 503, body: '' } };
  const { layer, looks, fetches } = await watching(scene);
  const events = reading(layer.watch(short, {}));

  expect(await events.next()).toMatchObject({
    data: { healthEventChanged: { title: 'T', description: null } },
    errors: [{ path: ['healthEventChanged', 'description'], extensions: { code: 'UPSTREAM_UNAVAILABLE' } }],
  });
  const next = events.next();
  await looks(4);
  expect(await Promise.race([next, sleep(0, 'silence')])).toBe('silence');
  expect(fetches()).toBeGreaterThan(2);
  scene.fetch = null;
  expect(await next).toEqual({ data: { healthEventChanged: { title: 'T', description: 'D' } } });
});

test('a new subscriber gets nothing that is withheld by then, though an earlier subscriber with the same token did', async () => {
  const scene: Scene = { plain: advisory, details: { description: 'D' }, fetch: null };
  const { layer, looks, fetches } = await watching(scene);
  const earlier = reading(layer.watch(short, {}));
  expect(await earlier.next()).toEqual({ data: { healthEventChanged: { title: 'T', description: 'D' } } });
  scene.fetch = forbidden;

  const later = reading(layer.watch(short, {}));
  const first = await later.next();
  await looks(3);
  const fetched = fetches();
  scene.plain = { ...advisory, title: 'U', lastUpdateTime: '2025-10-06T10:00:00Z' };

  const refused = (title: string) => ({
    data: { healthEventChanged: { title, description: null } },
    errors: [{ path: ['healthEventChanged', 'description'], extensions: { code: 'FORBIDDEN' } }],
  });
  expect(first).toMatchObject(refused('T'));
  expect(fetched).toBe(2);
  expect(await earlier.next()).toMatchObject(refused('U'));
  expect(await later.next()).toMatchObject(refused('U'));
  expect(fetches()).toBe(3);
});
