import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { useSandbox } from './caller.ts';
import { authorize, redirectUri, toldIn, usualQuestion } from './sign-in-caller.ts';

const sandbox = useSandbox();

describe('signing in', () => {
  test('S.signin.1 A GET with a login_hint redirects back at once, with a code', async () => {
    const { status, location, headers } = await authorize(sandbox, { login_hint: 'ada' });

    expect(status).toBe(302);
    expect(location).toMatch(/^http:\/\/localhost:4000\/signed-in\?page=1&code=[\w-]{43}&state=a\+state\+/);
    expect(toldIn(location)).toEqual({ page: '1', code: expect.any(String), state: usualQuestion.state });
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('referrer-policy')).toBe('no-referrer');
  });

  test('S.signin.2 A GET without a login_hint is a page to choose a name on', async () => {
    const { status, headers, text, location } = await authorize(sandbox);
    const links = [...text.matchAll(/<a href="([^"]+)"/g)].map(([, link = '']) =>
      link.replaceAll('&#38;', '&'),
    );
    const [, asked = ''] = /^\?(.*)/.exec(links[0] ?? '') ?? [];

    expect([status, location]).toEqual([200, null]);
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(headers.get('cache-control')).toBe('no-store');
    const policy = headers.get('content-security-policy');
    for (const rule of ["default-src 'none'", "form-action 'none'", "frame-ancestors 'none'"])
      expect(policy?.split('; ')).toContain(rule);
    expect(text).not.toMatch(/<script|<form|<style| style=| on\w+=/);
    expect(Object.fromEntries(new URLSearchParams(asked))).toEqual({ ...usualQuestion, login_hint: 'ada' });
    const names = (await sandbox.get('/sandbox')).body.people;
    expect(names).toEqual(expect.arrayContaining(['ada', 'reader', 'limited']));
    expect(links).toHaveLength(names.length + 1);
    const followed = await fetch(`${sandbox.url}/common/oauth2/authorize${links[1]}`, { redirect: 'manual' });
    expect(toldIn(followed.headers.get('location'))).toHaveProperty('code');
  });

  test('S.signin.3 A user that cancels is redirected back with access_denied', async () => {
    const { text } = await authorize(sandbox);
    const [, link = ''] = /<a href="([^"?]+:\/\/[^"]+)"/.exec(text) ?? [];

    expect(toldIn(link.replaceAll('&#38;', '&'))).toMatchObject({
      page: '1',
      error: 'access_denied',
      state: usualQuestion.state,
    });
  });

  test.each([
    { response_type: '' },
    { response_type: 'token' },
    { scope: '' },
    { scope: 'openid offline_access' },
    { scope: 'https://api.example.com/not_user_impersonation' },
    { code_challenge: '' },
    { code_challenge: 'too-short' },
    { code_challenge_method: '' },
    { code_challenge_method: 'plain' },
    { login_hint: 'ada~1' },
    { login_hint: '<b>' },
    { login_hint: 'a'.repeat(101) },
  ])('S.signin.5 The redirect URI receives invalid_request with %j', async (changes) => {
    const { status, location } = await authorize(sandbox, { login_hint: 'ada', ...changes });

    expect(status).toBe(302);
    expect(location).toContain(redirectUri);
    expect(toldIn(location)).toEqual({
      page: '1',
      error: 'invalid_request',
      // RFC 6749, section 4.1.2.1, names the characters.
      error_description: expect.stringMatching(/^[ !#-[\]-~]+$/),
      state: usualQuestion.state,
    });
  });

  test.each([
    { client_id: '' },
    { client_id: 'nobody' },
    { client_id: 'toString' },
    { client_id: '"><script>alert(1)</script>' },
    { redirect_uri: '' },
    { redirect_uri: '/signed-in' },
    { redirect_uri: 'https://app.example.com/' },
    { redirect_uri: 'http://localhost.example.com/' },
    { redirect_uri: 'http://localhost@example.com/' },
    { redirect_uri: 'http://ada@localhost/' },
    { redirect_uri: 'http://localhost/#here' },
    { redirect_uri: 'javascript://localhost/%0aalert(1)' },
    { redirect_uri: 'http://0.0.0.0/' },
    { redirect_uri: 'http://127.0.0.1.example.com/' },
    { redirect_uri: '"><script>alert(1)</script>' },
  ])('S.signin.7 With %j it is 400, without a redirect', async (changes) => {
    const { status, location, text, headers } = await authorize(sandbox, { login_hint: 'ada', ...changes });

    expect([status, location]).toEqual([400, null]);
    expect(headers.get('content-type')).toBe('text/plain; charset=utf-8');
    expect(text).toContain('must be');
  });

  test.each(['http://127.0.0.1:1/', 'https://localhost/a/b', 'http://[::1]:8080/?x', 'http://127.9.9.9'])(
    'S.signin.9 It can redirect to %s',
    async (address) => {
      const { location } = await authorize(sandbox, { redirect_uri: address, login_hint: 'ada' });

      expect(location?.startsWith(new URL(address).href)).toBe(true);
      expect(new URL(location ?? '').searchParams.get('code')).toMatch(/^[\w-]{43}$/);
    },
  );

  test('S.signin.10 Any request redirects to localhost or nowhere, and pages escape its parameters', async () => {
    const nasty = fc.oneof(
      fc.constantFrom(
        'localhost',
        '127.0.0.1',
        'http://',
        '//',
        '@',
        '#',
        '\\',
        '\r\n',
        '<script>',
        "'",
        '"',
        '&',
      ),
      fc.webUrl(),
      fc.string({ unit: 'grapheme' }),
    );
    const text = fc.array(nasty, { maxLength: 5 }).map((parts) => parts.join(''));
    const name = fc.constantFrom(...Object.keys(usualQuestion), 'login_hint');
    const changes = fc.dictionary(name, text, { maxKeys: 3 });

    await fc.assert(
      fc.asyncProperty(changes, async (changed) => {
        const { status, location, text: page } = await authorize(sandbox, changed);
        expect([200, 302, 400]).toContain(status);
        expect(
          location === null || /^(localhost|127\.[\d.]+|\[::1\])$/.test(new URL(location).hostname),
        ).toBe(true);
        if (status !== 200) return;
        expect(page).not.toMatch(/<(?!\/?(?:!doctype|html|head|meta|link|title|body|main|h1|p|ul|li|a)\b)/);
        expect(
          [...page.matchAll(/<a ([^>]*)>/g)].every(([, inner]) => /^href="[^"]*"$/.test(inner ?? '')),
        ).toBe(true);
      }),
      { numRuns: 200 },
    );
  });

  test('S.signin.12 Only a GET signs in', async () => {
    const reply = await sandbox.post('/common/oauth2/authorize');

    expect(reply.status).toBe(404);
    expect((await sandbox.get('/common/oauth2/else')).status).toBe(404);
  });
});
