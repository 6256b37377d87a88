import { expect, onTestFinished, test } from 'vitest';
import { type Issuer, startIssuer } from '../../support/issuer.ts';
import { type Answer, startTestLayer, type TestLayer } from '../../support/layer.ts';
import { startStub } from '../../support/stub.ts';

const id = '00000000-0000-4000-8000-000000000001';
const failing = '{ company { items(filter: { number: { eq: "fails" } }) { nodes { id } } } }';
const items = '{ company { items(first: 1) { nodes { id } } } }';
const customers = '{ company { customers(first: 1) { nodes { id } } } }';
const breakers = '{ upstreams { breaker { state openUntil } } }';
const attempts = { UPSTREAM_BREAKER: 'on', UPSTREAM_ATTEMPTS: '1' };

/** An upstream that fails every query that is to fail, with this status, or while `isDown` every one. */
async function startUpstream(status = 500, error: object = { code: 'Oops' }) {
  const upstream = { isDown: false };
  const stub = await startStub(({ target, body }) => {
    if (target === '/token')
      return { body: { access_token: 'a-token-of-the-layer', token_type: 'Bearer', expires_in: 3_600 } };
    const isFailing = upstream.isDown || `${target}${body}`.includes('fails');
    return isFailing ? { status, body: { error } } : { body: { value: [{ id }] } };
  });
  onTestFinished(() => stub.stop());
  const asked = () => stub.requests.filter(({ target }) => target.startsWith('/api/')).length;
  return Object.assign(upstream, { url: stub.url, asked });
}

async function startLayer(url: string, settings: Readonly<Record<string, string>> = {}) {
  const layer = await startTestLayer(url, { ...attempts, ...settings });
  onTestFinished(() => layer.stop());
  return layer;
}

const as = (layer: TestLayer, token: string) => (query: string) =>
  layer.query(query, {}, { authorization: `Bearer ${token}` });

async function startVerified() {
  const issuer = await startIssuer();
  onTestFinished(() => issuer.stop());
  return issuer;
}

const credentials = (url: string) => ({
  BUSINESS_AUTH: 'client-credentials',
  BUSINESS_TOKEN_URL: `${url}/token`,
  BUSINESS_CLIENT_ID: 'tributary',
  BUSINESS_CLIENT_SECRET: 'a-secret-of-the-tests',
});

const codeOf = ({ errors }: Answer) => errors?.[0]?.extensions.code ?? null;
const stateOf = async (asked: Promise<Answer>) => (await asked).data.upstreams[0].breaker.state;

/** Asks so often in the name of each, one after another. */
async function failOften(layer: TestLayer, tokens: readonly string[], times: number) {
  for (let made = 0; made < times; made++)
    await Promise.all(tokens.map((token) => as(layer, token)(failing)));
}

const ways: readonly [string, (url: string, issuer: Issuer) => Record<string, string>][] = [
  ['their own tokens, which the upstream alone verifies', () => ({})],
  ['their own tokens, which are verified', (_url, issuer) => ({ ...issuer.settings })],
  ['one token of the layer’s', (url, issuer) => ({ ...issuer.settings, ...credentials(url) })],
];

test.for(ways)(
  'with %s, failing queries of one or two callers open no circuit for other callers, nor for their own other calls',
  async ([, settings]) => {
    const [issuer, upstream] = [await startVerified(), await startUpstream()];
    const layer = await startLayer(upstream.url, settings(upstream.url, issuer));
    const [ann, bob, honest] = [
      await issuer.token('ann'),
      await issuer.token('bob'),
      await issuer.token('honest'),
    ];
    await failOften(layer, [ann], 20);
    const afterOne = await as(layer, honest)(items);
    await failOften(layer, [bob], 20);
    await failOften(layer, [ann, bob], 5);
    const asked = upstream.asked();

    expect([codeOf(afterOne), codeOf(await as(layer, honest)(items))]).toEqual([null, null]);
    expect(codeOf(await as(layer, ann)(items))).toBe('UPSTREAM_UNAVAILABLE');
    expect(codeOf(await as(layer, ann)(customers))).toBeNull();
    expect(asked).toBe(20 + 1 + 20);
    expect([await stateOf(as(layer, honest)(breakers)), await stateOf(as(layer, ann)(breakers))]).toEqual([
      'CLOSED',
      'OPEN',
    ]);
  },
);

