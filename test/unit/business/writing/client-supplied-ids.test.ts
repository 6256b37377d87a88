import { expect, test } from 'vitest';
import { createClientSuppliedIds } from '../../../../src/business/writing/client-supplied-ids.ts';

const uuid = /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/;
const [asked, given] = ['a1b2c3d4-0000-4000-8000-000000000001', 'a1b2c3d4-0000-4000-8000-000000000002'];

const companyId = 'a1b2c3d4-0000-4000-8000-00000000000c';
const customers = { companyId, route: 'v2.0', entitySet: 'customers' };
const items = { companyId, route: 'v2.0', entitySet: 'items' };

/** Chosen ids, and the sets that were told to be untrusted, in their order. */
function create(mode: 'auto' | 'off' = 'auto') {
  const told: string[] = [];
  return { ids: createClientSuppliedIds(mode, (set) => told.push(set.entitySet)), told };
}

test('a set that answers with the id it was sent is trusted, and no other set or company', () => {
  const { ids, told } = create();
  ids.recordCreated(customers, asked, asked);
  const elsewhere = { ...customers, companyId: given };

  expect([customers, items, elsewhere].map(ids.isTrusted)).toEqual([true, false, false]);
  expect([customers, items, elsewhere].map(ids.isUnproven)).toEqual([false, true, true]);
  expect(ids.isTrusted({ ...customers, companyId: companyId.toUpperCase() })).toBe(true);
  expect(ids.chooseId(customers, null)).toMatch(uuid);
  expect(ids.chooseId(customers, null)).not.toBe(ids.chooseId(customers, null));
  expect(told).toEqual([]);
});

test.each([
  [
    'answers with another id',
    (ids: ReturnType<typeof createClientSuppliedIds>) => ids.recordCreated(customers, asked, given),
  ],
  [
    'takes a create only without its id',
    (ids: ReturnType<typeof createClientSuppliedIds>) => ids.recordRejected(customers),
  ],
] as const)(
  "a set that %s loses its trust, is told once, and is given no id but the caller's own",
  (_what, tell) => {
    const { ids, told } = create();
    ids.recordCreated(customers, asked, asked);
    tell(ids);
    tell(ids);
    ids.recordCreated(items, asked, given);
    tell(ids);

    expect([ids.chooseId(customers, null), ids.chooseId(customers, asked)]).toEqual([null, asked]);
    expect([ids.isTrusted(customers), ids.isUnproven(customers)]).toEqual([false, false]);
    expect(told).toEqual(['customers', 'items']);
  },
);

test("switched off, no id is made up, the caller's own is kept, and no set is trusted", () => {
  const { ids } = create('off');
  ids.recordCreated(customers, asked, asked);

  expect([ids.chooseId(customers, null), ids.chooseId(customers, asked)]).toEqual([null, asked]);
  expect(ids.isTrusted(customers)).toBe(false);
});
