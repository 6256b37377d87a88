import { itemShapeV1 } from './item-v1.ts';
import type { Expansion, OrderTerm, QueryOptions } from './query.ts';
import { setNamed } from './record-sets.ts';
import type { RecordSet } from './records.ts';
import type { Company, StoredRecord } from './store.ts';
import { recordsOf } from './store.ts';

type Shape = Readonly<Record<string, unknown>>;

/** Everything of a record: the options of a request that asks nothing special. */
const everything: QueryOptions = {
  select: undefined,
  expand: [],
  filter: undefined,
  orderBy: [],
  top: undefined,
  skip: 0,
  isCounted: false,
};

/** The fields of a record under the names of its record set, which differ for items in the v1.0 shape. */
function shapeOf(set: RecordSet, record: StoredRecord, company: Company): Shape {
  return set.typeName === 'itemV1' ? itemShapeV1(record, company) : record.values;
}

/**
 * A record as it is sent: entity tag, the selected fields, the expanded navigations. The lines
 * of an order are a field of it (A4), so they come along unless `$select` leaves them out.
 */
export function presentRecord(
  set: RecordSet,
  record: StoredRecord,
  options: QueryOptions,
  company: Company,
): Record<string, unknown> {
  const shape = shapeOf(set, record, company);
  const body: Record<string, unknown> = set.hasEtag ? { '@odata.etag': record.etag } : {};

  for (const field of set.fields) {
    if (options.select && !options.select.has(field.name)) continue;
    body[field.name] = field.kind === 'lines' ? presentLines(record, everything, company) : shape[field.name];
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
  const passing = filter ? [...records].filter((one) => filter(shapeOf(set, one, company))) : [...records];
  return passing.sort((left, right) => compareRecords(left.values, right.values, options.orderBy));
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
  const { navigation, options } = expansion;
  if (navigation.from === undefined) {
    const body = { [navigation.name]: presentLines(record, options, company) };
    if (!options.isCounted) return body;
    const all = arrange(setNamed(navigation.target), record.lines, options, company);
    return { [`${navigation.name}@odata.count`]: all.length, ...body };
  }
  const target = recordsOf(company, navigation.target).get(String(record.values[navigation.from]));
  const set = setNamed(navigation.target);
  return { [navigation.name]: target ? presentRecord(set, target, options, company) : null };
}

function presentLines(record: StoredRecord, options: QueryOptions, company: Company): unknown[] {
  const set = setNamed('salesOrderLines');
  const byNumber = options.orderBy.length === 0 ? { ...options, orderBy: lineOrder } : options;
  const lines = arrange(set, record.lines, byNumber, company);
  const end = options.top === undefined ? lines.length : options.skip + options.top;
  return lines.slice(options.skip, end).map((line) => presentRecord(set, line, options, company));
}

const lineOrder: readonly OrderTerm[] = [{ field: { name: 'lineNo', kind: 'integer' }, isDescending: false }];

function compareValues(left: unknown, right: unknown): number {
  if (left === right) return 0;
  return (left as string) < (right as string) ? -1 : 1;
}
