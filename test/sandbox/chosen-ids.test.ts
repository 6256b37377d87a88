import { describe, expect, test } from 'vitest';
import { company, useSandbox } from './caller.ts';

const document = useSandbox();
const dynamics = useSandbox({ dialect: 'dynamics' });
const mixed = useSandbox({ chosenIds: { items: 'refuse', salesOrders: 'drop' } });

type Sandbox = typeof document;

const chosen = '0d0a5c11-57ce-4f42-9c3b-5a4d6f0f8a10';
const bodies: Readonly<Record<string, object>> = {
  customers: { displayName: 'Brindle Trading' },
  items: { displayName: 'Shelf' },
  employees: { givenName: 'Ada' },
};
const create = (sandbox: Sandbox, set: string, id: string = chosen) =>
  sandbox.post(`${company}/${set}`, { id, ...(bodies[set] ?? { customerNumber: 'C10000' }) });
const steer = (policies: unknown) => mixed.post('/sandbox/chosen-ids', policies);

describe('client-supplied ids', () => {
  test.each([
    ['document', 'customers', 409, document],
    ['dynamics', 'customers', 400, dynamics],
  ] as const)(
    'A.chosen.1 In %s the id of %s is kept, refused the second time, and free after a deletion',
    async (_dialect, set, status, sandbox) => {
      const first = await create(sandbox, set, chosen.toUpperCase());
      const count = await sandbox.count(`${company}/${set}`);

      expect(first).toMatchObject({ status: 201, body: { id: chosen } });
      expect(await create(sandbox, set)).toMatchObject({
        status,
        body: { error: { code: 'Internal_EntityWithSameKeyExists' } },
      });
      expect(await sandbox.count(`${company}/${set}`)).toBe(count);
      await sandbox.send('DELETE', `${company}/${set}(${chosen})`);
      expect(await create(sandbox, set)).toMatchObject({ status: 201, body: { id: chosen } });
    },
  );

  test('A.chosen.5 Sets differ, at the start and at run time, and a reset restores them', async () => {
    const before = await mixed.count(`${company}/items`);
    const refused = { status: 400, body: { error: { code: 'BadRequest_InvalidOperation' } } };
    const isKept = async (set: string) => (await create(mixed, set)).body.id === chosen;
    expect(await create(mixed, 'items')).toMatchObject(refused);
    expect(await mixed.count(`${company}/items`)).toBe(before);
    expect([await isKept('customers'), await isKept('salesOrders')]).toEqual([true, false]);

    expect((await steer({ items: 'honour', employees: 'drop' })).status).toBe(204);
    expect([await isKept('items'), await isKept('employees')]).toEqual([true, false]);
    await mixed.post('/sandbox/reset');
    expect(await create(mixed, 'items')).toMatchObject(refused);
    expect(await isKept('employees')).toBe(true);
  });
});
