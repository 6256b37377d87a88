import * as fc from 'fast-check';
import { decodeJwt, generateKeyPair, SignJWT } from 'jose';
import { describe, expect, test } from 'vitest';
import type { Json } from '../support/json.ts';
import { company, useSandbox } from './caller.ts';
import { addressOf, instances, localPart, version } from './operations-caller.ts';
import { redirectUri, signInCalls, toldIn, usualQuestion, verifier } from './sign-in-caller.ts';

const sandbox = useSandbox();
const { authorize, codeOf, exchange, tokenOf, askForClient, askOnBehalfOf, verified } = signInCalls(sandbox);

const stop = `${instances}/quick/stop?${version}`;
const sensitive = '/providers/Vendor.Health/events/SA_5-XYZ/fetchEventDetails?api-version=2025-05-01';
const plain = sensitive.replace('SA_5-XYZ', 'SI_1-QRT');
/** How a token may read and write records, stop an instance, and read a sensitive and another event. */
async function statusesOf(token: string): Promise<number[]> {
  const replies = [
    await sandbox.get(`${company}/items?$top=1`, { token }),
    await sandbox.post(`${company}/customers`, { displayName: 'New' }, { token }),
    ...(await Promise.all([stop, sensitive, plain].map((path) => sandbox.post(path, undefined, { token })))),
  ];
  return replies.map(({ status }) => status);
}
const read = async (token: string) => (await sandbox.get(`${company}/items?$top=1`, { token })).status;

describe('bearer tokens', () => {
  test.each<[string, number, string[], string]>([
    [
      'auth.1',
      401,
      ['Authentication_InvalidCredentials', 'InvalidAuthenticationToken'],
      'Basic Y2xlcms6eA==',
    ],
    ['auth.2', 401, ['Authentication_InvalidCredentials', 'ExpiredAuthenticationToken'], 'Bearer expired-1'],
    ['auth.3', 403, ['Authorization_RequestDenied', 'AuthorizationFailed'], 'Bearer denied-1'],
  ])(
    '%s A call is %i in the form of each area, %j, with Authorization "%s"',
    async (_id, status, [records, others], authorization) => {
      const headers = { authorization };
      const replies = [
        await sandbox.get(`${company}/items`, { headers }),
        await sandbox.send('POST', stop, { headers }),
        await sandbox.send('POST', sensitive, { headers }),
      ];

      for (const one of replies)
        expect([one.status, one.headers.get('www-authenticate')]).toEqual([
          status,
          status === 401 ? 'Bearer' : null,
        ]);
      expect(replies.map(({ body }) => (body.error ?? body).code)).toEqual([records, others, others]);
    },
  );

  test.each([
    ['ada', [200, 201, 200, 200, 200]],
    ['reader', [200, 403, 403, 403, 200]],
    ['limited', [200, 201, 200, 403, 200]],
    ['guest', [200, 201, 403, 403, 403]],
    ['denied', [403, 403, 403, 403, 403]],
  ])('S.signin.16 "%s" may read, write, stop and fetch with the statuses %j', async (name, statuses) => {
    expect(await statusesOf(await tokenOf(name))).toEqual(statuses);
    if (name !== 'guest') expect(await statusesOf(`${name}-1`)).toEqual(statuses);
  });

  test('S.signin.18 All tokens of a user are one caller, and those of another user are a different one', async () => {
    const [one = '', two = '', grace = ''] = await Promise.all(['ada', 'ada', 'grace'].map(tokenOf));
    const started = await sandbox.post(stop.replace('quick', 'app01'), undefined, { token: one });
    const statusOf = async (token: string) =>
      (await sandbox.get(localPart(addressOf(started)), { token })).status;

    expect(await Promise.all([one, two, 'ada', grace].map(statusOf))).toEqual([200, 200, 200, 403]);
    expect(await statusOf((await askOnBehalfOf(two)).body.access_token)).toBe(200);
  });

  test('S.claims.4 A token with this issuer that was altered counts as expired; other texts are accepted', async () => {
    const token = await tokenOf('reader');
    const [header = '', payload = '', signature = ''] = token.split('.');
    const claims = decodeJwt(token);
    const { privateKey } = await generateKeyPair('ES256');
    const forge = (changes: Json) =>
      new SignJWT({ ...claims, ...changes }).setProtectedHeader({ alg: 'ES256' }).sign(privateKey);
    const none = Buffer.from('{"alg":"none"}').toString('base64url');

    for (const text of [
      await forge({}),
      `${none}.${payload}.`,
      `${header}.${payload}.${signature.slice(0, -4)}AAAA`,
    ])
      expect(await read(text)).toBe(401);
    expect(await read(await forge({ iss: 'https://login.example.com' }))).toBe(200);
    await sandbox.post('/sandbox/reset');
    expect(await read(token)).toBe(200);
  });
});

