import { expect, onTestFinished, test } from 'vitest';
import { openSocket, say } from '../../support/layer.ts';
import { post, startLimitedLayer as start, statusesOf } from '../../support/limited-layer.ts';
import { hasRedis, startTestRedis } from '../../support/redis.ts';

const watching = 'subscription { healthEventChanged(trackingId: "SI_1-QRT") { title } }';

test("a request that exceeds a caller's rate is RATE_LIMITED, with 429 and Retry-After", async () => {
  const { issuer, layer } = await start();
  const token = await issuer.token('ann');

  expect(await statusesOf(layer.url, [token])).toEqual([200]);
  const response = await post(layer.url, token);

  expect([response.status, response.headers.get('retry-after')]).toEqual([429, '1']);
  expect(await response.json()).toEqual({
    errors: [
      {
        message: expect.stringContaining('Try again in 1 s'),
        extensions: {
          code: 'RATE_LIMITED',
          retryAfterSeconds: 1,
          requestId: response.headers.get('x-request-id'),
        },
      },
    ],
  });
  expect((await layer.metrics()).of('tributary_refusals_total', { code: 'RATE_LIMITED' })).toBe(1);
});

test('a subscription over WebSocket that exceeds the rate is RATE_LIMITED, and its WebSocket stays open', async () => {
  const { issuer, layer } = await start();
  const token = await issuer.token('ann');
  const socket = await openSocket(layer);
  onTestFinished(() => socket.terminate());
  await say(socket, { type: 'connection_init', payload: { authorization: `Bearer ${token}` } });
  await statusesOf(layer.url, [token]);

  const refused = await say(socket, { id: '1', type: 'subscribe', payload: { query: watching } });

  expect(refused).toMatchObject({
    id: '1',
    type: 'error',
    payload: [{ extensions: { code: 'RATE_LIMITED', retryAfterSeconds: 1, requestId: expect.any(String) } }],
  });
  expect(await say(socket, { type: 'ping' })).toEqual({ type: 'pong' });
});

test('the rate applies to a caller, not to a token, and recovers with time', async () => {
  const { issuer, layer } = await start();
  const tokens = await Promise.all(['ann', 'ann', 'ben'].map((name) => issuer.token(name)));
  expect(await statusesOf(layer.url, tokens)).toEqual([200, 429, 200]);

  await expect
    .poll(async () => (await post(layer.url, tokens[0] as string)).status, { interval: 50 })
    .toBe(200);
});

test.skipIf(!hasRedis)('replicas that share Redis count the requests of a caller together', async () => {
  const redis = await startTestRedis();
  const settings = { REDIS_URL: redis.url };
  const [one, other] = [await start(settings), await start(settings)];
  onTestFinished(() => redis.kill());
  const [ofOne, ofOther] = [await one.issuer.token('ann'), await other.issuer.token('ann')];

  const first = await statusesOf(one.layer.url, [ofOne]);
  const second = await statusesOf(other.layer.url, [ofOther]);

  expect([first, second]).toEqual([[200], [429]]);
});

test.skipIf(!hasRedis)('no request fails while Redis does not respond', async () => {
  const redis = await startTestRedis();
  const { issuer, layer } = await start({ REDIS_URL: redis.url, MAX_REQUESTS_PER_SECOND: '100' });
  onTestFinished(() => redis.kill());
  const token = await issuer.token('ann');
  expect(await statusesOf(layer.url, [token])).toEqual([200]);

  redis.pause();

  expect(await statusesOf(layer.url, Array(20).fill(token))).toEqual(Array(20).fill(200));
});
