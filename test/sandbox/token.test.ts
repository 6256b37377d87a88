import { describe, expect, test } from 'vitest';
import type { Json } from '../support/json.ts';
import { company, useSandbox } from './caller.ts';
import { subscribe, subscriptions, useReceiver } from './webhook-receiver.ts';

const path = '/common/oauth2/token';
const usual = {
  grant_type: 'client_credentials',
  client_id: 'tributary',
  client_secret: 'sandbox-secret',
  scope: 'https://api.businesscentral.dynamics.com/.default',
};
const form = { 'content-type': 'application/x-www-form-urlencoded' };

const sandbox = useSandbox();
const receiver = useReceiver();
const ask = (changes: Record<string, string> = {}, from = sandbox, headers: Record<string, string> = form) =>
  from.send('POST', path, { headers, body: new URLSearchParams({ ...usual, ...changes }).toString() });
const tokenOf = async (): Promise<string> => (await ask()).body.access_token;
const read = async (token: string) => (await sandbox.get(`${company}/items?$top=1`, { token })).status;

describe('tokens', () => {
  test('S.token.1 A client with its secret gets a token for an hour', async () => {
    const reply = await ask();

    expect(reply.status).toBe(200);
    expect(reply.headers.get('cache-control')).toBe('no-store');
    expect(reply.body).toMatchObject({
      token_type: 'Bearer',
      expires_in: 3_600,
      access_token: expect.stringMatching(/^eyJ[\w-]+\.[\w-]+\.[\w-]{86}$/),
    });
    expect(await tokenOf()).not.toBe(reply.body.access_token);
  });

  test.each([
    [401, 'invalid_client', { client_secret: 'wrong' }],
    [401, 'invalid_client', { client_id: 'nobody' }],
    [401, 'invalid_client', { client_id: 'toString' }],
    [401, 'invalid_client', { client_secret: '' }],
    [401, 'invalid_client', { client_id: 'explorer' }],
    [400, 'unsupported_grant_type', { grant_type: '' }],
    [400, 'unsupported_grant_type', { grant_type: 'password' }],
    [400, 'invalid_scope', { scope: '' }],
    [400, 'invalid_scope', { scope: 'https://one/.default https://other/.default' }],
    [400, 'invalid_scope', { scope: 'https://api.businesscentral.dynamics.com/user_impersonation' }],
  ])('S.token.2 The result is %i %s with %j', async (status, error, changes) => {
    expect(await ask(changes)).toMatchObject({
      status,
      body: { error, error_description: expect.any(String) },
    });
  });

  test('S.token.4 Every area accepts the token, and sees one caller behind all tokens of a client', async () => {
    const [one, two] = [await tokenOf(), await tokenOf()];
    const { body } = await subscribe(sandbox, receiver.url, 'items', {}, one);

    expect(await read(one)).toBe(200);
    expect((await sandbox.get(`${subscriptions}('${body.subscriptionId}')`, { token: two })).status).toBe(
      200,
    );
    expect((await sandbox.get('/sandbox/webhooks')).body.subscriptions[0].owner).toBe('tributary');
  });

  test('S.token.5 An expired token is rejected with the codes of each area, while a later one is accepted', async () => {
    await sandbox.post('/sandbox/tokens', { lifetimeMs: 200 });
    const token = await tokenOf();
    expect(await read(token)).toBe(200);
    await new Promise((resolve) => setTimeout(resolve, 220));

    expect(await sandbox.get(`${company}/items`, { token })).toMatchObject({
      status: 401,
      body: { error: { code: 'Authentication_InvalidCredentials' } },
    });
    const event = '/providers/Vendor.Health/events/SI_1-QRT/fetchEventDetails?api-version=2025-05-01';
    expect(await sandbox.post(event, undefined, { token })).toMatchObject({
      status: 401,
      body: { code: 'ExpiredAuthenticationToken' },
    });
    await sandbox.post('/sandbox/tokens', { lifetimeMs: 60_000 });
    expect(await read(await tokenOf())).toBe(200);
  });

  test('S.token.6 All issued tokens can be revoked', async () => {
    const token = await tokenOf();
    expect((await sandbox.post('/sandbox/tokens', { revoke: true })).status).toBe(204);

    expect(await read(token)).toBe(401);
    expect(await read(await tokenOf())).toBe(200);
  });

  test('S.token.7 A lifetime lasts until a reset', async () => {
    await sandbox.post('/sandbox/tokens', { lifetimeMs: 5_000 });
    expect((await ask()).body.expires_in).toBe(5);
    await sandbox.post('/sandbox/reset');

    expect((await ask()).body.expires_in).toBe(3_600);
  });

  test('S.token.8 The journal records each request, without the secret; faults apply to them', async () => {
    await ask();
    await sandbox.post('/sandbox/faults', { path, status: 503 });
    expect((await ask()).status).toBe(503);
    await ask({ grant_type: '' });
    const { requests } = (await sandbox.get('/sandbox/journal')).body;

    expect(requests.map((one: Json) => [one.method, one.path, one.status])).toEqual(
      [200, 503, 400].map((status) => ['POST', path, status]),
    );
    expect(JSON.stringify(requests)).not.toContain('sandbox-secret');
    expect(requests[0].body).toContain('client_id=tributary');
  });

  test.each([{ lifetimeMs: -1 }, { lifetimeMs: '1' }, { revoke: false }, { colour: 'red' }, []])(
    'S.token.9 Settings such as %j are 400',
    async (body) => {
      expect((await sandbox.post('/sandbox/tokens', body)).status).toBe(400);
    },
  );

  test('S.token.10 The URLs are in the index', async () => {
    const { available } = (await sandbox.get('/sandbox')).body;

    expect(available[`POST ${path}`]).toContain('client_id=tributary');
    expect(available['POST /sandbox/tokens']).toContain('lifetimeMs');
    expect(available).toHaveProperty(['GET /common/oauth2/authorize']);
    expect(available).toHaveProperty(['GET /common/discovery/keys']);
  });

  test.each([
    ['http://localhost:4000', true],
    ['http://127.0.0.1:5173', true],
    ['https://[::1]', true],
    ['https://app.example.com', false],
    ['http://localhost.example.com', false],
    ['http://localhost:4000/', false],
    ['null', false],
  ])('S.token.12 The browser lets a page at %s read the response: %s', async (origin, isTold) => {
    const headers = { ...form, origin };
    const told = isTold ? origin : null;

    for (const reply of [
      await ask({}, sandbox, headers),
      await ask({ client_secret: 'x' }, sandbox, headers),
    ]) {
      expect(reply.headers.get('access-control-allow-origin')).toBe(told);
      expect(reply.headers.get('vary')).toBe('origin');
    }
    for (const elsewhere of ['/common/oauth2/authorize', '/common/discovery/keys', `${company}/items`]) {
      const reply = await sandbox.get(elsewhere, { headers: { origin } });
      expect(reply.headers.get('access-control-allow-origin')).toBeNull();
    }
  });
});
