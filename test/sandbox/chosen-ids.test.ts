import { describe, expect, test } from 'vitest';
import { company, useSandbox } from './caller.ts';

const document = useSandbox();
const dynamics = useSandbox({ dialect: 'dynamics' });
const dropping = useSandbox({ chosenIds: 'drop' });
const mixed = useSandbox({ chosenIds: { items: 'refuse', salesOrders: 'drop' } });

type Sandbox = typeof document;

const chosen = '0d0a5c11-57ce-4f42-9c3b-5a4d6f0f8a10';
const unset = '00000000-0000-0000-0000-000000000000';
const masters = ['customers', 'items', 'employees'];
const documents = ['salesOrders', 'salesQuotes'];
const sets = [...masters, ...documents];

const bodies: Readonly<Record<string, object>> = {
  customers: { displayName: 'Brindle Trading' },
  items: { displayName: 'Shelf' },
  employees: { givenName: 'Ada' },
};

async function create(sandbox: Sandbox, set: string, id: string = chosen) {
  const [customer] = await sandbox.list(`${company}/customers?$top=1`);
  return sandbox.post(`${company}/${set}`, { id, ...(bodies[set] ?? { customerId: customer.id }) });
}

const steer = (sandbox: Sandbox, policies: unknown) => sandbox.post('/sandbox/chosen-ids', policies);

describe('client-supplied ids', () => {
  test.each([
    ...sets.map((set) => ['document', set, 409, document] as const),
    ...masters.map((set) => ['dynamics', set, 400, dynamics] as const),
  ])(
    'A.chosen.1 In %s the id of %s is kept, and refused the second time',
    async (_name, set, status, sandbox) => {
      const path = `${company}/${set}`;
      const first = await create(sandbox, set, chosen.toUpperCase());
      const count = () => sandbox.count(path);
      const before = await count();

      expect(first).toMatchObject({ status: 201, body: { id: chosen } });
      expect(first.headers.get('location')).toBe(`${sandbox.url}${path}(${chosen})`);
      expect((await sandbox.get(`${path}(${chosen})`)).body.number).toBe(first.body.number);
      expect(await create(sandbox, set)).toMatchObject({
        status,
        body: { error: { code: 'Internal_EntityWithSameKeyExists' } },
      });
      expect(await count()).toBe(before);
    },
  );

  test.each([
    ...documents.map((set) => ['the real service', set, dynamics] as const),
    ...sets.map((set) => ['a sandbox told to', set, dropping] as const),
  ])(
    'A.chosen.2 By %s ids of %s are dropped: another id is assigned each time',
    async (_who, set, sandbox) => {
      const [first, second] = [await create(sandbox, set), await create(sandbox, set)];

      expect([first.status, second.status]).toEqual([201, 201]);
      expect(new Set([chosen, first.body.id, second.body.id]).size).toBe(3);
      expect((await sandbox.get(`${company}/${set}(${chosen})`)).status).toBe(404);
    },
  );

  test.each(sets)('A.chosen.3 Where ids of %s are refused, a POST with one is 400', async (set) => {
    await steer(document, { [set]: 'refuse' });
    const count = () => document.count(`${company}/${set}`);
    const before = await count();

    expect(await create(document, set)).toMatchObject({
      status: 400,
      body: { error: { code: 'BadRequest_InvalidOperation' } },
    });
    expect(await count()).toBe(before);
  });

  test.each(sets)(
    'A.chosen.4 An id of %s that is no GUID is 400, the all-zero one counts as none',
    async (set) => {
      const reply = await create(document, set, unset);

      expect((await create(document, set, 'mine')).status).toBe(400);
      expect(reply.status).toBe(201);
      expect(reply.body.id).not.toBe(unset);
    },
  );

  test('A.chosen.5 Sets differ, at the start and at run time, and a reset restores them', async () => {
    expect((await create(mixed, 'items')).status).toBe(400);
    expect((await create(mixed, 'customers')).body.id).toBe(chosen);
    expect((await create(mixed, 'salesOrders')).body.id).not.toBe(chosen);

    expect((await steer(mixed, { items: 'honour', employees: 'drop' })).status).toBe(204);
    expect((await create(mixed, 'items')).body.id).toBe(chosen);
    expect((await create(mixed, 'employees')).body.id).not.toBe(chosen);
    expect((await create(mixed, 'salesQuotes')).body.id).toBe(chosen);

    await mixed.post('/sandbox/reset');
    expect((await create(mixed, 'items')).status).toBe(400);
    expect((await create(mixed, 'employees')).body.id).toBe(chosen);
  });

  test('A.chosen.6 An id can be reused when its record was deleted', async () => {
    const path = `${company}/employees(${chosen})`;
    await create(document, 'employees');
    await document.send('DELETE', path);
    const again = await create(document, 'employees');

    expect(again).toMatchObject({ status: 201, body: { id: chosen } });
  });

  test('A.chosen.7 The index lists it', async () => {
    const { body } = await document.get('/sandbox');

    expect(body.available['POST /sandbox/chosen-ids']).toContain('honour, drop or refuse');
  });

  test.each([{ accounts: 'drop' }, { customers: 'keep' }, { customers: 1 }, [], 'drop'])(
    'A.chosen.8 A body such as %j is 400',
    async (body) => {
      expect((await steer(document, body)).status).toBe(400);
    },
  );
});