test.for(ways.slice(0, 1))(
  'with %s, failing calls of invented callers open no circuit for others, however many they are',
  async ([, settings]) => {
    const [issuer, upstream] = [await startVerified(), await startUpstream()];
    const layer = await startLayer(upstream.url, settings(upstream.url, issuer));
    const madeUp = Array.from({ length: 100 }, (_, number) => `a-token-made-up-${number}`);
    await failOften(layer, madeUp, 1);

    expect(upstream.asked()).toBe(100);
    expect(codeOf(await as(layer, 'an-honest-token')(items))).toBeNull();
  },
);

test.for(ways)(
  'with %s, an upstream that fails three callers it has served opens the circuit for all',
  async ([name, settings]) => {
    const [issuer, upstream] = [await startVerified(), await startUpstream()];
    const layer = await startLayer(upstream.url, settings(upstream.url, issuer));
    const tokens = await Promise.all(['ann', 'bob', 'cid'].map((subject) => issuer.token(subject)));
    const other = await issuer.token('honest');
    await Promise.all(tokens.map((token) => as(layer, token)(items)));
    upstream.isDown = true;
    await failOften(layer, tokens, 8);
    const asked = upstream.asked();
    upstream.isDown = false;

    expect(codeOf(await as(layer, other)(items)), name).toBe('UPSTREAM_UNAVAILABLE');
    expect(upstream.asked()).toBe(asked);
    expect(await stateOf(as(layer, other)(breakers))).toBe('OPEN');
  },
);

// As a refusal in words that nobody knows, and as a database that cannot be reached, both with 500.
const reported = { code: 'Internal_ServerError', message: 'An unexpected error occurred.' };

test.for(ways)(
  'with %s, failures reported to four callers that were served open no circuit for a fifth that is still served',
  async ([, settings]) => {
    const [issuer, upstream] = [await startVerified(), await startUpstream(500, reported)];
    const layer = await startLayer(upstream.url, settings(upstream.url, issuer));
    const tokens = await Promise.all(['ann', 'bob', 'cid', 'dan'].map((subject) => issuer.token(subject)));
    const other = await issuer.token('honest');
    for (const token of [...tokens, other]) expect(codeOf(await as(layer, token)(items))).toBeNull();
    await failOften(layer, tokens, 25);

    expect(codeOf(await as(layer, other)(items))).toBeNull();
    expect(await stateOf(as(layer, other)(breakers))).toBe('CLOSED');
    // Each of the four is stopped by itself.
    expect(await stateOf(as(layer, tokens[0] as string)(breakers))).toBe('OPEN');
  },
);

test.for(ways.slice(1))(
  'with %s, an upstream that reports only failures opens the circuit for all once three callers have met it',
  async ([, settings]) => {
    const [issuer, upstream] = [await startVerified(), await startUpstream(500, reported)];
    const layer = await startLayer(upstream.url, settings(upstream.url, issuer));
    const tokens = await Promise.all(['ann', 'bob', 'cid'].map((subject) => issuer.token(subject)));
    upstream.isDown = true;
    await failOften(layer, tokens, 7);
    const asked = upstream.asked();

    expect(codeOf(await as(layer, await issuer.token('honest'))(items))).toBe('UPSTREAM_UNAVAILABLE');
    expect(upstream.asked()).toBe(asked);
  },
);

test('refusals recognized by their message open no circuit', async () => {
  const message =
    'Sorry, the current permissions prevented the action. (Page 30009 APIV2 - Items Execute: _Exclude_APIV2_)';
  const refusal = { code: 'Internal_ServerError', message };
  const [issuer, upstream] = [await startVerified(), await startUpstream(500, refusal)];
  const layer = await startLayer(upstream.url, issuer.settings);
  const tokens = await Promise.all(['ann', 'bob', 'cid', 'dan'].map((subject) => issuer.token(subject)));
  await failOften(layer, tokens, 20);

  expect(upstream.asked()).toBe(80);
  expect(codeOf(await as(layer, tokens[0] as string)(items))).toBeNull();
});

test('an upstream that refuses connections opens the circuit for all callers, whoever noticed it', async () => {
  const { url, stop } = await startStub(() => ({}));
  stop();
  const layer = await startLayer(url);
  await failOften(layer, ['one-caller-alone'], 20);

  expect(await stateOf(as(layer, 'another-caller')(breakers))).toBe('OPEN');
});

test('responses that reject a token open no circuit', async () => {
  const [issuer, upstream] = [await startVerified(), await startUpstream(401)];
  const layer = await startLayer(upstream.url, issuer.settings);
  const tokens = await Promise.all(['ann', 'bob', 'cid'].map((subject) => issuer.token(subject)));
  await failOften(layer, tokens, 20);

  expect(upstream.asked()).toBe(60);
  expect(codeOf(await as(layer, tokens[0] as string)(items))).toBeNull();
});
