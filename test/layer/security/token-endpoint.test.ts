import { afterEach, expect, test } from 'vitest';
import { createTokenCache } from '../../../src/http/auth/token-cache.ts';
import { createTokenEndpoint } from '../../../src/http/auth/token-endpoint.ts';
import { type Stub, type StubAnswer, startStub } from '../../support/stub.ts';

let stub: Stub | undefined;
afterEach(() => stub?.stop());

/** A place that gives tokens, numbered, as a test says. */
async function startTokens(answer: (number: number) => StubAnswer, scope: string | null = 'all') {
  const reasons: string[] = [];
  const started = await startStub(() => answer(started.requests.length));
  stub = started;
  const endpoint = createTokenEndpoint({
    fetch,
    url: `${started.url}/token`,
    clientId: 'an id',
    clientSecret: 'a secret & more',
    scope,
    timeoutMs: 5_000,
    settingNames: 'A and B',
    onMisconfigured: (reason) => reasons.push(reason),
  });
  return { token: createTokenCache(endpoint.requestOwnToken), endpoint, requests: started.requests, reasons };
}

const given = (number: number, seconds: unknown = 3_600): StubAnswer => ({
  body: { access_token: `token-${number}`, token_type: 'bearer', expires_in: seconds },
});

test('a service token is requested as a form, once however many calls wait, and cached', async () => {
  const { token, requests } = await startTokens((number) => given(number));
  const many = await Promise.all(Array.from({ length: 20 }, () => token.get()));

  expect(new Set([...many, await token.get()])).toEqual(new Set(['token-1']));
  expect(requests).toMatchObject([{ method: 'POST', target: '/token' }]);
  expect(Object.fromEntries(new URLSearchParams(requests[0]?.body))).toEqual({
    grant_type: 'client_credentials',
    client_id: 'an id',
    client_secret: 'a secret & more',
    scope: 'all',
  });
});

test.each([
  [
    'a refusal',
    { status: 401, body: { error: 'invalid_client', error_description: 'a secret' } },
    'UPSTREAM_NOT_CONFIGURED',
  ],
  ['a failure', { status: 503, body: 'a secret' }, 'UPSTREAM_UNAVAILABLE'],
  ['a redirection', { status: 302, headers: { location: 'http://127.0.0.1:1/' } }, 'UPSTREAM_UNAVAILABLE'],
  ['no token', { status: 200, body: { token_type: 'bearer' } }, 'UPSTREAM_UNAVAILABLE'],
  ['no JSON', { status: 200, body: 'a secret' }, 'UPSTREAM_UNAVAILABLE'],
])(
  '%s instead of a service token is an error that reveals nothing of it, and no token',
  async (_what, answer, code) => {
    const { token, requests } = await startTokens(() => answer, null);
    const error = await token.get().catch((thrown: unknown) => thrown);

    expect(error).toMatchObject({ name: 'TokenError', code });
    expect(JSON.stringify(error, Object.getOwnPropertyNames(error))).not.toContain('a secret');
    expect((error as Error).cause).toBeUndefined();
    // Nor is everybody who waits allowed to ask.
    await Promise.allSettled(Array.from({ length: 100 }, () => token.get()));
    expect(requests).toHaveLength(1);
  },
);

const claims = '{"access_token":{"acrs":{"essential":true,"value":"c1"}}}';
const inBase64 = Buffer.from(claims).toString('base64');
const interaction = 'interaction_required';
const refusal = (error: string, number = 0, more: object = {}): StubAnswer => ({
  status: 400,
  body: {
    error,
    ...(number > 0 && {
      error_description: `AADSTS${number}: a secret. Trace ID: 1`,
      error_codes: [number],
    }),
    ...more,
  },
});

test.each([
  ['invalid_client', 7000222],
  ['invalid_grant', 7000215],
  ['unauthorized_client', 0],
  ['A Secret"\r\nx: y', 0],
])(
  'a refusal with %s, AADSTS%i, is an error of the operators, who are told it and no text',
  async (error, number) => {
    const { endpoint, reasons } = await startTokens(() => refusal(error, number));

    const thrown = await endpoint.requestTokenOnBehalfOf('a token').catch((reason: unknown) => reason);

    const told = { code: 'UPSTREAM_NOT_CONFIGURED', oauthError: null, claims: null };
    expect(thrown).toMatchObject({ name: 'TokenError', ...told });
    const words = [/^\w+$/.test(error) ? `, ${error}` : '', number > 0 ? `, AADSTS${number}` : ''];
    expect(reasons).toEqual([`status 400${words.join('')}`]);
    expect(JSON.stringify(thrown, Object.getOwnPropertyNames(thrown))).not.toMatch(/a secret/i);
  },
);

test.each([
  ['conditional access', ['invalid_grant', 53003], ['FORBIDDEN', null, null]],
  ['conditional access', ['invalid_grant', 53003, { claims }], ['UNAUTHENTICATED', interaction, inBase64]],
  ['consent', ['invalid_grant', 65001], ['UNAUTHENTICATED', 'consent_required', null]],
  ['a second factor', ['invalid_grant', 50079], ['UNAUTHENTICATED', interaction, null]],
  ['no JSON', [interaction, 0, { claims: 'x"\r\n' }], ['UNAUTHENTICATED', interaction, null]],
  ['an expired assertion', ['invalid_grant', 500133], ['UNAUTHENTICATED', null, null]],
] as const)(
  'a refusal for %s (%j) is an error of the caller',
  async (_what, [error, number, more], [code, oauthError, claimsTold]) => {
    const { endpoint, reasons } = await startTokens(() => refusal(error, number, more));

    const thrown = await endpoint.requestTokenOnBehalfOf('a token').catch((reason: unknown) => reason);

    expect(thrown).toMatchObject({ name: 'TokenError', code, oauthError, claims: claimsTold });
    expect(reasons).toEqual([]);
  },
);
