import { compareValues } from '../json.ts';
import { itemShapeV1 } from './item-v1.ts';
import { salesOrderLines } from './order-sets.ts';
import type { Expansion, OrderTerm, QueryOptions } from './query.ts';
import { everything } from './query.ts';
import type { RecordSet, Value } from './records.ts';
import type { Company, StoredRecord } from './store.ts';
import { recordsOf } from './store.ts';

type Shape = Readonly<Record<string, unknown>>;

/** The fields of a record under the names of its record set, which differ for items in the v1.0 shape. */
function shapeOf(set: RecordSet, record: StoredRecord, company: Company): Shape {
  return set.typeName === 'itemV1' ? itemShapeV1(record, company) : record.values;
}

/**
 * A record as it is sent: entity tag, the selected fields, the expanded navigations. Where the lines
 * of an order are a field of it (A4), they come along unless `$select` leaves them out.
 */
export function presentRecord(
  set: RecordSet,
  record: StoredRecord,
  options: QueryOptions,
  company: Company,
): Record<string, unknown> {
  const shape = shapeOf(set, record, company);
  const body: Record<string, unknown> = set.hasEtag ? { '@odata.etag': record.etag } : {};

  for (const { name, kind, toWire } of set.fields) {
    if (options.select && !options.select.has(name)) continue;
    if (kind === 'lines') body[name] = presentLines(record, salesOrderLines, everything, company);
    else body[name] = toWire ? toWire(shape[name] as Value) : shape[name];
  }
  for (const expansion of options.expand) Object.assign(body, presentExpansion(record, expansion, company));
  return body;
}

/** The records that pass a filter, in the order asked for and, where that leaves a choice, of their ids. */
export function arrange(
  set: RecordSet,
  records: Iterable<StoredRecord>,
  options: QueryOptions,
  company: Company,
): StoredRecord[] {
  const { filter } = options;
  const passing = filter
    ? [...records].filter((one) => filter.passes(shapeOf(set, one, company)))
    : [...records];
  const orderBy = orderOf(set, options);
  return passing.sort((left, right) => compareRecords(left.values, right.values, orderBy));
}

/** The order of a collection: the one asked for; lines else come by their numbers. */
export function orderOf(set: RecordSet, options: QueryOptions): readonly OrderTerm[] {
  return options.orderBy.length === 0 && set.linesOf !== undefined ? lineOrder : options.orderBy;
}

/** Order of two records under `$orderby`, ids last, so that no two records are ever equal. */
export function compareRecords(left: Shape, right: Shape, orderBy: readonly OrderTerm[]): number {
  for (const { field, isDescending } of orderBy) {
    const order = compareValues(left[field.name], right[field.name]);
    if (order !== 0) return isDescending ? -order : order;
  }
  return compareValues(left.id, right.id);
}

function presentExpansion(
  record: StoredRecord,
  expansion: Expansion,
  company: Company,
): Record<string, unknown> {
  const { navigation, target: set, options } = expansion;
  if (navigation.from === undefined) {
    const body = { [navigation.name]: presentLines(record, set, options, company) };
    if (!options.isCounted) return body;
    const all = arrange(set, record.lines, options, company);
    return { [`${navigation.name}@odata.count`]: all.length, ...body };
  }
  const target = recordsOf(company, navigation.target).get(String(record.values[navigation.from]));
  return { [navigation.name]: target ? presentRecord(set, target, options, company) : null };
}

function presentLines(
  record: StoredRecord,
  set: RecordSet,
  options: QueryOptions,
  company: Company,
): unknown[] {
  const lines = arrange(set, record.lines, options, company);
  const end = options.top === undefined ? lines.length : options.skip + options.top;
  return lines.slice(options.skip, end).map((line) => presentRecord(set, line, options, company));
}

const lineOrder: readonly OrderTerm[] = [{ field: { name: 'lineNo', kind: 'integer' }, isDescending: false }];
