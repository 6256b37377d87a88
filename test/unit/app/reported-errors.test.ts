import type { GraphQLResolveInfo } from 'graphql';
import { expect, test, vi } from 'vitest';
import { createSchema } from '../../../src/app/schema/schema.ts';
import type { UserError } from '../../../src/graph/user-errors.ts';

const id = '0631d374-8d84-44ab-b760-04e1e862b4e9';
const undone: UserError = { code: 'NOT_STARTED', message: 'Undone.', path: null, upstream: null };
const stale: UserError = { ...undone, code: 'STALE_RECORD', upstream: { code: 'A', message: null } as never };
const invalid: UserError = { ...undone, code: 'INVALID_INPUT', path: ['input', 'entries', '1'] };

/** The user error that a transaction reports whose entries end with these. */
async function reportedOf(...errors: readonly UserError[]) {
  const reportUserError = vi.fn();
  const business = {
    companyId: () => id,
    write: async () => errors.map((error) => ({ record: null, userErrors: [error] })),
  };
  const entries = errors.map(() => ({ deleteItem: { id, ifMatch: '*' } }));
  const batch = createSchema().getMutationType()?.getFields().batch;
  const input = { atomic: true, entries };
  await batch?.resolve?.({}, { input }, { business, reportUserError }, {} as GraphQLResolveInfo);
  return reportUserError.mock.calls.flat();
}

test('of a refused transaction, the entry with a cause of its own is reported, not those undone with it', async () => {
  expect(await reportedOf(undone, stale, undone)).toEqual([stale]);
  expect(await reportedOf(undone, invalid)).toEqual([invalid]);
});

test('where no entry has a cause of its own, the first is reported', async () => {
  expect(await reportedOf(undone, { ...undone, code: 'REFUSED' })).toEqual([undone]);
});
