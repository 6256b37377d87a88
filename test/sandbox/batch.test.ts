import { describe, expect, test } from 'vitest';
import { sandboxCompanyId } from '../../sandbox/seed/seed.ts';
import type { Json } from '../support/json.ts';
import { company, type Reply, useSandbox } from './caller.ts';

const sandbox = useSandbox();
const root = `companies(${sandboxCompanyId})`;
const json = { 'content-type': 'application/json' };
const goOn = { prefer: 'odata.continue-on-error' };
const missing = `${root}/items(11111111-1111-4111-8111-111111111111)`;

const batch = (requests: unknown, headers: Record<string, string> = {}, version = 'v2.0'): Promise<Reply> =>
  sandbox.post(
    `/api/${version}/$batch`,
    { requests },
    { headers: { accept: 'application/json', ...headers } },
  );

const get = (url: string, more: object = {}) => ({ method: 'GET', url, ...more });
const patch = (url: string, body: unknown, etag = '*') => ({
  method: 'PATCH',
  url,
  headers: { 'Content-Type': 'application/json', 'If-Match': etag },
  body,
});
const statuses = (reply: Reply) => reply.body.responses.map((one: Json) => one.status);
const firstItem = async () => (await sandbox.list(`${company}/items?$top=1`))[0];

describe('batch', () => {
  test('A.batch.1 Responses are in the order of the requests, with their ids', async () => {
    const { status, body } = await batch([
      get(`${root}/items?$top=1&$select=number`, { id: 'b' }),
      get(`${root}/customers?$top=1`, { id: 'a' }),
      get('companies'),
    ]);

    expect(status).toBe(200);
    expect(body.responses.map((one: Json) => one.id)).toEqual(['b', 'a', null]);
    expect(Object.keys(body.responses[0].body.value[0])).toEqual(['@odata.etag', 'number']);
    expect(body.responses[2].body.value).toHaveLength(2);
  });

  test('A.batch.2 A part has the status, the headers and the body of the single request', async () => {
    const query = encodeURIComponent("displayName eq 'O''Dwyer & Sons Outfitters'");
    const urls = [`${root}/customers?$filter=${query}`, `${root}/items?$filter=colour%20eq%201`, missing];
    const { body } = await batch(
      urls.map((url) => get(url)),
      goOn,
    );

    for (const [index, url] of urls.entries()) {
      const single = await sandbox.get(`/api/v2.0/${url}`);
      const part = body.responses[index];
      expect(part.status).toBe(single.status);
      expect(part.headers['odata-version']).toBe('4.0');
      expect(part.headers['content-type']).toBe(single.headers.get('content-type'));
      if (single.status === 200) expect(part.body).toEqual(single.body);
      else expect(part.body.error.code).toBe(single.body.error.code);
    }
    expect(body.responses[0].body.value).toHaveLength(1);
    expect(body.responses[1].body.error.message).toContain(body.responses[1].headers['request-id']);
  });

  test('A.batch.3 Execution stops after the first failed part', async () => {
    const { id, unitPrice } = await firstItem();
    const reply = await batch([
      get('companies'),
      get(missing),
      patch(`${root}/items(${id})`, { unitPrice: 77 }),
    ]);

    expect(statuses(reply)).toEqual([200, 404]);
    expect((await sandbox.get(`${company}/items(${id})`)).body.unitPrice).toBe(unitPrice);
  });

  test('A.batch.4 With odata.continue-on-error all parts are executed', async () => {
    expect(statuses(await batch([get(missing), get('companies')], goOn))).toEqual([404, 200]);
    expect(statuses(await batch([get(missing), get('companies')]))).toEqual([404]);
  });

  test('A.batch.5 A hundred parts are accepted, one more is 400 Unknown', async () => {
    const many = (count: number) => Array.from({ length: count }, () => get('companies'));
    const refused = await batch(many(101));

    expect((await batch(many(100))).body.responses).toHaveLength(100);
    expect(refused).toMatchObject({ status: 400, body: { error: { code: 'Unknown' } } });
    expect(refused.body.error.message).toMatch(/too many parts\. A maximum number of '100'/);
  });

  test.each([
    ['no list', 'x'],
    ['a part that is no object', ['x']],
    ['a part without a method', [{ url: 'companies' }]],
    ['a part without a url', [{ method: 'GET' }]],
    ['an absolute url', [get('/api/v2.0/companies')]],
    ['a url of another host', [get('http://127.0.0.1/api/v2.0/companies')]],
    ['a url with a blank', [get(`${root}/items?$filter=id eq null`)]],
    ['an id that is a number', [get('companies', { id: 1 })]],
    ['an id that comes twice', [get('companies', { id: '1' }), get('companies', { id: '1' })]],
    ['headers that are no texts', [get('companies', { headers: { 'If-Match': 1 } })]],
    ['a batch inside', [{ method: 'POST', url: '$batch', body: { requests: [] } }]],
    ['dependsOn', [get('companies', { dependsOn: ['1'] })]],
  ])('A.batch.6 A batch with %s is 400 and not executed', async (_what, requests) => {
    expect(await batch(requests)).toMatchObject({ status: 400, body: { error: { code: 'BadRequest' } } });
  });

  test('A.batch.7 A batch that does not accept JSON is 406, one that is not JSON 415, one not POSTed 405', async () => {
    const body = JSON.stringify({ requests: [] });

    expect((await sandbox.send('POST', '/api/v2.0/$batch', { headers: json, body })).status).toBe(406);
    expect((await batch([], { 'content-type': 'multipart/mixed; boundary=x' })).status).toBe(415);
    expect((await sandbox.get('/api/v2.0/$batch')).status).toBe(405);
  });

  test('A.batch.8 The token of the batch is the token of its parts', async () => {
    const own = { headers: { authorization: 'Bearer expired' } };
    const write = patch(missing, { unitPrice: 1 });
    const headers = { accept: 'application/json' };
    const send = (token: string, requests: unknown[]) =>
      sandbox.post('/api/v2.0/$batch', { requests }, { headers, token });

    expect((await send('expired', [get('companies')])).status).toBe(401);
    expect(statuses(await send('reader-1', [get('companies', own), write]))).toEqual([200, 403]);
  });

  test('A.batch.9 The headers of a part are its own', async () => {
    const prefer = { headers: { Prefer: 'odata.maxpagesize=5' } };
    const { body } = await batch([get(`${root}/items`, prefer), get(`${root}/employees`)], {
      prefer: 'odata.maxpagesize=2',
    });
    const [items, employees] = body.responses;

    expect(items.body.value).toHaveLength(5);
    expect(items.headers['preference-applied']).toBe('odata.maxpagesize=5');
    expect(employees.body.value).toHaveLength(40);
    expect((await sandbox.get(items.body['@odata.nextLink'])).status).toBe(200);
  });

  test('A.batch.10 The maximum query length applies to each part', async () => {
    const part = (length: number) =>
      get(`${root}/items?$top=1&note=${'x'.repeat(length - '$top=1&note='.length)}`);

    expect(statuses(await batch([part(8_099), part(8_099), part(8_100)]))).toEqual([200, 200, 414]);
  });

  test('A.batch.11 Writes are executed one after another, each with its own If-Match', async () => {
    const item = await firstItem();
    const url = `${root}/items(${item.id})`;
    const reply = await batch([
      patch(url, { unitPrice: 5 }, item['@odata.etag']),
      get(`${url}?$select=unitPrice`),
      patch(url, { unitPrice: 6 }, item['@odata.etag']),
    ]);

    expect(reply.body.responses[0]).toMatchObject({ status: 200, body: { unitPrice: 5 } });
    expect(reply.body.responses[1].body.unitPrice).toBe(5);
    expect(reply.body.responses[2].status).toBeGreaterThanOrEqual(400);
    expect((await sandbox.get(`${company}/items(${item.id})`)).body.unitPrice).toBe(5);
  });

  test('A.batch.12 An order is created with its lines', async () => {
    const item = await firstItem();
    const [customer] = await sandbox.list(`${company}/customers?$top=1`);
    const order = { customerId: customer.id, documentLines: [{ itemId: item.id, quantity: 2 }] };
    const { body } = await batch([
      { method: 'POST', url: `${root}/salesOrders`, headers: json, body: order },
    ]);
    const [created] = body.responses;

    expect(created).toMatchObject({ status: 201, body: { status: 'Draft' } });
    expect((await sandbox.get(created.headers.location)).body.customerId).toBe(customer.id);
  });

  test('A.batch.13 A v1.0 batch has v1.0 parts', async () => {
    const { body } = await batch([get(`${root}/items?$top=1`), get(`${root}/customers`)], {}, 'v1.0');

    expect(body.responses[0].body.value[0]).toHaveProperty('baseUnitOfMeasure.unitCode');
    expect(body.responses[1].status).toBe(404);
  });

  test.each([{}, goOn])(
    'A.batch.15 With Isolation: snapshot one failure rolls back everything',
    async (prefer) => {
      const item = await firstItem();
      const change = patch(`${root}/items(${item.id})`, { unitPrice: 5 });
      const read = async () => (await sandbox.get(`${company}/items?$top=1`)).body.value[0];

      await batch([change, get(missing), change], { isolation: 'snapshot', ...prefer });
      expect(await read()).toEqual(item);
      await batch([change], { isolation: 'snapshot', ...prefer });
      expect((await read()).unitPrice).toBe(5);
      await batch([patch(`${root}/items(${item.id})`, { unitPrice: 8 }), get(missing)], prefer);
      expect((await read()).unitPrice).toBe(8);
    },
  );

  test('A.batch.17 Numbers keep all digits in requests and responses', async () => {
    const { id } = await firstItem();
    const part = `{"method":"PATCH","url":"${root}/items(${id})","headers":{"If-Match":"*","Content-Type":"application/json"},"body":{"unitPrice":1234567890123456.78}}`;
    const headers = { ...json, accept: 'application/json' };
    const reply = await sandbox.send('POST', '/api/v2.0/$batch', { headers, body: `{"requests":[${part}]}` });

    expect(reply.text).toContain('"unitPrice":1234567890123456.78');
    expect((await sandbox.get(`${company}/items(${id})`)).text).toContain('"unitPrice":1234567890123456.78');
  });
});
