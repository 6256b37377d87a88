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
