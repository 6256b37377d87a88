import type { Resolvers } from '../generated/graphql.ts';
import { type Connection, connectionOf } from '../graph/connection.ts';
import type { Business } from './business.ts';
import { type ItemRecord, type ItemVersion, itemPlanOf, itemsV2, mergeShapes } from './item-shapes.ts';
import type { RecordOf } from './records.ts';

/** How an item is found: by its id, or by its number where a document names no id. */
export type ItemKey = { readonly id: string } | { readonly number: string };

/** An item in the fewest shapes that cover the selection; both at once where both are needed. */
export async function loadItem(
  business: Business,
  companyId: string,
  key: ItemKey,
  version: ItemVersion = 'AUTO',
): Promise<ItemRecord | null> {
  const { v2, v1 } = itemPlanOf(business.selection, version);
  const [recordV2, recordV1] = await Promise.all([
    v2 &&
      ('id' in key
        ? business.loadView(v2, companyId, key.id)
        : business.loadViewByNumber(v2, companyId, key.number)),
    v1 &&
      settled(
        'id' in key
          ? business.loadView(v1, companyId, key.id)
          : business.loadViewByNumber(v1, companyId, key.number),
      ),
  ]);
  if (!v2) return mergeShapes(null, valueFrom(recordV1));
  return recordV2 && withV1(recordV2, recordV1);
}

async function listItems(
  business: Business,
  companyId: string,
  { version = 'AUTO', ...page }: { version?: ItemVersion; first?: number | null; after?: string | null },
): Promise<Connection<ItemRecord>> {
  const { v2, v1 } = itemPlanOf(business.selection, version);
  const count = business.selection.fields('ItemConnection', version).has('totalCount');
  const request = { ...page, count };
  if (!v2) {
    if (!v1) throw new TypeError('an item plan reads at least one shape');
    const list = await business.listView(v1, companyId, { ...request, scope: 'v1.0' });
    return connectionOf({
      ...list,
      nodes: list.nodes.map((record) => mergeShapes(null, record) as ItemRecord),
    });
  }
  const list = await business.listView(v2, companyId, { ...request, scope: 'v2.0' });
  const nodes = list.nodes.map(async (record) =>
    withV1(record, v1 && (await settled(business.loadView(v1, companyId, record.id)))),
  );
  return connectionOf({ ...list, nodes: await Promise.all(nodes) });
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

function fromV1<Name extends 'baseUnitOfMeasure' | 'itemCategory'>(name: Name) {
  return (item: ItemRecord): ItemRecord[Name] => {
    if (item.v1Failure !== undefined) throw item.v1Failure;
    return item[name];
  };
}

export const itemResolvers: Resolvers = {
  Company: {
    item: ({ id: companyId }, { id, version }, { business }) =>
      loadItem(business, companyId, { id }, version ?? 'AUTO'),
    items: ({ id: companyId }, { version, first, after }, { business }) =>
      listItems(business, companyId, {
        version: version ?? 'AUTO',
        first: first ?? null,
        after: after ?? null,
      }),
  },
  Item: {
    __resolveReference: ({ companyId, id }, { business }) => loadItem(business, companyId, { id }),
    company: ({ companyId }) => ({ id: companyId }),
    baseUnitOfMeasure: fromV1('baseUnitOfMeasure'),
    itemCategory: fromV1('itemCategory'),
  },
  Mutation: {
    async updateItem(_root, { input }, { business }) {
      const companyId = business.companyId(input.companyId);
      const { record, userErrors } = await business.update(itemsV2, { ...input, companyId });
      const { v1 } = itemPlanOf(business.selection, 'AUTO');
      const item =
        record && withV1(record, v1 && (await settled(business.loadView(v1, companyId, record.id))));
      return { item, userErrors };
    },
  },
};
