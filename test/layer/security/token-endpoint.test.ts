import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { createTokenCache } from '../../../src/http/auth/token-cache.ts';
import { createTokenEndpoint } from '../../../src/http/auth/token-endpoint.ts';
import { type Stub, type StubAnswer, startStub } from '../../support/stub.ts';

let stub: Stub | undefined;
afterEach(() => stub?.stop());

/** A place that gives tokens, numbered, as a test says. */
async function startTokens(answer: (number: number) => StubAnswer, scope: string | null = 'all') {
  const started = await startStub(() => answer(started.requests.length));
  stub = started;
  const endpoint = createTokenEndpoint({
    fetch,
    url: `${started.url}/token`,
    clientId: 'an id',
    clientSecret: { current: 'a secret & more' },
    scope,
    timeoutMs: 500,
  });
  return { token: createTokenCache(endpoint.requestOwnToken), endpoint, requests: started.requests };
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

test('a service token is replaced before it expires, and when it was rejected', async () => {
  const { token } = await startTokens((number) => given(number, 1));
  const first = await token.get();
  await sleep(950);
  const second = await token.get();
  token.invalidate(first);
  const same = await token.get();
  token.invalidate(second);

  expect([first, second, same, await token.get()]).toEqual(['token-1', 'token-2', 'token-2', 'token-3']);
});

test.each([
  [
    'a refusal',
    { status: 401, body: { error: 'invalid_client', error_description: 'a secret' } },
    'UNAUTHENTICATED',
  ],
  ['a failure', { status: 503, body: 'a secret' }, 'UPSTREAM_UNAVAILABLE'],
  ['too many requests', { status: 429, body: { error: 'slow_down' } }, 'UPSTREAM_UNAVAILABLE'],
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
