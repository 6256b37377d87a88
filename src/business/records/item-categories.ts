import type { RecordFrom } from '../record-set.ts';
import type { RecordTypeDescriptor } from '../record-type.ts';

/** What items are sorted by. The document reaches them by `$expand` alone; their fields are the real service's (docs/upstream.md). */
export const itemCategories = {
  type: 'ItemCategory',
  names: { one: 'itemCategory', many: 'itemCategories' },
  entitySet: 'itemCategories',
  route: 'v2.0',
  fields: {
    id: 'uuid',
    code: 'text',
    displayName: 'text',
    lastModifiedDateTime: 'dateTime',
  },
  list: { one: 'an item category', many: 'item categories' },
} as const satisfies RecordTypeDescriptor;

export type ItemCategoryRecord = RecordFrom<typeof itemCategories>;
