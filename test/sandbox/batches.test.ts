import { describe, expect, test } from 'vitest';
import type { Json } from '../support/json.ts';
import { company, type Reply, companyPart as root, useSandbox } from './caller.ts';

const document = useSandbox();
const dynamics = useSandbox({ dialect: 'dynamics' });

const json = { 'content-type': 'application/json' };
const goOn = { prefer: 'odata.continue-on-error' };
const nobody = '11111111-1111-4111-8111-111111111111';
const missing = `${root}/items(${nobody})`;

const get = (url: string, more: object = {}) => ({ method: 'GET', url, ...more });
const post = (set: string, body: unknown) => ({ method: 'POST', url: `${root}/${set}`, headers: json, body });
const patch = (url: string, body: unknown, etag?: string) => ({
  method: 'PATCH',
  url,
  headers: { ...json, ...(etag === undefined ? {} : { 'If-Match': etag }) },
  body,
});
const remove = (url: string, etag = '*') => ({ method: 'DELETE', url, headers: { 'If-Match': etag } });
const statuses = (reply: Reply) => reply.body.responses.map((one: Json) => one.status);

describe('a batch', () => {
  const { batch } = document;

  test.each([
    ['no list', 'x'],
    ['an absolute url', [get('/api/v2.0/companies')]],
    ['a url of another host', [get('http://127.0.0.1/api/v2.0/companies')]],
    ['an id that comes twice', [get('companies', { id: '1' }), get('companies', { id: '1' })]],
    ['dependsOn', [get('companies', { dependsOn: ['1'] })]],
  ])('A.batch.6 A batch with %s is 400 and not executed', async (_what, requests) => {
    expect(await batch(requests)).toMatchObject({ status: 400, body: { error: { code: 'BadRequest' } } });
  });

  test('A.batch.8 The token of the batch is the token of its parts', async () => {
    const own = { headers: { authorization: 'Bearer expired' } };
    const requests = [get('companies', own), patch(missing, { unitPrice: 1 }, '*')];
    const send = (token: string) =>
      document.post('/api/v2.0/$batch', { requests }, { headers: { accept: 'application/json' }, token });

    expect((await send('expired')).status).toBe(401);
    expect(statuses(await send('reader-1'))).toEqual([200, 403]);
  });

  test('A.batch.18 Records are created, updated and deleted one after another', async () => {
    const id = '0d0a5c11-57ce-4f42-9c3b-5a4d6f0f8a10';
    const customer = `${root}/customers(${id})`;
    const lines = [{ lineType: 'Comment' }];
    const { body } = await batch([
      post('customers', { id, displayName: 'Brindle Trading' }),
      patch(customer, { city: 'Oslo' }, '*'),
      post('salesQuotes?$expand=salesQuoteLines', { customerId: id, salesQuoteLines: lines }),
      remove(customer),
    ]);
    const [created, changed, quote, kept] = body.responses;

    expect(created).toMatchObject({ status: 201, body: { id } });
    expect(created.headers.location).toBe(`${document.url}/api/v2.0/${customer}`);
    expect(changed).toMatchObject({ status: 200, body: { city: 'Oslo' } });
    expect(quote).toMatchObject({ status: 201, body: { customerId: id, salesQuoteLines: lines } });
    expect(kept).toMatchObject({ status: 400, body: { error: { code: 'Application_DialogException' } } });
    const gone = await batch([
      remove(`${root}/salesQuotes(${quote.body.id})`),
      remove(customer),
      get(customer),
    ]);
    expect(statuses(gone)).toEqual([204, 204, 404]);
    expect(gone.body.responses[0]).not.toHaveProperty('body');
  });
});

describe.each([
  ['document', document, 412],
  ['dynamics', dynamics, 409],
] as const)('writes in a batch, %s', (_dialect, sandbox, stale) => {
  const { batch, first } = sandbox;
  const sets = ['customers', 'items', 'salesOrders', 'salesQuotes', 'employees'];
  const counts = () => Promise.all(sets.map((set) => sandbox.count(`${company}/${set}`)));

  /** Every way in which a write is refused. */
  async function refusals(): Promise<
    { method: string; url: string; headers: Record<string, string>; body?: unknown }[]
  > {
    const [{ id: customerId, number }, item] = [await first('customers'), await first('items')];
    const url = `${root}/customers(${customerId})`;
    return [
      patch(url, { city: 'Oslo' }, item['@odata.etag']),
      patch(url, { city: 'Oslo' }),
      patch(`${root}/customers(${nobody})`, {}, '*'),
      patch(url, { colour: 'red' }, '*'),
      remove(url, item['@odata.etag']),
      post('customers', { displayName: 'Twin', number }),
      post('salesOrders', { customerId, salesOrderLines: [{ itemId: nobody }] }),
      patch(`${root}/salesShipments(${nobody})`, {}, '*'),
    ];
  }

  test('A.batch.22 A part is refused like a single request, and writes nothing', async () => {
    const parts = await refusals();
    const before = await counts();
    const { body } = await batch(parts, goOn);

    expect(await counts()).toEqual(before);
    for (const [index, { method, url, headers, body: given }] of parts.entries()) {
      const text = given === undefined ? {} : { body: JSON.stringify(given) };
      const single = await sandbox.send(method, `/api/v2.0/${url}`, { headers, ...text });
      expect(single.status).toBeGreaterThanOrEqual(400);
      expect(body.responses[index]).toMatchObject({
        status: single.status,
        body: { error: { code: single.body.error.code } },
      });
    }
  });

  test('A.batch.23 A refusal ends a batch, is passed over with continue-on-error, and undoes a transaction', async () => {
    const created = post('employees', { givenName: 'Ada' });
    const before = await sandbox.count(`${company}/employees`);
    const [part] = await refusals();
    const made = async (headers: Record<string, string>) => {
      const reply = await batch([created, part, created], headers);
      return [statuses(reply), (await sandbox.count(`${company}/employees`)) - before];
    };

    expect(await made({})).toEqual([[201, stale], 1]);
    expect(await made(goOn)).toEqual([[201, stale, 201], 3]);
    expect(await made({ isolation: 'snapshot' })).toEqual([[201, stale], 3]);
    expect((await made({ isolation: 'snapshot', ...goOn }))[1]).toBe(3);
  });

  test('A.batch.20 A transaction that is rolled back restores changed and deleted records', async () => {
    const [item, employee] = [await first('items'), await first('employees')];
    const parts = [
      patch(`${root}/items(${item.id})`, { unitPrice: 5 }, '*'),
      remove(`${root}/employees(${employee.id})`),
    ];
    await batch([...parts, get(missing)], { isolation: 'snapshot' });
    expect([await first('items'), await first('employees')]).toEqual([item, employee]);

    await batch(parts, { isolation: 'snapshot' });
    expect((await first('items')).unitPrice).toBe(5);
    expect((await first('employees')).id).not.toBe(employee.id);
  });
});
