import { describe, expect, test } from 'vitest';
import { sandboxCompanyId } from '../../sandbox/seed/seed.ts';
import type { Json } from '../support/json.ts';
import { company, type Reply, useSandbox } from './caller.ts';

const document = useSandbox();
const dynamics = useSandbox({ dialect: 'dynamics' });

const root = `companies(${sandboxCompanyId})`;
const json = { 'content-type': 'application/json' };
const goOn = { prefer: 'odata.continue-on-error' };
const chosen = '0d0a5c11-57ce-4f42-9c3b-5a4d6f0f8a10';
const nobody = '11111111-1111-4111-8111-111111111111';

const post = (set: string, body: unknown) => ({ method: 'POST', url: `${root}/${set}`, headers: json, body });
const patch = (url: string, body: unknown, etag?: string) => ({
  method: 'PATCH',
  url,
  headers: { ...json, ...(etag === undefined ? {} : { 'If-Match': etag }) },
  body,
});
const remove = (url: string, etag: string) => ({ method: 'DELETE', url, headers: { 'If-Match': etag } });
const statuses = (reply: Reply) => reply.body.responses.map((one: Json) => one.status);

describe.each([
  ['document', document, { missing: 428, stale: 412, taken: 409 }],
  ['dynamics', dynamics, { missing: 400, stale: 409, taken: 400 }],
] as const)('rules of writes in a batch, %s', (dialect, sandbox, expected) => {
  const batch = (requests: unknown, headers: Record<string, string> = {}): Promise<Reply> =>
    sandbox.post('/api/v2.0/$batch', { requests }, { headers: { accept: 'application/json', ...headers } });
  const first = async (set: string): Promise<Json> => (await sandbox.list(`${company}/${set}?$top=1`))[0];
  const count = (set: string) => sandbox.count(`${company}/${set}`);

  /** A stale change, and every other way in which a write is refused, each with its status and code. */
  async function refusals(): Promise<[object, number, string][]> {
    const [customer, item] = [await first('customers'), await first('items')];
    const url = `${root}/customers(${customer.id})`;
    const stale = item['@odata.etag'];
    const isStale = dialect === 'document' ? 'PreconditionFailed' : 'Request_EntityChanged';
    const noTag = dialect === 'document' ? 'PreconditionRequired' : 'BadRequest_InvalidToken';
    const taken = 'Internal_EntityWithSameKeyExists';
    const rule = 'Application_DialogException';
    return [
      [patch(url, { city: 'Oslo' }, stale), expected.stale, isStale],
      [remove(url, stale), expected.stale, isStale],
      [patch(url, { city: 'Oslo' }), expected.missing, noTag],
      [patch(url, { city: 'Oslo' }, 'abc'), 400, 'BadRequest_InvalidToken'],
      [
        patch(`${root}/customers(${nobody})`, {}, '*'),
        404,
        dialect === 'document' ? 'Internal_RecordNotFound' : 'BadRequest_ResourceNotFound',
      ],
      [patch(url, { city: 'x'.repeat(31) }, '*'), 400, 'Application_StringExceededLength'],
      [patch(url, { balanceDue: 1 }, '*'), 400, 'BadRequest_InvalidOperation'],
      [patch(url, { colour: 'red' }, '*'), 400, 'BadRequest'],
      [patch(url, { currencyCode: 'NOPE' }, '*'), 400, rule],
      [patch(url, { blocked: 'Sometimes' }, '*'), 400, 'Unknown'],
      [post('customers', { displayName: 'Twin', id: customer.id }), expected.taken, taken],
      [post('customers', { displayName: 'Twin', number: customer.number }), expected.taken, taken],
      [post('customers', { city: 'Oslo' }), 400, rule],
      [post('items', { inventory: 1 }), 400, rule],
      [post('salesOrders', {}), 400, rule],
      [post('salesOrders', { customerId: customer.id, number: 'OWN' }), 400, rule],
      [post('salesOrders', { customerId: customer.id, salesOrderLines: [{ itemId: nobody }] }), 400, rule],
      [post('salesQuotes', { customerId: customer.id, salesQuoteLines: [{ itemId: nobody }] }), 400, rule],
      [patch(`${root}/salesShipments(${nobody})`, {}, '*'), 405, 'BadRequest_MethodNotAllowed'],
    ];
  }

  test('A.batch.22 A part is refused like a single request, and writes nothing', async () => {
    const all = await refusals();
    const sets = ['customers', 'items', 'salesOrders', 'salesQuotes'];
    const before = [await first('customers'), ...(await Promise.all(sets.map(count)))];
    const { body } = await batch(
      all.map(([part]) => part),
      goOn,
    );
    const told = body.responses.map((one: Json) => [one.status, one.body.error.code]);

    expect(told).toEqual(all.map(([, status, code]) => [status, code]));
    expect([await first('customers'), ...(await Promise.all(sets.map(count)))]).toEqual(before);
  });

  test('A.batch.23 Each refusal ends a batch without continue-on-error, and none ends one with it', async () => {
    const created = post('employees', { givenName: 'Ada' });
    const before = await count('employees');
    const all = await refusals();
    for (const [part, status] of all) {
      expect(statuses(await batch([created, part, created]))).toEqual([201, status]);
      expect(statuses(await batch([created, part, created], goOn))).toEqual([201, status, 201]);
      const back = await batch([created, part, created], { isolation: 'snapshot' });
      expect(statuses(back)).toEqual([201, status]);
    }

    expect((await count('employees')) - before).toBe(3 * all.length);
  });

  test('A.batch.24 Orders and quotes are created with their lines, which are returned when they are expanded', async () => {
    const [customer, item] = [await first('customers'), await first('items')];
    const lines = [1, 2].map((quantity) => ({ itemId: item.id, quantity }));
    const parts = [
      post('salesOrders?$expand=salesOrderLines', { customerId: customer.id, salesOrderLines: lines }),
      post('salesQuotes?$expand=salesQuoteLines', {
        customerNumber: customer.number,
        salesQuoteLines: lines,
      }),
      post('salesQuotes', { customerId: customer.id, salesQuoteLines: lines }),
    ];
    const [order, quote, bare] = (await batch(parts)).body.responses;
    const quantities = (of: Json) => of.map((line: Json) => line.quantity);

    expect([order.status, quote.status, bare.status]).toEqual([201, 201, 201]);
    expect(quantities(order.body.salesOrderLines)).toEqual([1, 2]);
    expect(quantities(quote.body.salesQuoteLines)).toEqual([1, 2]);
    expect(bare.body).not.toHaveProperty('salesQuoteLines');
    expect(order.body.totalAmountExcludingTax).toBeCloseTo(3 * item.unitPrice, 2);
    expect([quote.body.number, bare.body.number]).toEqual(['S-QUO1061', 'S-QUO1062']);
  });

  test('A.batch.25 Client-supplied ids are kept, dropped or refused in a batch as in a single request', async () => {
    const { id: customerId } = await first('customers');
    const part = post('salesQuotes', { id: chosen, customerId });
    const ids = async () => (await batch([part, part], goOn)).body.responses.map((one: Json) => one.body.id);
    for (const policy of ['drop', 'honour', 'refuse']) {
      await sandbox.post('/sandbox/chosen-ids', { salesQuotes: policy });
      const made = await ids();
      if (policy === 'refuse') expect(made).toEqual([undefined, undefined]);
      if (policy === 'honour') expect(made).toEqual([chosen, undefined]);
      if (policy === 'drop') expect(new Set([chosen, ...made]).size).toBe(3);
    }
    expect(await count('salesQuotes')).toBe(63);
  });

  test('A.batch.26 An entity tag returned in a rolled-back transaction never matches again', async () => {
    const { id, '@odata.etag': etag } = await first('items');
    const url = `${root}/items(${id})`;
    const requests = [patch(url, { unitPrice: 5 }, etag), { method: 'GET', url: `${root}/items(${nobody})` }];
    const told = (await batch(requests, { isolation: 'snapshot' })).body.responses[0].body['@odata.etag'];
    const changed = await sandbox.patch(`/api/v2.0/${url}`, etag, { unitPrice: 6 });

    expect(changed.status).toBe(200);
    expect(changed.body['@odata.etag']).not.toBe(told);
    expect((await sandbox.patch(`/api/v2.0/${url}`, told, { unitPrice: 7 })).status).toBe(expected.stale);
  });

  test('A.batch.27 A tag that one part changes is stale for the next, unless the next uses the new one', async () => {
    const { id, '@odata.etag': etag } = await first('customers');
    const url = `${root}/customers(${id})`;
    const reply = await batch(
      [
        patch(url, { city: 'Oslo' }, etag),
        patch(url, { city: 'Bergen' }, etag),
        patch(url, { city: 'Turku' }, '*'),
      ],
      goOn,
    );
    const tag = reply.body.responses[2].body['@odata.etag'];

    expect(statuses(reply)).toEqual([200, expected.stale, 200]);
    expect((await sandbox.patch(`/api/v2.0/${url}`, tag, { city: 'Ghent' })).body.city).toBe('Ghent');
  });
});
