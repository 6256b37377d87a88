import * as oauth from 'oauth4webapi';
import { describe, expect, test } from 'vitest';
import { company, useSandbox } from './caller.ts';
import { form, tokenOf, verified } from './sign-in-caller.ts';
import { subscribe, useReceiver } from './webhook-receiver.ts';

const sandbox = useSandbox();
const receiver = useReceiver();

const jwtBearer = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
const usual = {
  grant_type: jwtBearer,
  requested_token_use: 'on_behalf_of',
  client_id: 'tributary',
  client_secret: 'sandbox-secret',
  scope: 'https://api.businesscentral.dynamics.com/.default',
};
const ask = (assertion: string, changes: Record<string, string> = {}) =>
  sandbox.send('POST', '/common/oauth2/token', {
    headers: form,
    body: new URLSearchParams({ ...usual, assertion, ...changes }).toString(),
  });
const exchanged = async (assertion: string, changes: Record<string, string> = {}): Promise<string> =>
  (await ask(assertion, changes)).body.access_token;

const events = '/providers/Vendor.Health/events?api-version=2025-05-01';
const foreign = (claims: object) =>
  ['{"alg":"RS256"}', JSON.stringify(claims), 'x']
    .map((part) => Buffer.from(part).toString('base64url'))
    .join('.');

describe('on behalf of a caller', () => {
  test('S.obo.1 A client library exchanges the token of a user for one for another service', async () => {
    const server = {
      issuer: `${sandbox.url}/common`,
      token_endpoint: `${sandbox.url}/common/oauth2/token`,
    };
    const client = { client_id: 'tributary' };
    const fields = {
      requested_token_use: 'on_behalf_of',
      assertion: await tokenOf(sandbox, 'ada'),
      scope: usual.scope,
    };
    const response = await oauth.genericTokenEndpointRequest(
      server,
      client,
      oauth.ClientSecretPost('sandbox-secret'),
      jwtBearer,
      fields,
      { [oauth.allowInsecureRequests]: true },
    );
    const answer = await oauth.processGenericTokenEndpointResponse(server, client, response);

    expect(answer).toMatchObject({
      token_type: 'bearer',
      expires_in: 3_600,
      scope: 'https://api.businesscentral.dynamics.com/user_impersonation',
    });
    expect(await verified(sandbox, answer.access_token)).toMatchObject({
      aud: 'https://api.businesscentral.dynamics.com',
      sub: 'ada',
      scp: 'user_impersonation',
    });
    expect((await sandbox.get(events, { token: answer.access_token })).status).toBe(200);
  });

  test.each([
    ['https://management.azure.com/user_impersonation', 'https://management.azure.com'],
    ['openid https://management.azure.com//.default offline_access', 'https://management.azure.com/'],
    ['user_impersonation', 'api://tributary'],
  ])('S.obo.2 With the scope %s the audience is %s', async (scope, aud) => {
    expect(await verified(sandbox, await exchanged('clerk', { scope }))).toMatchObject({
      aud,
      sub: 'clerk',
      scp: 'user_impersonation',
    });
  });

  test.each([
    ['clerk~2', 'clerk'],
    ['any text will do', 'any text will do'],
    [foreign({ iss: 'https://login.example.com', sub: 'bea' }), 'bea'],
  ])('S.obo.3 The assertion %s identifies %s', async (assertion, sub) => {
    expect(await verified(sandbox, await exchanged(assertion))).toMatchObject({ sub });
  });

  test('S.obo.4 The caller and its rights are the same as with the assertion', async () => {
    const token = await exchanged(await tokenOf(sandbox, 'reader'));
    expect((await sandbox.get(`${company}/items?$top=1`, { token })).status).toBe(200);
    expect((await sandbox.post(`${company}/customers`, {}, { token })).status).toBe(403);

    const ada = await tokenOf(sandbox, 'ada');
    await subscribe(sandbox, receiver.url, 'items', {}, await exchanged(ada));
    const own = await sandbox.get('/api/v2.0/subscriptions', { token: ada });
    expect(own.body.value).toHaveLength(1);
  });

  test('S.obo.5 A user that does not grant user_impersonation is refused by areas B and C here, too', async () => {
    const token = await exchanged(await tokenOf(sandbox, 'guest'));

    expect((await ask('guest')).body.scope).toBe('');
    expect((await sandbox.get(events, { token })).status).toBe(403);
    expect((await sandbox.get(`${company}/items?$top=1`, { token })).status).toBe(200);
  });

  test('S.obo.6 An expired token, or that of a client, is invalid_grant', async () => {
    const ada = await tokenOf(sandbox, 'ada');
    const service = (
      await sandbox.send('POST', '/common/oauth2/token', {
        headers: form,
        body: new URLSearchParams({ ...usual, grant_type: 'client_credentials' }).toString(),
      })
    ).body.access_token;
    expect(await ask(service)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
    await sandbox.post('/sandbox/tokens', { revoke: true });

    expect(await ask(ada)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
  });

  test.each(['expired', 'expired-1', 'denied-1', '~', foreign({ sub: 'denied' }), 'x'.repeat(101)])(
    'S.obo.7 The assertion %s is invalid_grant',
    async (assertion) => {
      expect(await ask(assertion)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
    },
  );

  test('S.obo.8 So is the token of a denied user', async () => {
    expect((await ask(await tokenOf(sandbox, 'denied'))).body.error).toBe('invalid_grant');
  });

  test.each([
    [400, 'invalid_request', { requested_token_use: '' }],
    [400, 'invalid_request', { requested_token_use: 'another' }],
    [400, 'invalid_grant', { assertion: '' }],
    [401, 'invalid_client', { client_secret: '' }],
    [401, 'invalid_client', { client_id: 'explorer', client_secret: '' }],
    [401, 'invalid_client', { client_secret: 'wrong' }],
    [400, 'invalid_scope', { scope: '' }],
    [400, 'invalid_scope', { scope: 'openid' }],
    [400, 'invalid_scope', { scope: 'https://management.azure.com/read' }],
    [400, 'invalid_scope', { scope: 'https://one/.default https://other/.default' }],
  ])('S.obo.9 The result is %i %s with %j', async (status, error, changes) => {
    expect(await ask('clerk', changes)).toMatchObject({
      status,
      body: { error, error_description: expect.stringMatching(/^[ !#-[\]-~]+$/) },
    });
  });

  test('S.obo.10 The journal shows neither assertion nor secret', async () => {
    await ask('an-assertion');
    const { requests } = (await sandbox.get('/sandbox/journal')).body;

    expect(requests[0].body).toContain('requested_token_use=on_behalf_of');
    expect(JSON.stringify(requests)).not.toMatch(/an-assertion|sandbox-secret/);
  });
});