describe('signing in', () => {
  test('S.signin.1 A GET with a login_hint redirects back at once, with a code', async () => {
    const { status, location, headers } = await authorize({ login_hint: 'ada' });

    expect(status).toBe(302);
    expect(location).toMatch(/^http:\/\/localhost:4000\/signed-in\?page=1&code=[\w-]{43}&state=a\+state\+/);
    expect([headers.get('cache-control'), headers.get('referrer-policy')]).toEqual([
      'no-store',
      'no-referrer',
    ]);
    expect((await sandbox.post('/common/oauth2/authorize')).status).toBe(404);
  });

  test.each<Record<string, string>>([
    { response_type: 'token' },
    { scope: 'openid offline_access' },
    { code_challenge_method: 'plain' },
  ])('S.signin.5 The redirect URI receives invalid_request with %j', async (changes) => {
    const { location } = await authorize({ login_hint: 'ada', ...changes });

    expect(location).toContain(redirectUri);
    expect(toldIn(location)).toEqual({
      page: '1',
      error: 'invalid_request',
      // RFC 6749, section 4.1.2.1, names the characters.
      error_description: expect.stringMatching(/^[ !#-[\]-~]+$/),
      state: usualQuestion.state,
    });
  });

  test.each<Record<string, string>>([
    { client_id: 'nobody' },
    { redirect_uri: 'http://localhost.example.com/' },
    { redirect_uri: 'javascript://localhost/%0aalert(1)' },
  ])('S.signin.7 With %j it is 400 as plain text, without a redirect', async (changes) => {
    const { status, location, headers } = await authorize({ login_hint: 'ada', ...changes });

    expect([status, location, headers.get('content-type')]).toEqual([400, null, 'text/plain; charset=utf-8']);
  });

  test('S.signin.10 Any request redirects to localhost or nowhere, and pages escape its parameters', async () => {
    const bits = `localhost 127.0.0.1 http:// // @ # \\ \r\n <script> ' " &`.split(' ');
    const nasty = fc.oneof(fc.constantFrom(...bits), fc.webUrl(), fc.string({ unit: 'grapheme' }));
    const text = fc.array(nasty, { maxLength: 5 }).map((parts) => parts.join(''));
    const name = fc.constantFrom(...Object.keys(usualQuestion), 'login_hint');

    await fc.assert(
      fc.asyncProperty(fc.dictionary(name, text, { maxKeys: 3 }), async (changed) => {
        const { status, location, text: page } = await authorize(changed);
        if (location !== null)
          expect(new URL(location).hostname).toMatch(/^(localhost|127\.[\d.]+|\[::1\])$/);
        expect([200, 302, 400]).toContain(status);
        if (status !== 200) return;
        expect(page).not.toMatch(/<(?!\/?(?:!doctype|html|head|meta|link|title|body|main|h1|p|ul|li|a)\b)/);
        for (const [, inner] of page.matchAll(/<a ([^>]*)>/g)) expect(inner).toMatch(/^href="[^"]*"$/);
      }),
      { numRuns: 30 },
    );
  });
});

describe('the token endpoint', () => {
  test('S.code.1 The token of somebody who signs in has the granted scopes', async () => {
    const scope =
      'openid offline_access https://api.example.com/user_impersonation api://tributary/records.write';
    const { body: answer } = await exchange(await codeOf('ada', { scope }));
    const { iat = 0, exp = 0, ...claims } = await verified(answer.access_token);

    expect(answer).toMatchObject({
      token_type: 'Bearer',
      expires_in: 3_600,
      scope: 'https://api.example.com/user_impersonation api://tributary/records.write',
    });
    expect([3_600, 3_601]).toContain(exp - iat);
    expect(claims).toEqual({
      iss: `${sandbox.url}/common`,
      aud: 'api://tributary',
      sub: 'ada',
      scp: 'user_impersonation records.write',
      nbf: iat,
      jti: expect.stringMatching(/^[\w-]{24}$/),
    });
  });

  test('S.code.3 A code is valid once, also where many try at once, and not after a reset or a wrong verifier', async () => {
    const code = await codeOf('ada');
    const replies = await Promise.all(Array.from({ length: 5 }, () => exchange(code)));
    const [used, removed] = [await codeOf('ada'), await codeOf('ada')];
    await exchange(used, { code_verifier: 'x'.repeat(43) });
    const reused = await exchange(used);
    await sandbox.post('/sandbox/reset');

    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1);
    expect([reused.body.error, (await exchange(removed)).body.error]).toEqual([
      'invalid_grant',
      'invalid_grant',
    ]);
  });

  const code = (changes: Record<string, string>) => async () => exchange(await codeOf('ada'), changes);
  const client = (changes: Record<string, string>) => () => askForClient(changes);
  const behalf = (changes: Record<string, string>) => () => askOnBehalfOf('clerk', changes);
  const foreign = (claims: object) =>
    ['{"alg":"RS256"}', JSON.stringify(claims), 'x']
      .map((part) => Buffer.from(part).toString('base64url'))
      .join('.');
  test.each([
    ['S.code.4', 400, 'invalid_grant', 'another code', code({ code: 'nobody-gave-this' })],
    ['S.code.4', 400, 'invalid_grant', 'another verifier', code({ code_verifier: `${verifier}-not` })],
    ['S.token.2', 401, 'invalid_client', 'a wrong secret', client({ client_secret: 'wrong' })],
    ['S.token.2', 400, 'unsupported_grant_type', 'a password', client({ grant_type: 'password' })],
    ['S.obo.9', 401, 'invalid_client', 'no secret', behalf({ client_secret: '' })],
    ['S.obo.7', 400, 'invalid_grant', 'an expired caller', () => askOnBehalfOf('expired-1')],
    [
      'S.obo.6',
      400,
      'invalid_grant',
      'a service',
      async () => askOnBehalfOf((await askForClient()).body.access_token),
    ],
  ])('%s It answers %i %s to %s', async (_id, status, error, _what, ask) => {
    const reply = await ask();

    expect(reply).toMatchObject({
      status,
      body: { error, error_description: expect.stringMatching(/^[ !#-[\]-~]+$/) },
    });
    expect(reply.body).not.toHaveProperty('access_token');
  });

  test('S.obo.3 The token for a foreign assertion has its subject, and the audience of the scope', async () => {
    const assertion = foreign({ iss: 'https://login.example.com', sub: 'bea' });
    const { body } = await askOnBehalfOf(assertion, { scope: 'openid https://one//.default' });
    const claims = { sub: 'bea', aud: 'https://one/', scp: 'user_impersonation' };

    expect(await verified(body.access_token)).toMatchObject(claims);
  });

  test('S.token.5 A lifetime can be set until a reset, and all issued tokens be revoked', async () => {
    const control = async (body: unknown) => (await sandbox.post('/sandbox/tokens', body)).status;
    const issue = async () => (await askForClient()).body;
    const first = (await issue()).access_token;
    expect([await control({ revoke: true }), await read(first)]).toEqual([204, 401]);
    await control({ lifetimeMs: 5_000 });
    expect((await issue()).expires_in).toBe(5);
    await control({ lifetimeMs: 0 });
    expect(await read((await issue()).access_token)).toBe(401);
    await sandbox.post('/sandbox/reset');

    expect((await issue()).expires_in).toBe(3_600);
    for (const body of [{ lifetimeMs: -1 }, { revoke: false }, { colour: 'red' }, []])
      expect(await control(body)).toBe(400);
  });

  test.each([
    ['http://localhost:4000', true],
    ['https://app.example.com', false],
  ])('S.token.12 The browser lets a page at %s read the response: %s', async (origin, isTold) => {
    for (const reply of [
      await askForClient({}, { origin }),
      await askForClient({ client_secret: 'x' }, { origin }),
    ]) {
      expect(reply.headers.get('access-control-allow-origin')).toBe(isTold ? origin : null);
      expect(reply.headers.get('vary')).toBe('origin');
    }
    const elsewhere = await sandbox.get('/common/discovery/keys', { headers: { origin } });
    expect(elsewhere.headers.get('access-control-allow-origin')).toBeNull();
  });
});

test('S.signin.15 The journal has no state, challenge, code, verifier, secret, assertion, token or cookie', async () => {
  const code = await codeOf('ada', { state: 'canary-state' });
  const { access_token: token } = (await exchange(code)).body;
  await exchange(code, { client_secret: 'sandbox-secret', assertion: token });
  await askOnBehalfOf('canary-assertion');
  await sandbox.send('POST', `/common/oauth2/token?code=${code}&client_secret=sandbox-secret`, {
    headers: { cookie: 'canary-cookie', referer: `http://localhost:4000/?code=${code}` },
  });
  await fetch(
    (await authorize({ redirect_uri: `${sandbox.url}/here?b=1`, login_hint: 'ada' })).location ?? '',
  );
  await sandbox.fault({ path: '/common/oauth2/token', status: 503 });
  await askForClient();
  const entries = await sandbox.journal();

  expect(entries.map(({ status }) => status)).toEqual([302, 200, 401, 200, 400, 302, 404, 503]);
  expect(entries[0].path).toBe(
    '/common/oauth2/authorize?response_type=code&client_id=explorer&scope=user_impersonation&code_challenge_method=S256&login_hint=ada',
  );
  expect(entries[1].body).toBe('grant_type=authorization_code&client_id=explorer');
  expect(entries[6].path).toMatch(/^\/here\?b=1&code=…&state=/);
  for (const secret of [code, verifier, token, 'sandbox-secret', 'canary', usualQuestion.code_challenge])
    expect(JSON.stringify(entries)).not.toContain(secret);
});
