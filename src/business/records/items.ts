import type { Resolvers } from '../../generated/graphql.ts';
import type { SelectedObject } from '../../graph/selected-object.ts';
import type { Business } from '../business.ts';
import {
  completeExpandedItem,
  completeItem,
  type ItemRecord as Item,
  listItems,
  loadItem,
} from '../items/item-reads.ts';
import { itemsV2, selectItemOfLine, v2OnlyFields } from '../items/item-shapes.ts';
import { type RecordFrom, type RecordKey, toUpstreamCode } from '../record-set.ts';
import type { RecordTypeDescriptor } from '../record-type.ts';

const refusedUnderV1 = Object.fromEntries(
  Object.keys(v2OnlyFields).map((field) => [field, 'refused under `version: V1`']),
);

/** Items are read in two shapes (`item-shapes.ts`) and written in the v2.0 shape. */
export const items = {
  ...itemsV2,
  names: { one: 'item', many: 'items', byNumber: 'itemByNumber' },
  files: { picture: { segment: 'picture/pictureContent', isReplaceable: true } },
  list: {
    one: 'an item',
    many: 'items',
    unfilterable: ['inventory'],
    conditions: { type: 'whether stock is kept' },
    filterNotes: refusedUnderV1,
    orderNotes: refusedUnderV1,
  },
  writes: ['create', 'update', 'delete'],
  watched: { description: 'Items that are bought and sold.' },
  load: (business: Business, companyId: string, key: RecordKey): Promise<Item | null> =>
    loadItem(business, companyId, key, 'AUTO'),
  reference: {
    select: selectItemOfLine,
    completeExpanded: (business: Business, item: object, selected: SelectedObject) =>
      completeExpandedItem(business, item as RecordFrom<typeof itemsV2>, selected, 'AUTO'),
  },
  complete: completeItem,
  resolvers: (): Resolvers => ({
    Company: {
      item: ({ id: companyId }, { id, version }, { business }) =>
        loadItem(business, companyId, { id }, version ?? 'AUTO'),
      itemByNumber: ({ id: companyId }, { number, version }, { business }) =>
        loadItem(business, companyId, { number: toUpstreamCode(number) }, version ?? 'AUTO'),
      items: ({ id: companyId }, page, { business }, { selected }) =>
        listItems(business, companyId, page, selected),
    },
    Item: {
      baseUnitOfMeasure: resolveV1Field('baseUnitOfMeasure'),
      itemCategory: resolveV1Field('itemCategory'),
    },
    ItemCategory: {
      items: ({ companyId, id }, page, { business }, { selected }) =>
        listItems(business, companyId, page, selected, { itemCategoryId: id }),
    },
  }),
} as const satisfies RecordTypeDescriptor;

export type ItemRecord = Item;

/** A field that only the v1.0 shape holds in full: fails with what kept that shape from being read. */
function resolveV1Field<Name extends 'baseUnitOfMeasure' | 'itemCategory'>(name: Name) {
  return (item: Item): NonNullable<Item[Name]> | null => {
    if (item.v1Failure !== undefined) throw item.v1Failure;
    return item[name] ?? null;
  };
}
