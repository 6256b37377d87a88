import { describe, expect, test } from 'vitest';
import { company, useSandbox } from './caller.ts';

const document = useSandbox();
const dynamics = useSandbox({ dialect: 'dynamics' });
const rule = { status: 400, body: { error: { code: 'Application_DialogException' } } };

describe.each([
  ['document', document, { status: 412, body: { error: { code: 'PreconditionFailed' } } }],
  ['dynamics', dynamics, { status: 409, body: { error: { code: 'Request_EntityChanged' } } }],
] as const)('delete in %s', (_dialect, sandbox, stale) => {
  const remove = (path: string, etag?: string) =>
    sandbox.send('DELETE', path, etag === undefined ? {} : { headers: { 'if-match': etag } });

  test.each(['employees', 'salesOrders'])(
    'A.delete.3 One of %s is deleted once, with a current tag or none',
    async (set) => {
      const [one, other, third] = await sandbox.list(`${company}/${set}?$top=3`);
      const path = `${company}/${set}(${one.id})`;
      const before = await sandbox.count(`${company}/${set}`);

      expect(await remove(path, other['@odata.etag'])).toMatchObject(stale);
      expect(await remove(path, 'W/"a')).toMatchObject({
        status: 400,
        body: { error: { code: 'BadRequest_InvalidToken' } },
      });
      expect((await sandbox.send('DELETE', path, { token: 'reader-1' })).status).toBe(403);
      expect(await sandbox.count(`${company}/${set}`)).toBe(before);
      expect(await remove(path, one['@odata.etag'])).toMatchObject({ status: 204, text: '' });
      expect((await remove(path, 'W/"a"')).status).toBe(404);
      expect((await remove(`${company}/${set}(${other.id})`, '*')).status).toBe(204);
      expect((await remove(`${company}/${set}(${third.id})`)).status).toBe(204);
      expect(await sandbox.count(`${company}/${set}`)).toBe(before - 3);
    },
  );

  test('A.delete.7 A customer that buys or pays an order, and an item on its line, cannot be deleted', async () => {
    const make = async (set: string, body: object) => {
      const made = (await sandbox.post(`${company}/${set}`, body)).body;
      return { ...made, path: `${company}/${set}(${made.id})` };
    };
    const customer = await make('customers', { displayName: 'Buyer' });
    const payer = await make('customers', { displayName: 'Payer' });
    const item = await make('items', { displayName: 'Shelf' });
    const order = await make('salesOrders', {
      customerId: customer.id,
      billToCustomerId: payer.id,
      salesOrderLines: [{ itemId: item.id, quantity: 1 }],
    });
    const expanded = await sandbox.get(`${order.path}?$expand=salesOrderLines`);
    const used = [customer.path, payer.path, item.path];

    for (const path of used) expect(await remove(path), path).toMatchObject(rule);
    expect((await remove(customer.path)).body.error.message).toMatch(
      `You cannot delete Customer ${customer.number} because there is at least one outstanding Sales Order for this customer.`,
    );
    await remove(order.path);
    const line = `${company}/salesOrderLines(${expanded.body.salesOrderLines[0].id})`;
    expect((await sandbox.get(line)).status).toBe(404);
    for (const path of used) expect((await remove(path)).status).toBe(204);
  });
});
