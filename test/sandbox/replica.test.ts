import { describe, expect, test } from 'vitest';
import type { Json } from '../support/json.ts';
import { company, useSandbox } from './caller.ts';

const sandbox = useSandbox();

const customers = `${company}/customers`;
const primary = { headers: { 'data-access-intent': 'ReadWrite' } };
const lag = (isLagging: boolean) => sandbox.post('/sandbox/replica', { isLagging });

async function aCustomer(): Promise<{ path: string; record: Json }> {
  const [record] = await sandbox.list(`${customers}?$top=1`);
  return { path: `${customers}(${record.id})`, record };
}

describe('a replica that lags behind', () => {
  test('A.replica.1 Plain reads return the state when the replica stopped, others see every write', async () => {
    const { path, record } = await aCustomer();
    expect((await lag(true)).status).toBe(204);
    await sandbox.patch(path, '*', { displayName: 'Renamed' });
    const list = `${customers}?$filter=id eq ${record.id}`;

    expect((await sandbox.get(path)).body).toMatchObject(record);
    expect((await sandbox.get(list)).body.value).toEqual([record]);
    expect((await sandbox.get(path, primary)).body.displayName).toBe('Renamed');
    expect((await sandbox.get(list, primary)).body.value[0].displayName).toBe('Renamed');
  });

  test('A.replica.2 Writes see the primary, whatever plain reads see', async () => {
    const { path, record } = await aCustomer();
    await lag(true);
    const first = await sandbox.patch(path, record['@odata.etag'], { city: 'Oslo' });

    expect((await sandbox.patch(path, record['@odata.etag'], { city: 'Bergen' })).status).toBe(412);
    expect((await sandbox.patch(path, first.body['@odata.etag'], { city: 'Bergen' })).body.city).toBe(
      'Bergen',
    );
  });

  test('A.replica.3 New records are found by reads of the primary only', async () => {
    const { record } = await aCustomer();
    await lag(true);
    const { body } = await sandbox.post(`${company}/salesOrders`, { customerId: record.id });
    const path = `${company}/salesOrders(${body.id})`;

    expect((await sandbox.get(path)).status).toBe(404);
    expect((await sandbox.get(path, primary)).status).toBe(200);
    expect(await sandbox.count(`${company}/salesOrders`)).toBe(240);
    expect(await sandbox.count(`${company}/salesOrders`, primary)).toBe(241);
  });

  test('A.replica.4 It catches up on request, and stops again at that state', async () => {
    const { path } = await aCustomer();
    await lag(true);
    await sandbox.patch(path, '*', { city: 'Oslo' });
    await lag(true);
    await sandbox.patch(path, '*', { city: 'Bergen' });

    expect((await sandbox.get(path)).body.city).toBe('Oslo');
    await lag(false);
    expect((await sandbox.get(path)).body.city).toBe('Bergen');
    await sandbox.patch(path, '*', { city: 'Turku' });
    expect((await sandbox.get(path)).body.city).toBe('Turku');
  });

  test('A.replica.5 A reset ends it', async () => {
    const { path, record } = await aCustomer();
    await lag(true);
    await sandbox.post('/sandbox/reset');
    await sandbox.patch(path, '*', { city: 'Oslo' });

    expect(record.city).not.toBe('Oslo');
    expect((await sandbox.get(path)).body.city).toBe('Oslo');
  });

  test('A.replica.6 The index lists it', async () => {
    const { body } = await sandbox.get('/sandbox');

    expect(body.available['POST /sandbox/replica']).toContain('isLagging');
  });

  test.each([{ isLagging: 'yes' }, { isLagging: true, lag: 1 }, [], 'x'])(
    'A.replica.7 A body such as %j is 400 and says what is wrong',
    async (body) => {
      const reply = await sandbox.post('/sandbox/replica', body);

      expect(reply.status).toBe(400);
      expect(reply.body.error.message).toMatch(/JSON object|isLagging/);
    },
  );
});
