import { describe, expect, test } from 'vitest';
import { company, useSandbox } from './caller.ts';

const sandbox = useSandbox();

const stop =
  '/subscriptions/11111111-2222-4333-8444-555555555555/resourceGroups/rg-north/providers/Vendor.Workloads/virtualInstances/N01/applicationInstances/quick/stop?api-version=2023-04-01';
const fetchDetails = '/providers/Vendor.Health/events/SA_5-XYZ/fetchEventDetails?api-version=2025-05-01';

const areas = [
  [
    'A',
    'GET',
    `${company}/items`,
    ['Authentication_InvalidCredentials', 'Authentication_InvalidCredentials', 'Authorization_RequestDenied'],
  ],
  ['B', 'POST', stop, ['InvalidAuthenticationToken', 'ExpiredAuthenticationToken', 'AuthorizationFailed']],
  [
    'C',
    'POST',
    fetchDetails,
    ['InvalidAuthenticationToken', 'ExpiredAuthenticationToken', 'AuthorizationFailed'],
  ],
] as const;

describe.each(areas)('bearer token of area %s', (area, method, path, [missing, expired, denied]) => {
  const errorOf = (body: { error?: unknown }) => (area === 'C' ? body : body.error);

  test.each([[''], ['Basic Y2xlcms6eA=='], ['Bearer '], ['clerk']])(
    `${area}.auth.1 A call with Authorization "%s" is 401 with a challenge`,
    async (authorization) => {
      const reply = await sandbox.send(method, path, { headers: { authorization } });

      expect(reply.status).toBe(401);
      expect(reply.headers.get('www-authenticate')).toBe('Bearer');
      expect(errorOf(reply.body)).toMatchObject({ code: missing, message: expect.any(String) });
    },
  );

  test(`${area}.auth.2 An expired token is 401`, async () => {
    const reply = await sandbox.send(method, path, { token: 'expired-1' });

    expect(reply.status).toBe(401);
    expect(errorOf(reply.body)).toMatchObject({ code: expired });
  });

  test(`${area}.auth.3 A token without rights is 403`, async () => {
    const reply = await sandbox.send(method, path, { token: 'denied-1' });

    expect(reply.status).toBe(403);
    expect(errorOf(reply.body)).toMatchObject({ code: denied });
  });

  test(`${area}.auth.4 Any other token is accepted`, async () => {
    expect((await sandbox.send(method, path, { token: 'eyJhbGciOi.J9.x' })).status).toBe(200);
  });
});

describe('rights', () => {
  test('A.auth.5 A reader may read but not write', async () => {
    const token = 'reader-1';
    const { body } = await sandbox.get(`${company}/items?$top=1`, { token });
    const [item] = body.value;
    const headers = { 'content-type': 'application/json', 'if-match': item['@odata.etag'] };
    const path = `${company}/items(${item.id})`;

    const patched = await sandbox.send('PATCH', path, { token, headers, body: '{"unitCost":1}' });
    const created = await sandbox.post(`${company}/salesOrders`, { customerNumber: 'C10000' }, { token });

    expect(patched).toMatchObject({ status: 403, body: { error: { code: 'Authorization_RequestDenied' } } });
    expect(created.status).toBe(403);
    expect((await sandbox.get(path)).body['@odata.etag']).toBe(item['@odata.etag']);
  });

  test('B.auth.5 A reader may not stop an instance', async () => {
    expect(await sandbox.post(stop, undefined, { token: 'reader-1' })).toMatchObject({
      status: 403,
      body: { error: { code: 'AuthorizationFailed' } },
    });
  });

  test.each(['reader-1', 'limited-1'])(
    'C.auth.5 A token "%s" may not read a sensitive event',
    async (token) => {
      const reply = await sandbox.post(fetchDetails, undefined, { token });

      expect(reply).toMatchObject({ status: 403, body: { code: 'AuthorizationFailed' } });
      expect(reply.text).not.toContain('storage');
    },
  );

  test.each(['reader-1', 'limited-1'])(
    'C.auth.6 A token "%s" may read an event that is not sensitive',
    async (token) => {
      const path = fetchDetails.replace('SA_5-XYZ', 'SI_1-QRT');

      expect((await sandbox.post(path, undefined, { token })).status).toBe(200);
    },
  );
});
