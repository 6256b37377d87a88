import type { RecordType } from '../generated/graphql.ts';
import type { Business } from './business.ts';
import type { ChangeStamp } from './change-stamps.ts';
import { customers } from './customers.ts';
import { employees } from './employees.ts';
import { itemsV2 } from './item-shapes.ts';
import { loadItem } from './items.ts';
import type { RecordSet } from './records.ts';
import { salesOrders } from './sales-orders.ts';
import { salesQuotes } from './sales-quotes.ts';

const sets: Readonly<Record<RecordType, RecordSet>> = {
  CUSTOMER: customers,
  ITEM: itemsV2,
  SALES_ORDER: salesOrders,
  SALES_QUOTE: salesQuotes,
  EMPLOYEE: employees,
};

/** The kinds of records by the names their sets have in addresses. */
export const typesBySet: ReadonlyMap<string, RecordType> = new Map(
  (Object.keys(sets) as RecordType[]).map((type) => [sets[type].entitySet, type]),
);

/** Records by the names of their kinds, for whoever follows their changes. */
export const createRecordReader = (business: Business) => ({
  companyId: business.companyId,

  async latest(type: RecordType, companyId: string): Promise<string | null> {
    business.startOver();
    return (await business.stamps(sets[type], companyId, null))[0]?.lastModifiedDateTime ?? null;
  },

  since(type: RecordType, companyId: string, instant: string): Promise<readonly ChangeStamp[]> {
    business.startOver();
    return business.stamps(sets[type], companyId, instant);
  },

  read(type: RecordType, companyId: string, ids: readonly string[]): Promise<readonly (object | null)[]> {
    business.startOver();
    const load = (id: string): Promise<object | null> =>
      type === 'ITEM' ? loadItem(business, companyId, { id }) : business.load(sets[type], companyId, id);
    return Promise.all(ids.map(load));
  },
});
