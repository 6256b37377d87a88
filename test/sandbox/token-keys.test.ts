import { decodeJwt, decodeProtectedHeader, generateKeyPair, SignJWT } from 'jose';
import { describe, expect, test } from 'vitest';
import type { Json } from '../support/json.ts';
import { company, useSandbox } from './caller.ts';
import { form, tokenOf, verified } from './sign-in-caller.ts';

const sandbox = useSandbox();
const other = useSandbox();

const kidOf = (token: string) => decodeProtectedHeader(token).kid;
const read = async (token: string) => (await sandbox.get(`${company}/items?$top=1`, { token })).status;

async function serviceToken(scope: string): Promise<string> {
  const fields = {
    grant_type: 'client_credentials',
    client_id: 'tributary',
    client_secret: 'sandbox-secret',
    scope,
  };
  const body = new URLSearchParams(fields).toString();
  return (await sandbox.send('POST', '/common/oauth2/token', { headers: form, body })).body.access_token;
}

describe('token claims', () => {
  test('S.claims.1 The token of a user is signed with ES256 and contains subject, audience, scopes and lifetime', async () => {
    const token = await tokenOf(sandbox, 'ada');
    const { iat = 0, exp = 0, ...claims } = await verified(sandbox, token);

    expect(decodeProtectedHeader(token)).toEqual({ alg: 'ES256', typ: 'JWT', kid: expect.any(String) });
    expect(claims).toEqual({
      iss: `${sandbox.url}/common`,
      aud: 'api://tributary',
      sub: 'ada',
      scp: 'user_impersonation',
      nbf: iat,
      jti: expect.stringMatching(/^[\w-]{24}$/),
    });
    expect(Math.abs(Date.now() / 1_000 - iat)).toBeLessThan(5);
    expect([3_600, 3_601]).toContain(exp - iat);
  });

  test.each([
    ['https://api.businesscentral.dynamics.com/.default', 'https://api.businesscentral.dynamics.com'],
    ['https://management.azure.com//.default', 'https://management.azure.com/'],
    ['api://one/two/.default', 'api://one/two'],
    ['/.default', 'api://tributary'],
  ])(
    'S.claims.2 The token of a service with the scope %s has the audience %s, and roles',
    async (scope, aud) => {
      const claims = await verified(sandbox, await serviceToken(scope));

      expect(claims).toMatchObject({ aud, sub: 'tributary', roles: ['API.ReadWrite.All'] });
      expect(claims).not.toHaveProperty('scp');
    },
  );

  test('S.claims.4 A token with this issuer that was altered counts as expired; other texts are accepted', async () => {
    const token = await tokenOf(sandbox, 'reader');
    const [header = '', payload = '', signature = ''] = token.split('.');
    const claims = decodeJwt(token);
    const { privateKey } = await generateKeyPair('ES256');
    const forge = (changes: Json) =>
      new SignJWT({ ...claims, ...changes }).setProtectedHeader({ alg: 'ES256' }).sign(privateKey);
    const unsigned = [
      Buffer.from('{"alg":"none"}').toString('base64url'),
      Buffer.from(JSON.stringify({ ...claims, sub: 'ada' })).toString('base64url'),
      '',
    ].join('.');

    for (const text of [
      await forge({}),
      await forge({ sub: 'ada' }),
      await forge({ jti: 'another' }),
      unsigned,
      `${header}.${payload}.${signature.slice(0, -4)}AAAA`,
    ]) {
      expect(await read(text)).toBe(401);
    }
    expect(await read(token)).toBe(200);
    expect(await read(await forge({ iss: 'https://login.example.com' }))).toBe(200);
  });

  test('S.claims.5 A reset does not change the caller of a token', async () => {
    const reader = await tokenOf(sandbox, 'reader');
    await sandbox.post('/sandbox/reset');

    expect(await read(reader)).toBe(200);
    expect((await sandbox.post(`${company}/customers`, {}, { token: reader })).status).toBe(403);
  });
});

describe('signing keys', () => {
  test('S.keys.1 Keys are published, without private parts', async () => {
    const { keys } = (await sandbox.get('/common/discovery/keys')).body;

    expect(keys).toEqual([
      {
        kty: 'EC',
        crv: 'P-256',
        alg: 'ES256',
        use: 'sig',
        kid: kidOf(await tokenOf(sandbox, 'ada')),
        x: expect.stringMatching(/^[\w-]{43}$/),
        y: expect.stringMatching(/^[\w-]{43}$/),
      },
    ]);
    expect(await other.get('/common/discovery/keys')).not.toMatchObject({ body: { keys } });
    expect((await sandbox.get('/sandbox/journal')).body.requests.map(({ path }: Json) => path)).toContain(
      '/common/discovery/keys',
    );
  });
});
