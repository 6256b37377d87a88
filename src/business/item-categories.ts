import type { RecordOf, RecordSet } from './records.ts';
import { recordResolvers } from './resolvers.ts';

/** What items are sorted by. The document reaches them by `$expand` alone; their fields are the real service's (docs/upstream.md). */
export const itemCategories = {
  type: 'ItemCategory',
  entitySet: 'itemCategories',
  apiVersion: 'v2.0',
  fields: {
    id: 'uuid',
    code: 'text',
    displayName: 'text',
    lastModifiedDateTime: 'dateTime',
  },
} as const satisfies RecordSet;

export type ItemCategoryRecord = RecordOf<(typeof itemCategories)['fields']>;

export const itemCategoryResolvers = recordResolvers(itemCategories, 'itemCategory', 'itemCategories');
