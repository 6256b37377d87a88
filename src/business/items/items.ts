import type { Resolvers } from '../../generated/graphql.ts';
import { type BusinessRecord, toUpstreamCode } from '../record-sets/record-set.ts';
import type { Behaviour } from '../records/record-type.ts';
import { completeExpandedItem, completeItem, listItems, loadItem } from './item-reads.ts';
import { selectItemOfLine } from './item-shapes.ts';

/** Items are read in two shapes (`item-shapes.ts`) and written in the v2.0 shape. */
export const itemBehaviour: Behaviour = {
  load: (business, companyId, key) => loadItem(business, companyId, key, 'AUTO'),
  reference: {
    select: selectItemOfLine,
    completeExpanded: (business, item, selected) =>
      completeExpandedItem(business, item as BusinessRecord, selected, 'AUTO'),
  },
  complete: (business, record) => completeItem(business, record as BusinessRecord),
};

export const itemResolvers: Resolvers = {
  Company: {
    item: ({ id: companyId }, { id, version }, { business }) =>
      loadItem(business, companyId, { id }, version ?? 'AUTO'),
    itemByNumber: ({ id: companyId }, { number, version }, { business }) =>
      loadItem(business, companyId, { number: toUpstreamCode(number) }, version ?? 'AUTO'),
    items: ({ id: companyId }, page, { business }, { selected }) =>
      listItems(business, companyId, page, selected),
  },
  ItemCategory: {
    items: ({ companyId, id }, page, { business }, { selected }) =>
      listItems(business, companyId, page, selected, { itemCategoryId: id }),
  },
};
