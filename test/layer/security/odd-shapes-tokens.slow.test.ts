import { CompactSign, exportJWK, generateKeyPair, SignJWT } from 'jose';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { startTestLayer } from '../../support/layer.ts';
import { type Stub, startStub } from '../../support/stub.ts';
import { lookForHarm, oddOnes } from '../../support/upstreams/odd-shapes.ts';

const query = '{ companies { totalCount } }';
const issuer = 'https://issuer.example';
const audience = 'api://tributary';
const inSeconds = (seconds: number) => Math.floor(Date.now() / 1_000) + seconds;

let upstream: Stub;
const answers = { token: '', keys: '', status: 200 };
const sign = await keysOf('first');

async function keysOf(kid: string) {
  const { publicKey, privateKey } = await generateKeyPair('ES256', { extractable: true });
  const header = { alg: 'ES256', kid };
  return {
    key: { ...(await exportJWK(publicKey)), ...header, use: 'sig', key_ops: ['verify'] },
    token: (subject: string) =>
      new SignJWT({
        scp: 'user_impersonation',
        sub: subject,
        iss: issuer,
        aud: audience,
        exp: inSeconds(600),
      })
        .setProtectedHeader(header)
        .sign(privateKey),
    claims: (text: string) => new CompactSign(Buffer.from(text)).setProtectedHeader(header).sign(privateKey),
  };
}

beforeAll(async () => {
  upstream = await startStub(({ target }) => {
    if (target.includes('/token')) return { status: answers.status, body: answers.token };
    if (target.includes('/keys')) return { body: answers.keys };
    return { body: { value: [], '@odata.count': 0 } };
  });
});
afterAll(() => upstream.stop());

const verified = () => ({
  JWT_ISSUER: issuer,
  JWT_AUDIENCE: audience,
  JWT_JWKS_URL: `${upstream.url}/keys`,
});

/** A layer, and what harm comes to it while the test runs. */
async function startWatched(settings: Readonly<Record<string, string>>) {
  const layer = await startTestLayer(upstream.url, settings);
  const harm = lookForHarm(layer);
  onTestFinished(async () => {
    harm.stop();
    await layer.stop();
  });
  return { layer, harm };
}

test.for([200, 400])(
  'whatever JSON the token endpoint responds with %i, calls fail as a refusal of the token or as unavailable',
  async (status) => {
    const expected = [
      'UPSTREAM_UNAVAILABLE',
      'UNAUTHENTICATED',
      ...(status === 400 ? ['UPSTREAM_NOT_CONFIGURED'] : []),
    ];
    const { layer, harm } = await startWatched({
      BUSINESS_AUTH: 'on-behalf-of',
      BUSINESS_TOKEN_URL: `${upstream.url}/token`,
      BUSINESS_CLIENT_ID: 'tributary',
      BUSINESS_CLIENT_SECRET: 'a-secret-of-the-tests',
    });
    const body =
      status === 200
        ? {
            access_token: 'granted-in-the-tests',
            token_type: 'Bearer',
            expires_in: 60,
            scope: 'x',
            id_token: 'x',
            refresh_token: 'x',
          }
        : { error: 'invalid_grant', error_description: 'x', error_codes: [1] };
    let callers = 0;
    for (const odd of oddOnes(body)) {
      callers += 1;
      Object.assign(answers, { token: odd.text, status });
      const answer = await layer.query(query, {}, { authorization: `Bearer caller-number-${callers}` });
      harm.look(odd.what, answer);
      const codes = (answer.errors ?? []).map(({ extensions }) => extensions.code);
      for (const code of codes) expect(expected, odd.what).toContain(code);
    }
    // What operators are told of a refusal.
    const told = ': logged: The token endpoint refused this deployment a token.';
    expect(harm.all.filter((one) => !one.endsWith(told))).toEqual([]);
  },
);

test('whatever a signed token claims, it is rejected as UNAUTHENTICATED, or its caller is served', async () => {
  answers.keys = JSON.stringify({ keys: [sign.key] });
  const { layer, harm } = await startWatched(verified());
  const claims = {
    iss: issuer,
    aud: [audience],
    sub: 'ada',
    exp: inSeconds(600),
    nbf: 0,
    iat: 0,
    scp: 'x',
    scope: ['x'],
    roles: ['x'],
    jti: 'x',
  };
  for (const odd of oddOnes(claims)) {
    const token = await sign.claims(odd.text).catch(() => null);
    if (token === null) continue;
    const answer = await layer.query(query, {}, { authorization: `Bearer ${token}` }).catch(() => null);
    if (answer === null) continue;
    harm.look(odd.what, answer);
    expect([200, 401, 431], odd.what).toContain(answer.status);
  }
  expect(harm.all).toEqual([]);
  const good = await layer.query(query, {}, { authorization: `Bearer ${await sign.token('ada')}` });
  expect(good.status).toBe(200);
});

const places = ['the body', 'keys', 'keys.0'];
const kinds = ['null', 'an object that is no text', 'a list 20,000 deep'];
const wanted = places.flatMap((place) => kinds.map((kind) => `${place} is ${kind}`));

test('whatever JSON the key set is, callers are rejected as UNAUTHENTICATED', async () => {
  for (const { what, text } of oddOnes({ keys: [{}] }).filter((odd) => wanted.includes(odd.what))) {
    answers.keys = text;
    const { layer, harm } = await startWatched(verified());
    const answer = await layer.query(query, {}, { authorization: `Bearer ${await sign.token('ada')}` });
    harm.look(what, answer);
    expect([answer.status, harm.all], what).toEqual([401, []]);
  }
});
