import { describe, expect, test } from 'vitest';
import { sandboxCompanyId } from '../../sandbox/seed/seed.ts';
import type { Json } from '../support/json.ts';
import { company, useSandbox } from './caller.ts';

const sandbox = useSandbox();
const root = `companies(${sandboxCompanyId})`;
const customers = `${company}/customers`;
const json = { 'content-type': 'application/json' };

const journal = async (): Promise<Json[]> => (await sandbox.get('/sandbox/journal')).body.requests;
const stored = async (set = 'customers'): Promise<Json[]> =>
  (await sandbox.get(`/sandbox/records?set=${set}`)).body.records;
const create = (displayName: string) => sandbox.post(customers, { displayName });

describe('records as they are stored', () => {
  test('S.records.1 They show how often each was written, and its contents', async () => {
    const [seeded] = await sandbox.list(`${customers}?$top=1`);
    const { id } = (await create('Brindle Trading')).body;
    await sandbox.patch(`${customers}(${id})`, '*', { city: 'Oslo' });
    await sandbox
      .patch(`${customers}(${id})`, '*', { city: '' })
      .then(() => sandbox.patch(`${customers}(${id})`, 'W/"stale"', { city: 'Bergen' }));
    const { body } = await sandbox.get('/sandbox/records?set=customers');
    const found = (one: string) => body.records.find((record: Json) => record.id === one);

    expect(body).toMatchObject({ company: sandboxCompanyId, set: 'customers' });
    expect(body.records).toHaveLength(301);
    expect(found(id)).toMatchObject({ version: 3, values: { displayName: 'Brindle Trading', city: '' } });
    expect(found(seeded.id)).toMatchObject({ version: 1, etag: seeded['@odata.etag'], lines: [] });
  });

  test('S.records.2 Orders are returned with their lines, and deleted records are not returned', async () => {
    const [first, second] = await sandbox.list(`${company}/salesOrders?$top=2`);
    await sandbox.send('DELETE', `${company}/salesOrders(${first.id})`);
    const orders = await stored('salesOrders');

    expect(orders.some((one) => one.id === first.id)).toBe(false);
    expect(orders.find((one) => one.id === second.id).lines[0]).toMatchObject({ documentId: second.id });
  });

  test('S.records.3 Replicas do not lag here, and the request is not in the journal', async () => {
    await sandbox.post('/sandbox/replica', { isLagging: true });
    await create('Brindle Trading');

    expect((await stored()).at(-1)).toMatchObject({ version: 1, values: { displayName: 'Brindle Trading' } });
    expect(await journal()).toHaveLength(1);
  });

  test('S.records.4 A transaction that is rolled back has written nothing', async () => {
    const post = {
      method: 'POST',
      url: `${root}/customers`,
      headers: json,
      body: { displayName: 'Taken back' },
    };
    const requests = [
      post,
      { method: 'GET', url: `${root}/customers(${'1'.repeat(8)}-1111-4111-8111-111111111111)` },
    ];
    const headers = { accept: 'application/json', isolation: 'snapshot' };
    await sandbox.post('/api/v2.0/$batch', { requests }, { headers });

    expect(await stored()).toHaveLength(300);
    expect((await create('Next')).body.number).toBe('C13000');
  });

  test.each(['', '?set=', '?set=unicorns', '?set=salesOrderLines'])(
    'S.records.5 Without a stored set, %j, it is 400 and lists the stored sets',
    async (query) => {
      const reply = await sandbox.get(`/sandbox/records${query}`);

      expect(reply.status).toBe(400);
      expect(reply.body.error.message).toContain('customers');
    },
  );
});
