import type { RecordType, Resolvers } from '../generated/graphql.ts';
import { mapEvents } from '../operations/map-events.ts';
import type { RecordChangeRecord } from './changes.ts';

/** An event of `recordChanged`: a change, or the error that ends the stream. */
type Event = { readonly change: RecordChangeRecord } | { readonly failure: unknown };

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
      // A failure inside a stream would close the whole socket; as an event it reaches this watcher, with its code.
      subscribe: (_root, { companyId, types }, { changes }) =>
        mapEvents<RecordChangeRecord, Event>(
          changes.follow(companyId, types),
          (change) => ({ change }),
          (failure) => ({ failure }),
        ),
      resolve(event: Event) {
        if ('failure' in event) throw event.failure;
        return event.change;
      },
    },
  },
  ChangedRecord: {
    __resolveType: (record) =>
      typeNames[(record as unknown as NonNullable<RecordChangeRecord['record']>).recordType],
  },
};
