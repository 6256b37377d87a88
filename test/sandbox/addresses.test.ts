import { describe, expect, test } from 'vitest';
import { company, companyV1, useSandbox } from './caller.ts';

const sandbox = useSandbox();

const odataErrors = [
  ['A.address.1', 'an unknown record set', `${company}/unicorns`, 404, 'BadRequest_ResourceNotFound'],
  [
    'A.address.2',
    'an unknown record',
    `${company}/items(${'1'.repeat(8)}-1111-4111-8111-111111111111)`,
    404,
    'Internal_RecordNotFound',
  ],
  ['A.address.3', 'a record id that is no GUID', `${company}/items(1896-S)`, 400, 'BadRequest_NotFound'],
  [
    'A.address.4',
    'an unknown company',
    '/api/v2.0/companies(11111111-1111-4111-8111-111111111111)/items',
    404,
    'Internal_CompanyNotFound',
  ],
  ['A.address.5', 'an unknown version', '/api/v3.0/companies', 404, 'BadRequest_ResourceNotFound'],
  [
    'A.address.6',
    'a v1.0 set other than items',
    `${companyV1}/customers`,
    404,
    'BadRequest_ResourceNotFound',
  ],
  ['A.address.7', 'a segment too many', `${company}/items/inventory`, 404, 'BadRequest_ResourceNotFound'],
] as const;

describe('paths', () => {
  test.each(odataErrors)('%s Reading %s is refused', async (_id, _what, path, status, code) => {
    const reply = await sandbox.get(path);

    expect(reply).toMatchObject({ status, body: { error: { code } } });
    expect(reply.body.error.message).toContain(`CorrelationId:  ${reply.headers.get('request-id')}.`);
  });

  test('A.address.8 The error for an unknown set names its segment', async () => {
    const { body } = await sandbox.get(`${company}/unicorns`);

    expect(body.error.message).toMatch(/^Resource not found for the segment 'unicorns'\./);
  });

  test('A.address.9 A record of one company is not found under another', async () => {
    const [, other] = await sandbox.list('/api/v2.0/companies');
    const [item] = await sandbox.list(`${company}/items?$top=1`);

    expect((await sandbox.get(`/api/v2.0/companies(${other.id})/items(${item.id})`)).status).toBe(404);
  });

  test('A.address.10 A record id is case-insensitive', async () => {
    const [item] = await sandbox.list(`${company}/items?$top=1`);

    expect((await sandbox.get(`${company}/items(${item.id.toUpperCase()})`)).body.id).toBe(item.id);
  });

  test.each([
    ['A.method.1', 'POST', `${company}/salesShipmentLines`, 'GET'],
    ['A.method.2', 'POST', `${company}/accounts`, 'GET'],
    ['A.method.4', 'DELETE', `${company}/salesOrders`, 'GET, POST'],
    ['A.method.5', 'PATCH', `${company}/items`, 'GET, POST'],
    ['A.method.6', 'PATCH', '/api/v2.0/companies', 'GET'],
  ])('%s %s of a collection that does not support it is 405', async (_id, method, path, allow) => {
    const reply = await sandbox.send(method, path);

    expect(reply).toMatchObject({ status: 405, body: { error: { code: 'BadRequest_MethodNotAllowed' } } });
    expect(reply.headers.get('allow')).toBe(allow);
  });

  test('A.method.7 DELETE of a posted line and any write of a v1.0 item are 405', async () => {
    const [shipment] = await sandbox.list(`${company}/salesShipments?$top=1&$expand=salesShipmentLines`);
    const [item] = await sandbox.list(`${company}/items?$top=1`);
    const answers = [
      await sandbox.send('DELETE', `${company}/salesShipmentLines(${shipment.salesShipmentLines[0].id})`),
      await sandbox.send('DELETE', `${companyV1}/items(${item.id})`),
      await sandbox.patch(`${companyV1}/items(${item.id})`, '*', { blocked: true }),
      await sandbox.post(`${companyV1}/items`, { displayName: 'Shelf' }),
    ];

    expect(answers.map(({ status }) => status)).toEqual([405, 405, 405, 405]);
    expect(answers.map(({ headers }) => headers.get('allow'))).toEqual(['GET', 'GET', 'GET', 'GET']);
  });

  test('A.limit.1 A query string longer than 8,099 characters is 414, one of that length is accepted', async () => {
    const longest = `$top=1&note=${'x'.repeat(8_099 - '$top=1&note='.length)}`;

    expect((await sandbox.get(`${company}/items?${longest}x`)).status).toBe(414);
    expect((await sandbox.get(`${company}/items?${longest}`)).status).toBe(200);
  });

  test('A.header.1 Every response has a version, a request id and no caching', async () => {
    const reply = await sandbox.get('/api/v2.0/companies');

    expect(reply.headers.get('odata-version')).toBe('4.0');
    expect(reply.headers.get('request-id')).toMatch(/^[0-9a-f-]{36}$/);
    expect(reply.headers.get('cache-control')).toBe('no-cache, no-store');
    expect(reply.headers.get('content-type')).toContain('odata.metadata=minimal');
  });

  test('S.address.1 A path outside all areas is 404', async () => {
    expect((await sandbox.get('/elsewhere')).status).toBe(404);
  });
});
