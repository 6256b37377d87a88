import { expect, onTestFinished, test } from 'vitest';
import { type Issuer, startIssuerForTest } from '../../support/issuer.ts';
import { type Answer, startLayerForTest, type TestLayer } from '../../support/layer.ts';
import { startStub } from '../../support/stub.ts';

const id = '00000000-0000-4000-8000-000000000001';
const failing = '{ company { items(filter: { number: { eq: "fails" } }) { nodes { id } } } }';
const items = '{ company { items(first: 1) { nodes { id } } } }';
const breakers = '{ upstreams { breaker { state openUntil } } }';
const attempts = { UPSTREAM_BREAKER_FAILURES: '20', UPSTREAM_ATTEMPTS: '1' };

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

const startLayer = (url: string, settings: Readonly<Record<string, string>> = {}) =>
  startLayerForTest(url, { ...attempts, ...settings });

const as = (layer: TestLayer, token: string) => (query: string) =>
  layer.query(query, {}, { authorization: `Bearer ${token}` });

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
  ['one token of the layer’s', (url, issuer) => ({ ...issuer.settings, ...credentials(url) })],
];

test.for(ways)(
  'with %s, requests of any number of callers that fail open nothing while another caller is answered',
  async ([, settings]) => {
    const [issuer, upstream] = [await startIssuerForTest(), await startUpstream(502)];
    const layer = await startLayer(upstream.url, settings(upstream.url, issuer));
    const tokens = await Promise.all(['ann', 'bob', 'cid'].map((subject) => issuer.token(subject)));
    const other = await issuer.token('honest');
    expect(codeOf(await as(layer, other)(items))).toBeNull();
    // The breaker looks at the answers of the last three seconds.
    for (let round = 0; round < 20; round += 1) {
      await failOften(layer, tokens, 1);
      expect(codeOf(await as(layer, other)(items))).toBeNull();
    }

    expect(upstream.asked()).toBe(1 + 4 * 20);
    for (const token of [other, ...tokens]) expect(codeOf(await as(layer, token)(items))).toBeNull();
    expect(await stateOf(as(layer, other)(breakers))).toBe('CLOSED');
  },
);

test.for(ways)(
  'with %s, an upstream that answers nobody is left alone, also by a single caller, and used again when it is back',
  async ([, settings]) => {
    const [issuer, upstream] = [await startIssuerForTest(), await startUpstream(503)];
    const layer = await startLayer(upstream.url, settings(upstream.url, issuer));
    const [ann, other] = [await issuer.token('ann'), await issuer.token('honest')];
    upstream.isDown = true;
    await failOften(layer, [ann], 25);

    // Twenty, and one for each second that this takes.
    expect(upstream.asked()).toBeGreaterThanOrEqual(20);
    expect(upstream.asked()).toBeLessThan(25);
    expect(codeOf(await as(layer, other)(items))).toBe('UPSTREAM_UNAVAILABLE');
    upstream.isDown = false;
    await expect.poll(async () => codeOf(await as(layer, other)(items)), { timeout: 5_000 }).toBeNull();
    expect(codeOf(await as(layer, ann)(items))).toBeNull();
  },
);
