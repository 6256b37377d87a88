import { test as base, expect } from 'vitest';
import { asDeployed } from '../support/disturbed.ts';
import { fixture } from '../support/fixture.ts';
import { startTestLayer, type TestLayer } from '../support/layer.ts';
import { type StubAnswer, startStub } from '../support/stub.ts';

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
      UPSTREAM_WAITING_PER_CALLER: '1000',
    });
    onCleanup(async () => {
      await layer.stop();
      stub.stop();
    });
    return Object.assign(scene, { layer });
  }),
);

const [one, other] = ['Bearer a-caller-who-asks-much', 'Bearer another-caller'];

async function ask(layer: TestLayer, authorization: string, number = 1) {
  const startedAt = performance.now();
  const { errors } = await layer.query(
    `{ company { customers(first: ${number}) { nodes { id } } } }`,
    {},
    { authorization },
  );
  return { errors, tookMs: performance.now() - startedAt };
}

test('a caller who is to wait sends nothing before that, however many calls there are, and others are not held up', {
  timeout: 40_000,
}, async ({ scene: { layer, refusals, arrivals } }) => {
  refusals.push({ 'retry-after': '2' });
  const first = ask(layer, one);
  await expect.poll(() => arrivals.length).toBe(1);
  const throttledAt = arrivals[0]?.at ?? 0;
  await expect.poll(() => refusals.length).toBe(0);

  const asked = (count: number, from: number) =>
    Array.from({ length: count }, (_, number) => ask(layer, one, number + from));
  const some = asked(50, 2);
  const spared = await ask(layer, other);
  const answers = await Promise.all([first, ...some, ...asked(450, 52)]);

  for (const { errors } of [...answers, spared]) expect(errors).toBeUndefined();
  const own = arrivals.slice(1).filter(({ token }) => token === one);
  expect(own).toHaveLength(501);
  // The few that were on their way when the refusal came are not called back.
  const early = own.filter(({ at }) => at < throttledAt + 2_000);
  expect(early.length).toBeLessThanOrEqual(4);
  for (const { at } of early) expect(at - throttledAt).toBeLessThan(200);
  expect(arrivals.find(({ token }) => token === other)?.at).toBeLessThan(throttledAt + 1_900);
});

test.for([
  [{ 'retry-after': '3600' }, 3_600],
  [{ 'retry-after': new Date(Date.now() + 7_200_000).toUTCString(), date: new Date().toUTCString() }, 7_200],
  [{ 'retry-after-ms': '90000' }, 90],
] as const)(
  'a wait that is longer than there is time (%j) is told at once, and until then nothing is sent',
  async ([headers, seconds], { scene: { layer, refusals, arrivals } }) => {
    refusals.push(headers);

    const first = await ask(layer, one);
    const second = await ask(layer, one, 2);

    expect(Math.max(first.tookMs, second.tookMs)).toBeLessThan(1_000);
    expect(arrivals).toHaveLength(1);
    for (const { errors } of [first, second])
      expect(errors).toMatchObject([{ extensions: { code: 'UPSTREAM_THROTTLED' } }]);
    expect(first.errors?.[0]?.extensions.retryAfterSeconds).toBe(seconds);
    expect(second.errors?.[0]?.extensions.retryAfterSeconds).toBeGreaterThan(0);
  },
);

test.for([
  ['says nothing of how long', {}],
  ['says nonsense', { 'retry-after': 'soon' }],
  ['says less than nothing', { 'retry-after': '-5' }],
  ['names a time that is past', { 'retry-after': 'Wed, 21 Oct 2015 07:28:00 GMT' }],
] as const)(
  'a read that is throttled by who %s is made again by itself, three times at most',
  async ([, headers], { scene: { layer, refusals, arrivals } }) => {
    refusals.push(headers);
    const { errors } = await ask(layer, one);
    expect(errors).toBeUndefined();
    expect(arrivals).toHaveLength(2);

    refusals.push(headers, headers, headers, headers);
    const refused = await ask(layer, other);

    expect(refused.errors).toMatchObject([{ extensions: { code: 'UPSTREAM_THROTTLED' } }]);
    expect(arrivals).toHaveLength(2 + 3);
  },
);
