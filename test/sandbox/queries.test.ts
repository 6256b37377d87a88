import { describe, expect, test } from 'vitest';
import type { Json } from '../support/json.ts';
import { company, useSandbox } from './caller.ts';

// What the audits ask of every upstream is in audits; here is what only the sandbox promises.
const sandbox = useSandbox();
const customers = `${company}/customers`;
const nobody = '11111111-1111-4111-8111-111111111111';
const prefer = (size: number) => ({ headers: { prefer: `odata.maxpagesize=${size}` } });
const errorOf = async (path: string) => {
  const { status, body } = await sandbox.get(path);
  return `${status} ${body.error?.code}`;
};

describe('addresses', () => {
  test.each([
    ['A.address.1', 'an unknown record set', `${company}/unicorns`, '404 BadRequest_ResourceNotFound'],
    ['A.address.2', 'an unknown record', `${company}/items(${nobody})`, '404 Internal_RecordNotFound'],
    [
      'A.address.4',
      'an unknown company',
      `/api/v2.0/companies(${nobody})/items`,
      '404 Internal_CompanyNotFound',
    ],
    ['A.address.5', 'an unknown version', '/api/v3.0/companies', '404 BadRequest_ResourceNotFound'],
  ])('%s Reading %s is refused', async (_id, _what, path, error) => {
    const { headers, body } = await sandbox.get(path);

    expect(await errorOf(path)).toBe(error);
    expect(body.error.message).toContain(`CorrelationId:  ${headers.get('request-id')}.`);
  });

  test('A.address.9 A record is found in its company only, its id in any case', async () => {
    const [, other] = await sandbox.list('/api/v2.0/companies');
    const { id } = await sandbox.first('items');

    expect((await sandbox.get(`/api/v2.0/companies(${other.id})/items(${id})`)).status).toBe(404);
    expect((await sandbox.get(`${company}/items(${id.toUpperCase()})`)).body.id).toBe(id);
  });

  test.each([
    ['A.method.1', 'POST', `${company}/accounts`, 'GET'],
    ['A.method.5', 'PATCH', `${company}/items`, 'GET, POST'],
  ])('%s %s of a collection that does not support it is 405', async (_id, method, path, allow) => {
    const { status, headers, body } = await sandbox.send(method, path);

    expect([status, headers.get('allow'), body.error.code]).toEqual([
      405,
      allow,
      'BadRequest_MethodNotAllowed',
    ]);
  });
});

describe('order, count and pages', () => {
  test('A.page.1 Links are absolute and opaque, and keep filter, order, select, count and $skip', async () => {
    const query = "$filter=type eq 'Company'&$orderby=city desc&$select=id,city&$count=true&$skip=10";
    const whole = await sandbox.get(`${customers}?${query}`);
    const records: Json[] = [];
    for (let next: string | undefined = `${customers}?${query}`; next !== undefined; ) {
      const { body, headers } = await sandbox.get(next, prefer(40));
      expect(headers.get('preference-applied')).toBe('odata.maxpagesize=40');
      expect(body['@odata.count']).toBe(whole.body['@odata.count']);
      records.push(...body.value);
      next = body['@odata.nextLink'];
      if (next) expect(next.replace(/[\w-]+$/, '')).toBe(`${sandbox.url}${customers}?aid=FIN&$skiptoken=`);
    }

    expect(records).toEqual(whole.body.value);
  });
});
