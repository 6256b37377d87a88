import * as oauth from 'oauth4webapi';
import { describe, expect, test } from 'vitest';
import { company, useSandbox } from './caller.ts';
import { authorize, codeOf, exchange, redirectUri, verified, verifier } from './sign-in-caller.ts';

const sandbox = useSandbox();

const read = async (token: string) => (await sandbox.get(`${company}/items?$top=1`, { token })).status;

describe('the authorization code of a sign-in', () => {
  test('S.code.1 A client library signs in', async () => {
    const server: oauth.AuthorizationServer = {
      issuer: `${sandbox.url}/common`,
      authorization_endpoint: `${sandbox.url}/common/oauth2/authorize`,
      token_endpoint: `${sandbox.url}/common/oauth2/token`,
      jwks_uri: `${sandbox.url}/common/discovery/keys`,
    };
    const client = { client_id: 'explorer' };
    const [ownVerifier, state] = [oauth.generateRandomCodeVerifier(), oauth.generateRandomState()];
    const question = {
      state,
      scope: 'openid offline_access https://api.example.com/user_impersonation api://tributary/records.write',
      code_challenge: await oauth.calculatePKCECodeChallenge(ownVerifier),
    };
    const { location } = await authorize(sandbox, { ...question, login_hint: 'ada' });

    const told = oauth.validateAuthResponse(server, client, new URL(location ?? ''), state);
    const response = await oauth.authorizationCodeGrantRequest(
      server,
      client,
      oauth.None(),
      told,
      redirectUri,
      ownVerifier,
      { [oauth.allowInsecureRequests]: true },
    );
    const answer = await oauth.processAuthorizationCodeResponse(server, client, response);

    expect(answer).toEqual({
      token_type: 'bearer',
      expires_in: 3_600,
      ext_expires_in: 3_600,
      scope: 'https://api.example.com/user_impersonation api://tributary/records.write',
      access_token: expect.any(String),
    });
    expect(await verified(sandbox, answer.access_token)).toMatchObject({
      sub: 'ada',
      aud: 'api://tributary',
      scp: 'user_impersonation records.write',
    });
    expect(await read(answer.access_token)).toBe(200);
  });

  test('S.code.2 A code is valid once', async () => {
    const code = await codeOf(sandbox, 'ada');
    expect(await read((await exchange(sandbox, code)).body.access_token)).toBe(200);

    expect(await exchange(sandbox, code)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
  });

  test('S.code.3 Of many concurrent attempts one succeeds', async () => {
    const code = await codeOf(sandbox, 'ada');
    const replies = await Promise.all(Array.from({ length: 5 }, () => exchange(sandbox, code)));

    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1);
  });

  test.each([
    [400, 'invalid_grant', { code: 'nobody-gave-this' }],
    [400, 'invalid_grant', { redirect_uri: 'http://localhost:4000/signed-in' }],
    [400, 'invalid_grant', { redirect_uri: `${redirectUri}&more=1` }],
    [400, 'invalid_grant', { code_verifier: `${verifier}-not` }],
    [400, 'invalid_grant', { code_verifier: verifier.slice(0, 42) }],
    [401, 'invalid_client', { client_id: 'tributary', client_secret: 'sandbox-secret' }],
    [401, 'invalid_client', { client_id: 'tributary' }],
    [401, 'invalid_client', { client_id: 'nobody' }],
    [401, 'invalid_client', { client_secret: 'it has none' }],
    [401, 'invalid_client', { client_id: '' }],
    [400, 'invalid_grant', { code: '' }],
    [400, 'invalid_grant', { redirect_uri: '' }],
    [400, 'invalid_grant', { code_verifier: '' }],
  ])('S.code.4 The exchange is %i %s with %j', async (status, error, changes) => {
    const reply = await exchange(sandbox, await codeOf(sandbox, 'ada'), changes);

    expect(reply).toMatchObject({
      status,
      body: { error, error_description: expect.stringMatching(/^[ !#-[\]-~]+$/) },
    });
    expect(reply.body).not.toHaveProperty('access_token');
  });

  test('S.code.5 An attempt with another verifier consumes the code', async () => {
    const code = await codeOf(sandbox, 'ada');
    await exchange(sandbox, code, { code_verifier: 'x'.repeat(43) });

    expect((await exchange(sandbox, code)).body.error).toBe('invalid_grant');
  });

  test('S.code.7 A reset removes codes', async () => {
    const code = await codeOf(sandbox, 'ada');
    await sandbox.post('/sandbox/reset');

    expect((await exchange(sandbox, code)).body.error).toBe('invalid_grant');
  });
});
