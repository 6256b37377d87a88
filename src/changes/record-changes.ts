import type { ChangedRecord, Resolvers } from '../generated/graphql.ts';
import { toStreamItems, unwrapStreamItem } from '../runtime/async-iterators.ts';
import type { RecordChangeRecord } from './changes.ts';
import type { TypedRecord } from './record-reader.ts';

type TypeName = NonNullable<ChangedRecord['__typename']>;

export const recordChangeResolvers: Resolvers = {
  Subscription: {
    recordChanged: {
      subscribe: (_root, wanted, { changes }) => toStreamItems(changes.watch(wanted)),
      resolve: unwrapStreamItem<RecordChangeRecord>,
    },
  },
  ChangedRecord: {
    __resolveType: (record) => (record as unknown as TypedRecord).__typename as TypeName,
  },
};
