import { InputError, UpstreamError } from '../errors.ts';
import type { Resolvers } from '../generated/graphql.ts';
import { type Connection, connectionOf } from '../graph/connection.ts';
import type { Business, PageArguments } from './business.ts';
import { withPlainWords } from './dialect.ts';
import { itemCategories } from './item-categories.ts';
import {
  columnsOfV2,
  type ItemPlan,
  type ItemRecord,
  type ItemVersion,
  itemPlanOf,
  itemsV2,
  mergeShapes,
} from './item-shapes.ts';
import { mutationsOf } from './mutations.ts';
import type { Fields, RecordOf } from './records.ts';
import { reference } from './resolvers.ts';
import { unitsOfMeasure } from './units-of-measure.ts';
import type { View } from './views.ts';

/** How an item is found: by its id, or by its number where a document names no id. */
export type ItemKey = { readonly id: string } | { readonly number: string };

/** An item in the fewest shapes that cover the selection; both at once where both are needed. */
export async function loadItem(
  business: Business,
  companyId: string,
  key: ItemKey,
  version: ItemVersion = 'AUTO',
): Promise<ItemRecord | null> {
  const { v2, v1 } = planOf(business, version);
  const read = <F extends Fields>(view: View<F>) =>
    'id' in key
      ? business.loadView(view, companyId, key.id)
      : business.loadViewByNumber(view, companyId, key.number);
  if (!v1) {
    const record = v2 && (await read(v2));
    return record && withV1(record, null);
  }
  const [recordV2, recordV1] = await Promise.all([v2 && read(v2), settled(read(v1))]);
  if (!v2) return mergeShapes(null, valueFrom(recordV1));
  return recordV2 && withV1(recordV2, recordV1);
}

interface ItemPage extends PageArguments {
  readonly version?: ItemVersion | null | undefined;
}

async function listItems(
  business: Business,
  companyId: string,
  { version: asked, first, after, ...given }: ItemPage,
  owner: Readonly<Record<string, string>> = {},
): Promise<Connection<ItemRecord>> {
  const version = asked ?? 'AUTO';
  const query = business.listQuery(itemsV2, business.dialect, given, owner);
  const onlyInV2 = columnsOfV2(query.columns);
  if (version === 'V1' && onlyInV2.length > 0)
    throw new InputError(`The v1.0 shape of items has no \`${onlyInV2[0]}\` to filter or order by.`);
  const { v2, v1 } = planOf(business, version, onlyInV2.length > 0);
  const count = business.selection.fields('ItemConnection', version).has('totalCount');
  const request = { first, after, query, count };
  if (!v2) {
    if (!v1) throw new TypeError('an item plan reads at least one shape');
    const plain = business.listQuery(itemsV2, withPlainWords(business.dialect), given, owner);
    const list = await business.listView(v1, companyId, { ...request, query: plain });
    return connectionOf({
      ...list,
      nodes: list.nodes.map((record) => mergeShapes(null, record) as ItemRecord),
    });
  }
  const list = await business.listView(v2, companyId, request);
  const nodes = list.nodes.map(async (record) =>
    withV1(record, v1 && (await settled(business.loadView(v1, companyId, record.id)))),
  );
  return connectionOf({ ...list, nodes: await Promise.all(nodes) });
}

function planOf(business: Business, version: ItemVersion, isOrderedByV2 = false): ItemPlan {
  const { selection, dialect, hasItemV1: hasV1 } = business;
  if (version !== 'V1' || hasV1) return itemPlanOf(selection, version, { dialect, hasV1, isOrderedByV2 });
  const message = 'This deployment reads items in the v2.0 shape alone (BUSINESS_ITEM_V1=off).';
  throw new UpstreamError('UPSTREAM_NOT_CONFIGURED', message, { upstream: 'business', fate: 'unsent' });
}

type RecordV2 = RecordOf<(typeof itemsV2)['fields']>;
type Settled<T> = { value: T } | { failure: unknown };

// One shape failing must not take the other with it: its own fields answer with the failure.
async function settled<T>(promise: Promise<T>): Promise<Settled<T>> {
  try {
    return { value: await promise };
  } catch (failure) {
    return { failure };
  }
}

function valueFrom<T>(result: Settled<T> | null): T | null {
  if (result === null) return null;
  if ('failure' in result) throw result.failure;
  return result.value;
}

function withV1(v2: RecordV2, v1: Settled<Parameters<typeof mergeShapes>[1]> | null): ItemRecord {
  if (v1 !== null && 'failure' in v1)
    return { ...(mergeShapes(v2, null) as ItemRecord), v1Failure: v1.failure };
  return mergeShapes(v2, v1?.value ?? null) as ItemRecord;
}

// The answer to a change holds the v2.0 columns alone. Its success must not look like a failure because the rest
// cannot be read.
async function inFull(business: Business, record: RecordV2): Promise<ItemRecord> {
  const { v2, v1 } = planOf(business, 'AUTO');
  const { companyId, id } = record;
  const isBrought = (field: string) => record[field as keyof RecordV2] !== undefined;
  const [expanded, recordV1] = await Promise.all([
    v2?.expansions.some(({ field }) => !isBrought(field))
      ? business.loadView(v2, companyId, id).catch(() => null)
      : null,
    v1 && settled(business.loadView(v1, companyId, id)),
  ]);
  return withV1({ ...record, ...expanded }, recordV1);
}

function fromV1<Name extends 'baseUnitOfMeasure' | 'itemCategory'>(name: Name) {
  return (item: ItemRecord): ItemRecord[Name] => {
    if (item.v1Failure !== undefined) throw item.v1Failure;
    return item[name];
  };
}

const mutations = mutationsOf(itemsV2, 'item', inFull);

export const itemResolvers: Resolvers = {
  Company: {
    item: ({ id: companyId }, { id, version }, { business }) =>
      loadItem(business, companyId, { id }, version ?? 'AUTO'),
    items: ({ id: companyId }, page, { business }) => listItems(business, companyId, page),
  },
  Item: {
    __resolveReference: ({ companyId, id }, { business }) => loadItem(business, companyId, { id }),
    company: ({ companyId }) => ({ id: companyId }),
    baseUnitOfMeasure: fromV1('baseUnitOfMeasure'),
    itemCategory: fromV1('itemCategory'),
    category: reference('category', 'itemCategoryId', itemCategories),
    unitOfMeasure: reference('unitOfMeasure', 'baseUnitOfMeasureId', unitsOfMeasure),
  },
  ItemCategory: {
    items: ({ companyId, id }, page, { business }) =>
      listItems(business, companyId, page, { itemCategoryId: id }),
  },
  Mutation: {
    createItem: mutations.create,
    updateItem: mutations.update,
    updateItems: mutations.updateMany,
    deleteItem: mutations.remove,
  },
};
