import type { RecordType, Resolvers } from '../generated/graphql.ts';
import { eventOf, toldOf } from '../operations/map-events.ts';
import type { RecordChangeRecord } from './changes.ts';

const typeNames = {
  CUSTOMER: 'Customer',
  ITEM: 'Item',
  SALES_ORDER: 'SalesOrder',
  SALES_QUOTE: 'SalesQuote',
  EMPLOYEE: 'Employee',
} as const satisfies Record<RecordType, string>;

export const recordChangeResolvers: Resolvers = {
  Subscription: {
    recordChanged: {
      subscribe: (_root, { companyId, types }, { changes }) => toldOf(changes.follow(companyId, types)),
      resolve: eventOf<RecordChangeRecord>,
    },
  },
  ChangedRecord: {
    __resolveType: (record) =>
      typeNames[(record as unknown as NonNullable<RecordChangeRecord['record']>).recordType],
  },
};
