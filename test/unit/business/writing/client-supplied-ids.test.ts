import { describe, expect, test } from 'vitest';
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

describe('a set of which nothing is known', () => {
  test('is given an id of the layer, another one each time', () => {
    const { ids } = create();
    const [first, second] = [ids.chooseId(customers, null), ids.chooseId(customers, null)];

    expect(first).toMatch(uuid);
    expect(second).toMatch(uuid);
    expect(first).not.toBe(second);
  });

  test("is given the caller's id where there is one", () => {
    expect(create().ids.chooseId(customers, asked)).toBe(asked);
  });
});

describe('a set that answers with the id it was sent', () => {
  test('is trusted from then on, and nobody is told', () => {
    const { ids, told } = create();
    ids.recordCreated(customers, asked, asked);

    expect(ids.isTrusted(customers)).toBe(true);
    expect(ids.isUnproven(customers)).toBe(false);
    expect(ids.chooseId(customers, null)).toMatch(uuid);
    expect(told).toEqual([]);
  });

  test('says nothing of the same set of another company', () => {
    const { ids } = create();
    ids.recordCreated(customers, asked, asked);
    const elsewhere = { ...customers, companyId: given };

    expect(ids.isTrusted(elsewhere)).toBe(false);
    expect(ids.isUnproven(elsewhere)).toBe(true);
    expect(ids.isTrusted({ ...customers, companyId: companyId.toUpperCase() })).toBe(true);
  });
});

describe.each([
  [
    'answers with another id',
    (ids: ReturnType<typeof createClientSuppliedIds>) => ids.recordCreated(customers, asked, given),
  ],
  [
    'takes a create only without its id',
    (ids: ReturnType<typeof createClientSuppliedIds>) => ids.recordRejected(customers),
  ],
] as const)('a set that %s', (_what, tell) => {
  test("is given no id but the caller's own, and is neither trusted nor unproven", () => {
    const { ids } = create();
    tell(ids);

    expect(ids.chooseId(customers, null)).toBeNull();
    expect(ids.chooseId(customers, asked)).toBe(asked);
    expect(ids.isTrusted(customers)).toBe(false);
    expect(ids.isUnproven(customers)).toBe(false);
  });

  test('is told once, set by set', () => {
    const { ids, told } = create();
    tell(ids);
    tell(ids);
    ids.recordCreated(items, asked, given);
    tell(ids);

    expect(told).toEqual(['customers', 'items']);
  });

  test('loses the trust it had, and is told', () => {
    const { ids, told } = create();
    ids.recordCreated(customers, asked, asked);
    tell(ids);

    expect(ids.isTrusted(customers)).toBe(false);
    expect(ids.chooseId(customers, null)).toBeNull();
    expect(told).toEqual(['customers']);
  });
});

describe('switched off', () => {
  test("no id is made up, and the caller's own is kept", () => {
    const { ids } = create('off');

    expect(ids.chooseId(customers, null)).toBeNull();
    expect(ids.chooseId(customers, asked)).toBe(asked);
  });

  test('no set is trusted, whatever it answers', () => {
    const { ids } = create('off');
    ids.recordCreated(customers, asked, asked);

    expect(ids.isTrusted(customers)).toBe(false);
  });
});
