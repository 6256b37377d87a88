import { describe, expect, test } from 'vitest';
import type { Json } from '../support/json.ts';
import { company, useSandbox } from './caller.ts';

const document = useSandbox();
const dynamics = useSandbox({ dialect: 'dynamics' });

const sets = ['customers', 'items', 'employees', 'salesOrders', 'salesQuotes'] as const;

describe.each([
  ['document', document, { status: 412, body: { error: { code: 'PreconditionFailed' } } }],
  ['dynamics', dynamics, { status: 409, body: { error: { code: 'Request_EntityChanged' } } }],
] as const)('delete in %s', (_dialect, sandbox, stale) => {
  const remove = (path: string, etag?: string) =>
    sandbox.send('DELETE', path, etag === undefined ? {} : { headers: { 'if-match': etag } });
  const create = async (set: string, body: Json) => {
    const made = await sandbox.post(`${company}/${set}`, body);
    return { path: `${company}/${set}(${made.body.id})`, record: made.body };
  };

  /** A record that nothing refers to. */
  async function aRecord(set: string): Promise<{ path: string; record: Json }> {
    if (set === 'customers' || set === 'items') return create(set, { displayName: 'Short-lived' });
    const [record] = await sandbox.list(`${company}/${set}?$top=1`);
    return { path: `${company}/${set}(${record.id})`, record };
  }

  describe.each(sets)('of %s', (set) => {
    const count = () => sandbox.count(`${company}/${set}`);

    test('A.delete.1 A deleted record returns 204, then 404 by id, and is in no list', async () => {
      const { path, record } = await aRecord(set);
      const before = await count();
      const reply = await remove(path);

      expect(reply).toMatchObject({ status: 204, text: '' });
      expect((await sandbox.get(path)).status).toBe(404);
      expect(await sandbox.list(`${company}/${set}?$filter=id eq ${record.id}`)).toEqual([]);
      expect(await count()).toBe(before - 1);
      expect((await sandbox.patch(path, '*', {})).status).toBe(404);
    });

    test('A.delete.2 If-Match is optional, and matches the current entity tag or *', async () => {
      for (const etag of ['current', '*']) {
        const { path, record } = await aRecord(set);

        expect((await remove(path, etag === '*' ? '*' : record['@odata.etag'])).status).toBe(204);
      }
    });

    test('A.delete.3 A stale If-Match is rejected as for a PATCH, and nothing is deleted', async () => {
      const { path, record } = await aRecord(set);
      const others = (await sandbox.list(`${company}/${set}?$top=1&$filter=id ne ${record.id}`))[0];
      const reply = await remove(path, others['@odata.etag']);

      expect(reply).toMatchObject(stale);
      expect((await sandbox.get(path)).body['@odata.etag']).toBe(record['@odata.etag']);
    });

    test.each(['abc', 'W/abc', 'W/"a'])('A.delete.4 A malformed entity tag (%s) is 400', async (tag) => {
      const { path } = await aRecord(set);

      expect(await remove(path, tag)).toMatchObject({
        status: 400,
        body: { error: { code: 'BadRequest_InvalidToken' } },
      });
      expect((await sandbox.get(path)).status).toBe(200);
    });

    test('A.delete.5 A missing record is 404 with any entity tag', async () => {
      const { path } = await aRecord(set);
      await remove(path);

      expect((await remove(path)).status).toBe(404);
      expect((await remove(path, 'W/"a"')).status).toBe(404);
    });

    test('A.delete.6 A read-only caller is 403, and nothing is deleted', async () => {
      const { path } = await aRecord(set);

      expect((await sandbox.send('DELETE', path, { token: 'reader-1' })).status).toBe(403);
      expect((await sandbox.get(path)).status).toBe(200);
    });
  });

  test('A.delete.7 A customer that buys or pays an order or a quote cannot be deleted', async () => {
    const customer = await create('customers', { displayName: 'Buyer' });
    const payer = await create('customers', { displayName: 'Payer' });
    const order = await create('salesOrders', {
      customerId: customer.record.id,
      billToCustomerId: payer.record.id,
    });

    for (const { path, record } of [customer, payer]) {
      const reply = await remove(path, record['@odata.etag']);
      expect(reply).toMatchObject({ status: 400, body: { error: { code: 'Application_DialogException' } } });
      expect(reply.body.error.message).toMatch(
        `You cannot delete Customer ${record.number} because there is at least one outstanding Sales Order for this customer.`,
      );
      expect((await sandbox.get(path)).status).toBe(200);
    }
    await remove(order.path);
    expect((await remove(customer.path)).status).toBe(204);
    expect((await remove(payer.path)).status).toBe(204);
  });

  test('A.delete.8 An item on a line of an order or a quote cannot be deleted', async () => {
    const item = await create('items', { displayName: 'Shelf' });
    const [customer] = await sandbox.list(`${company}/customers?$top=1`);
    const lines = [{ itemId: item.record.id, quantity: 1 }];
    const order = await create('salesOrders', { customerId: customer.id, salesOrderLines: lines });
    const reply = await remove(item.path);

    expect(reply).toMatchObject({ status: 400, body: { error: { code: 'Application_DialogException' } } });
    expect(reply.body.error.message).toContain('outstanding Sales Order that includes this item');
    await remove(order.path);
    expect((await remove(item.path)).status).toBe(204);
  });

  test('A.delete.9 The lines of an order are deleted with it', async () => {
    const [order] = await sandbox.list(`${company}/salesOrders?$top=1&$expand=salesOrderLines`);
    await remove(`${company}/salesOrders(${order.id})`);

    expect((await sandbox.get(`${company}/salesOrderLines(${order.salesOrderLines[0].id})`)).status).toBe(
      404,
    );
  });

  test('A.delete.10 A page after a deleted record continues after it', async () => {
    const first = await sandbox.get(`${company}/employees`, { headers: { prefer: 'odata.maxpagesize=5' } });
    const last = first.body.value.at(-1);
    await remove(`${company}/employees(${last.id})`);
    const rest = await sandbox.list(first.body['@odata.nextLink']);

    expect(first.body.value.length + rest.length).toBe(40);
  });

  test('A.delete.11 A reset restores deleted records', async () => {
    const [employee] = await sandbox.list(`${company}/employees?$top=1`);
    await remove(`${company}/employees(${employee.id})`);
    await sandbox.post('/sandbox/reset');

    expect((await sandbox.get(`${company}/employees(${employee.id})`)).body).toMatchObject(employee);
  });
});
