import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { freePort } from '../../support/free-port.ts';
import { type Event, startTestLayer, type TestLayer } from '../../support/layer.ts';
import { progress, stopInstance } from '../../support/operations.ts';
import { hasRedis, startTestRedis, type TestRedis } from '../../support/redis.ts';
import { type Stub, startStub } from '../../support/stub.ts';
import { lookForHarm, oddOnes } from '../../support/upstreams/odd-shapes.ts';

const id = '00000000-0000-4000-8000-000000000001';
const at = '2026-01-01T00:00:00Z';

let redis: TestRedis;
let writer: Redis;
let upstream: Stub;
let layer: TestLayer;
beforeAll(async () => {
  if (!hasRedis) return;
  redis = await startTestRedis();
  writer = new Redis(redis.url);
  const port = String(await freePort());
  upstream = await startStub(({ method, target, body }) => {
    if (target.includes('/token'))
      return { body: { access_token: 'a-token-of-the-layer', token_type: 'Bearer' } };
    if (target.includes('v2.0/subscriptions'))
      return {
        body: method === 'GET' ? { value: [] } : { ...JSON.parse(body || '{}'), subscriptionId: 's' },
      };
    if (target.includes('/stop?'))
      return { status: 202, headers: { 'vendor-asyncoperation': '/operations/1' } };
    if (target.includes('/operations/')) return { body: { status: 'Running', percentComplete: 77 } };
    return { body: { value: [{ id, displayName: 'x', lastModifiedDateTime: at }] } };
  });
  layer = await startTestLayer(upstream.url, {
    PORT: port,
    REDIS_URL: redis.url,
    PUBLIC_URL: `http://127.0.0.1:${port}`,
    BUSINESS_TOKEN_URL: `${upstream.url}/token`,
    BUSINESS_CLIENT_ID: 'tributary',
    BUSINESS_CLIENT_SECRET: 'a-secret-of-the-tests',
  });
});
afterAll(async () => {
  if (!hasRedis) return;
  await layer.stop();
  upstream.stop();
  writer.disconnect();
  await redis.kill();
});

const channels = async () => (await writer.pubsub('CHANNELS', 'tributary:*')) as string[];

const isHeard = (own: readonly string[]) => async () =>
  (await channels()).some((channel) => own.includes(channel));

/** Tells a channel something as a replica does: whoever comes later hears it, too. */
const tell = (channel: string, message: string) =>
  writer.multi().set(`${channel}:last`, message, 'PX', 7_000).publish(channel, message).exec();

/** The channels that come with what is started, and what is told to its watcher. */
async function watchOn(start: () => AsyncIterable<Event>) {
  const before = await channels();
  const ownChannels = async () => (await channels()).filter((channel) => !before.includes(channel));
  const told: Event[] = [];
  const events = start()[Symbol.asyncIterator]();
  const read = async () => {
    for (let next = await events.next(); !next.done; next = await events.next()) told.push(next.value);
  };
  const ended = read().catch((error: unknown) => told.push({ errors: [error as never] }));
  await expect.poll(ownChannels, { interval: 10 }).not.toEqual([]);
  await sleep(300);
  const own = await ownChannels();
  return {
    told,
    own,
    async leave() {
      await events.return?.();
      await ended;
    },
  };
}

const step = {
  operationId: '/x',
  name: 'x',
  status: 'Running',
  state: 'RUNNING',
  startTime: at,
  endTime: null,
  percentComplete: 5,
  error: {
    code: 'x',
    message: 'x',
    target: null,
    details: [{ code: 'x', message: null, target: null, details: [], additionalInfo: [] }],
    additionalInfo: [{ type: 'x', info: { x: 1 } }],
  },
};

test.runIf(hasRedis)(
  'whatever Redis holds on the progress of an operation, subscribers receive only plausible states',
  async () => {
    const harm = lookForHarm(layer);
    onTestFinished(harm.stop);
    const { operation } = await stopInstance(layer, 'app01');
    const start = () => layer.watch(progress, { id: operation.id });
    let watcher = await watchOn(start);
    let number = Date.now() + 60_000;
    const told = {
      number: 0,
      state: { ...step, operations: [{ ...step, operations: [] }] },
      isFinished: false,
    };
    for (const odd of oddOnes(told)) {
      number += 1;
      for (const channel of watcher.own)
        await tell(channel, odd.text.replace('"number":0', `"number":${number}`));
      await sleep(4);
      for (const event of watcher.told.splice(0)) harm.look(odd.what, event);
      harm.look(odd.what);
      // That it is over is believed.
      if (odd.what !== 'isFinished is true') continue;
      await watcher.leave();
      await expect.poll(isHeard(watcher.own)).toBe(false);
      await writer.flushall();
      watcher = await watchOn(start);
    }
    await watcher.leave();
    expect(harm.all).toEqual([]);

    await expect.poll(isHeard(watcher.own)).toBe(false);
    await writer.flushall();
    watcher = await watchOn(start);
    await expect.poll(() => watcher.told.at(-1)?.data?.operationProgress.percentComplete).toBe(77);
    await watcher.leave();
  },
);

test.runIf(hasRedis)(
  'whatever Redis holds on throttled callers, no caller waits that is not throttled',
  async () => {
    const harm = lookForHarm(layer);
    onTestFinished(harm.stop);
    const [pace = ''] = (await channels()).filter((channel) => channel.includes('{pace}'));
    const odd = [...oddOnes('x')].map(({ text }) => text);
    const values = ['', 'x', '1', '-1', '1e400', '1e308', 'NaN', '__proto__', 'constructor', ...odd];
    for (const upstreamName of ['business', '__proto__', 'constructor', ''])
      for (const value of values)
        for (const text of [
          value,
          `${upstreamName} ${value} 1`,
          `${upstreamName} x ${value}`,
          `${upstreamName} ${value}`,
        ])
          await tell(pace, text);
    harm.look('all');

    expect(harm.all).toEqual([]);
    const { status, errors } = await layer.query('{ companies { nodes { id } } }');
    expect([status, errors]).toEqual([200, undefined]);
  },
);
