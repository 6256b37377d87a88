import { test as base, expect, onTestFinished } from 'vitest';
import { fixture } from '../../support/fixture.ts';
import { startTestLayer, type TestLayer } from '../../support/layer.ts';
import { asDeployed } from '../../support/proxies/disturbed.ts';
import { type StubAnswer, startStub } from '../../support/stub.ts';

/** When a call came to the upstream, and whose it was. */
interface Arrival {
  readonly at: number;
  readonly token: unknown;
}

/** A layer before an upstream that throttles as a test says, and notes the time. */
const test = base.extend(
  'scene',
  fixture(async ({ onCleanup }) => {
    const arrivals: Arrival[] = [];
    const scene = { refusals: [] as StubAnswer['headers'][], arrivals };
    const stub = await startStub(({ headers }) => {
      arrivals.push({ at: performance.now(), token: headers.authorization });
      const refusal = scene.refusals.shift();
      return refusal ? { status: 429, headers: refusal, body: {} } : { body: { value: [] } };
    });
    const layer = await startTestLayer(stub.url, {
      ...asDeployed,
      REQUEST_TIMEOUT_MS: '30000',
      MAX_REQUESTS: '1000',
    });
    onCleanup(async () => {
      await layer.stop();
      stub.stop();
    });
    return Object.assign(scene, { layer });
  }),
);

const [one, other] = ['Bearer a-caller-who-asks-much', 'Bearer another-caller'];

const ask = (layer: TestLayer, authorization: string, number = 1) =>
  layer.query(`{ company { customers(first: ${number}) { nodes { id } } } }`, {}, { authorization });

test('a throttled caller sends nothing before Retry-After, however many calls wait within the share of the area, and other callers are not delayed', async ({
  scene: { layer, refusals, arrivals },
}) => {
  refusals.push({ 'retry-after': '2' });
  const first = ask(layer, one);
  await expect.poll(() => arrivals.length).toBe(1);
  const throttledAt = arrivals[0]?.at ?? 0;
  await expect.poll(() => refusals.length).toBe(0);

  const asked = (count: number, from: number) =>
    Array.from({ length: count }, (_, number) => ask(layer, one, number + from));
  const some = asked(50, 2);
  const spared = await ask(layer, other);
  const answers = await Promise.all([first, ...some, ...asked(400, 52)]);

  for (const { errors } of [...answers, spared]) expect(errors).toBeUndefined();
  const own = arrivals.slice(1).filter(({ token }) => token === one);
  expect(own).toHaveLength(451);
  // The few that were on their way when the refusal came are not called back.
  const early = own.filter(({ at }) => at < throttledAt + 2_000);
  expect(early.length).toBeLessThanOrEqual(4);
  for (const { at } of early) expect(at - throttledAt).toBeLessThan(200);
  expect(arrivals.find(({ token }) => token === other)?.at).toBeLessThan(throttledAt + 1_900);
});

test('a part of a batch that is answered 503 with Retry-After pauses its caller', async () => {
  const stub = await startStub(({ target, body }) =>
    target.endsWith('/$batch')
      ? {
          body: {
            responses: (JSON.parse(body) as { requests: { id: string }[] }).requests.map(({ id }) => ({
              id,
              status: 503,
              headers: { 'retry-after': '40' },
              body: {},
            })),
          },
        }
      : { body: { value: [] } },
  );
  const layer = await startTestLayer(stub.url, { UPSTREAM_ATTEMPTS: '1' });
  onTestFinished(async () => {
    await layer.stop();
    stub.stop();
  });
  const lists = Array.from({ length: 5 }, (_, at) => `l${at}: customers(first: ${at + 1}) { nodes { id } }`);
  await layer.query(`{ company { ${lists.join(' ')} } }`, {}, { authorization: one });
  const calls = stub.requests.length;

  const { errors } = await ask(layer, one);

  expect(errors).toMatchObject([{ extensions: { code: 'UPSTREAM_THROTTLED' } }]);
  expect(stub.requests.map(({ target }) => target.split('/').at(-1))).toEqual(Array(calls).fill('$batch'));
});
