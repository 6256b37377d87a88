import type { GraphQLResolveInfo } from 'graphql';
import { InputError, UpstreamError } from '../../errors.ts';
import { createRelayConnection, type RelayConnection } from '../../graph/relay-connection.ts';
import { type SelectedObject, selectRows } from '../../graph/selected-object.ts';
import type { Business, PageArguments } from '../business.ts';
import { withPlainWords } from '../dialect.ts';
import type { View } from '../reading/views.ts';
import type { FieldKinds, RecordKey, RecordOf } from '../record-set.ts';
import { type ItemRecord, mergeShapes } from './item-merging.ts';
import {
  columnsOnlyInV2,
  getItemPlan,
  type ItemPlan,
  type ItemPlanOptions,
  type ItemVersion,
  itemsV2,
} from './item-shapes.ts';

/** An item in the fewest shapes that cover the selection; both at once where both are needed. */
export async function loadItem(
  business: Business,
  companyId: string,
  key: RecordKey,
  version: ItemVersion = 'AUTO',
): Promise<ItemRecord | null> {
  const isLoadedByNumber = 'number' in key;
  const { v2, v1 } = planItemRead(business, selectItem(business, version), version, { isLoadedByNumber });
  const read = <F extends FieldKinds>(view: View<F>) =>
    'id' in key
      ? business.loadView(view, companyId, key.id)
      : business.loadViewByNumber(view, companyId, key.number);
  const viewV2 = v2 && business.plan(itemsV2, v2);
  if (!v1) {
    const record = viewV2 && (await read(viewV2));
    return record && mergeSettledV1(record, null);
  }
  const [recordV2, recordV1] = await Promise.all([viewV2 && read(viewV2), toSettled(read(v1))]);
  if (!v2) return mergeShapes(null, unwrapSettled(recordV1));
  return recordV2 && mergeSettledV1(recordV2, recordV1);
}

/** An item that came with its line: v1.0 adds what v2.0 does not have. Null where the line was not read for this version. */
export function completeExpandedItem(
  business: Business,
  record: RecordV2,
  info: GraphQLResolveInfo,
  version: ItemVersion,
): ItemRecord | Promise<ItemRecord> | null {
  const { v2, v1, hasMergedFields } = planItemRead(business, business.selection.at(info), version);
  if (!v2) return null;
  if (!v1) return hasMergedFields ? mergeSettledV1(record, null) : record;
  // The view of all places, so that loads of several places are one call.
  const view = planItemRead(business, selectItem(business, version), version).v1 ?? v1;
  return toSettled(business.loadView(view, record.companyId, record.id)).then((result) =>
    mergeSettledV1(record, result),
  );
}

/** What is selected of items at all places with this version. */
const selectItem = ({ selection }: Business, version: ItemVersion): SelectedObject =>
  selection.ofType('Item', version);

interface ItemPage extends PageArguments {
  readonly version?: ItemVersion | null | undefined;
}

export async function listItems(
  business: Business,
  companyId: string,
  { version: asked, first, after, ...given }: ItemPage,
  info: GraphQLResolveInfo,
  owner: Readonly<Record<string, string>> = {},
): Promise<RelayConnection<ItemRecord>> {
  const version = asked ?? 'AUTO';
  const query = business.compileListQuery(itemsV2, business.dialect, given, owner);
  const onlyInV2 = columnsOnlyInV2(query.columns);
  if (version === 'V1' && onlyInV2.length > 0)
    throw new InputError(`The v1.0 shape of items has no \`${onlyInV2[0]}\` to filter or order by.`);
  const connection = business.selection.at(info);
  const { v2, v1 } = planItemRead(business, selectRows(connection), version, {
    usesV2OnlyColumns: onlyInV2.length > 0,
  });
  const request = { first, after, query, count: connection.fields.has('totalCount') };
  if (!v2) {
    if (!v1) throw new TypeError('an item plan reads at least one shape');
    const plain = business.compileListQuery(itemsV2, withPlainWords(business.dialect), given, owner);
    const list = await business.listView(v1, companyId, { ...request, query: plain });
    return createRelayConnection({
      ...list,
      nodes: list.nodes.map((record) => mergeShapes(null, record) as ItemRecord),
    });
  }
  const list = await business.listSelected(itemsV2, v2, companyId, request);
  const nodes = list.nodes.map(async (record) =>
    mergeSettledV1(record, v1 && (await toSettled(business.loadView(v1, companyId, record.id)))),
  );
  return createRelayConnection({ ...list, nodes: await Promise.all(nodes) });
}

function planItemRead(
  { dialect }: Business,
  item: SelectedObject,
  version: ItemVersion,
  options: Omit<ItemPlanOptions, 'dialect'> = {},
): ItemPlan {
  if (version !== 'V1' || dialect.hasItemV1) return getItemPlan(item, version, { dialect, ...options });
  const message = 'This deployment reads items in the v2.0 shape alone (BUSINESS_ITEM_V1=off).';
  throw new UpstreamError('UPSTREAM_NOT_CONFIGURED', message, { upstream: 'business', delivery: 'notSent' });
}

type RecordV2 = RecordOf<(typeof itemsV2)['fields']>;
type Settled<T> = { value: T } | { failure: unknown };

// If one shape fails, only its own fields fail.
async function toSettled<T>(promise: Promise<T>): Promise<Settled<T>> {
  try {
    return { value: await promise };
  } catch (failure) {
    return { failure };
  }
}

function unwrapSettled<T>(result: Settled<T> | null): T | null {
  if (result === null) return null;
  if ('failure' in result) throw result.failure;
  return result.value;
}

function mergeSettledV1(v2: RecordV2, v1: Settled<Parameters<typeof mergeShapes>[1]> | null): ItemRecord {
  if (v1 !== null && 'failure' in v1)
    return { ...(mergeShapes(v2, null) as ItemRecord), v1Failure: v1.failure };
  return mergeShapes(v2, v1?.value ?? null) as ItemRecord;
}

/** Adds what the write's response lacks. Failed reads are ignored, because the write succeeded. */
export async function completeItem(business: Business, record: RecordV2): Promise<ItemRecord> {
  const { v2, v1 } = planItemRead(business, selectItem(business, 'AUTO'), 'AUTO');
  const { companyId, id } = record;
  const isExpanded = (field: string) => record[field as keyof RecordV2] !== undefined;
  const view = v2 && business.plan(itemsV2, v2);
  const [expanded, recordV1] = await Promise.all([
    view?.expansions.some(({ field }) => !isExpanded(field))
      ? business.loadView(view, companyId, id).catch(() => null)
      : null,
    v1 && toSettled(business.loadView(v1, companyId, id)),
  ]);
  return mergeSettledV1({ ...record, ...expanded }, recordV1);
}
