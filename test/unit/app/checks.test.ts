import { expect, test } from 'vitest';
import { checkConnections } from '../../../src/app/checks.ts';
import { readConfig } from '../../../src/config/config.ts';
import { startStub } from '../../support/stub.ts';

type Settings = Readonly<Record<string, string>>;

/** The finding of each connection, by its name. */
async function check(settings: Settings): Promise<Readonly<Record<string, string>>> {
  const checks = await checkConnections(readConfig(settings, () => ''));
  expect(JSON.stringify(checks)).not.toContain('canary');
  return Object.fromEntries(
    checks.map(({ name, isUsable, finding }) => [name, `${isUsable ? 'ok' : 'FAILED'}: ${finding}`]),
  );
}

const credentials = (area: string, url: string) => ({
  [`${area}_TOKEN_URL`]: `${url}/token`,
  [`${area}_CLIENT_ID`]: 'id',
  [`${area}_CLIENT_SECRET`]: 'canary-of-a-secret',
});
const verified = (url: string) => ({
  JWT_ISSUER: 'https://issuer.example',
  JWT_AUDIENCE: 'graph',
  JWT_JWKS_URL: `${url}/keys`,
});

/** A server whose paths have these responses; others 404. */
const listen = (
  answers: Readonly<Record<string, { readonly status?: number; readonly body: object | string }>>,
) => startStub(({ target }) => answers[target.split(/[/?]/)[1] ?? ''] ?? { status: 404, body: {} });

test('an upstream that wants a token is reachable, and tokens and keys are fetched', async () => {
  const { url, stop } = await listen({
    keys: { body: { keys: [{ kty: 'RSA' }] } },
    token: { body: { access_token: 'abc', token_type: 'bearer' } },
    api: { status: 401, body: {} },
    subscriptions: { status: 401, body: {} },
  });

  const found = await check({
    BUSINESS_URL: url,
    MANAGEMENT_URL: url,
    MANAGEMENT_AUTH: 'client-credentials',
    ...credentials('MANAGEMENT', url),
    ...verified(url),
  });
  stop();

  expect(found).toEqual({
    'Business Records (A)': 'ok: responded with 401, as without the token of a caller',
    'Areas B and C': 'ok: responded with 401',
    'Tokens for B and C': 'ok: granted a token',
    'Keys of callers': 'ok: keys: 1',
  });
});

test('what cannot be used is told with the setting to check', async () => {
  const { url, stop } = await listen({
    keys: { body: [] },
    token: { status: 503, body: {} },
    subscriptions: { status: 503, body: {} },
  });

  const found = await check({
    BUSINESS_URL: 'http://127.0.0.1:1',
    BUSINESS_AUTH: 'on-behalf-of',
    ...credentials('BUSINESS', url),
    MANAGEMENT_URL: url,
    REDIS_URL: 'redis://:canary-of-redis@127.0.0.1:1',
    ...verified(url),
  });
  stop();

  expect(found).toEqual({
    'Business Records (A)': expect.stringMatching(/^FAILED: .*ECONNREFUSED.*BUSINESS_URL/),
    'Areas B and C': 'FAILED: responded with 503: it is not available',
    'Tokens for area A': 'FAILED: responded with 503. Check BUSINESS_TOKEN_URL',
    'Keys of callers': 'FAILED: responded with no key set (RFC 7517). Check JWT_JWKS_URL',
    Redis: expect.stringMatching(/^FAILED: .*ECONNREFUSED.*REDIS_URL/),
  });
});

test('a server that lacks the lists of the upstreams is told as a wrong address', async () => {
  const { url, stop } = await listen({
    page: { body: '<html></html>' },
    json: { body: { version: 1 } },
    lists: { body: { value: [] } },
  });
  const connect = async (settings: Settings) => Object.values(await check(settings));

  const none = await connect({ BUSINESS_URL: url, MANAGEMENT_URL: url });
  const another = await connect({ BUSINESS_URL: `${url}/page`, MANAGEMENT_URL: `${url}/json` });
  const usable = await connect({ BUSINESS_URL: `${url}/lists`, MANAGEMENT_URL: `${url}/lists` });
  const withoutList = await connect({ MANAGEMENT_URL: url, SUBSCRIPTIONS_API_VERSION: 'off' });
  stop();

  expect(none).toEqual([
    'FAILED: responded with 404 to /api/v2.0/companies. Check the path of BUSINESS_URL',
    'FAILED: responded with 404 to /subscriptions. Check the path of MANAGEMENT_URL, or set SUBSCRIPTIONS_API_VERSION to off if it has no such list',
  ]);
  expect(another).toEqual([
    'FAILED: responded with 200 to /api/v2.0/companies. Check the path of BUSINESS_URL',
    'FAILED: responded with 200, but with no list. Check the path of MANAGEMENT_URL',
  ]);
  expect(usable).toEqual(['ok: responded with 200', 'ok: responded with 200']);
  expect(withoutList).toEqual(['ok: responded with 404']);
});
