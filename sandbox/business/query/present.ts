import { compareValues } from '../../json.ts';
import type { Company, EntitySet, FieldValue, StoredRecord } from '../entity-set.ts';
import { toItemV1 } from '../item-v1.ts';
import { recordsOf } from '../store.ts';
import { defaultOptions, type ExpandOption, type OrderTerm, type QueryOptions } from './query.ts';

type PresentedFields = Readonly<Record<string, unknown>>;

/** The fields of a record under the names of its entity set. They differ for v1.0 items. */
function fieldsOfRecord(set: EntitySet, record: StoredRecord, company: Company): PresentedFields {
  return set.typeName === 'itemV1' ? toItemV1(record, company) : record.values;
}

/**
 * A record as in responses: entity tag, selected fields, expanded navigations. Lines that are a field of an
 * order (A4) are included unless `$select` excludes them.
 */
export function presentRecord(
  set: EntitySet,
  record: StoredRecord,
  options: QueryOptions,
  company: Company,
): Record<string, unknown> {
  const shape = fieldsOfRecord(set, record, company);
  const body: Record<string, unknown> = set.hasEtag ? { '@odata.etag': record.etag } : {};

  for (const { name, kind, toWire } of set.fields) {
    if (options.select && !options.select.has(name)) continue;
    if (kind === 'lines') {
      const lines = set.document?.lines ?? set;
      const sorted = filterAndSort(lines, record.lines, defaultOptions, company);
      body[name] = presentPage(sorted, lines, defaultOptions, company);
    } else body[name] = toWire ? toWire(shape[name] as FieldValue) : shape[name];
  }
  for (const expansion of options.expand) Object.assign(body, presentExpansion(record, expansion, company));
  return body;
}

/** Filters records, and sorts them by `$orderby` and then by id. */
export function filterAndSort(
  set: EntitySet,
  records: Iterable<StoredRecord>,
  options: QueryOptions,
  company: Company,
): StoredRecord[] {
  const { filter } = options;
  const passing = filter
    ? [...records].filter((one) => filter(fieldsOfRecord(set, one, company)))
    : [...records];
  const orderBy = sortOrder(set, options);
  return passing.sort((left, right) => compareRecords(left.values, right.values, orderBy));
}

/** The sort order of a collection: `$orderby` or, for lines, their numbers. */
export function sortOrder(set: EntitySet, options: QueryOptions): readonly OrderTerm[] {
  if (options.orderBy.length === 0 && set.linesOf !== undefined) return lineOrder;
  return options.orderBy;
}

/** Compares two records by `$orderby` and then by id, so that the order is total. */
export function compareRecords(
  left: PresentedFields,
  right: PresentedFields,
  orderBy: readonly OrderTerm[],
): number {
  for (const { field, isDescending } of orderBy) {
    const order = compareValues(left[field.name], right[field.name]);
    if (order !== 0) return isDescending ? -order : order;
  }
  return compareValues(left.id, right.id);
}

function presentExpansion(
  record: StoredRecord,
  expansion: ExpandOption,
  company: Company,
): Record<string, unknown> {
  const { navigation, target: set, options } = expansion;
  if (navigation.from === undefined) {
    const related = relatedRecords(record, expansion, company);
    const all = filterAndSort(set, related, options, company);
    const body = { [navigation.name]: presentPage(all, set, options, company) };
    return options.isCounted ? { [`${navigation.name}@odata.count`]: all.length, ...body } : body;
  }
  const target = readRecord(company, set, String(record.values[navigation.from]));
  return { [navigation.name]: target ? presentRecord(set, target, options, company) : null };
}

/** The records that a navigation to many leads to: those that refer to the record, or its lines. */
function relatedRecords(
  record: StoredRecord,
  { navigation: { by }, target }: ExpandOption,
  company: Company,
): Iterable<StoredRecord> {
  if (by === undefined) return record.lines;
  return [...readRecords(company, target)].filter(({ values }) => values[by] === record.values.id);
}

function presentPage(
  records: readonly StoredRecord[],
  set: EntitySet,
  options: QueryOptions,
  company: Company,
): unknown[] {
  const end = options.top === undefined ? records.length : options.skip + options.top;
  return records.slice(options.skip, end).map((one) => presentRecord(set, one, options, company));
}

const lineOrder: readonly OrderTerm[] = [{ field: { name: 'lineNo', kind: 'integer' }, isDescending: false }];

/** The records of a set: stored, or computed for this read. */
export function readRecords(company: Company, set: EntitySet): Iterable<StoredRecord> {
  const { computation } = set;
  if (!computation) return recordsOf(company, set.name).values();
  return [...recordsOf(company, computation.from).values()].map((source) => compute(company, set, source));
}

/** The same for one record. */
export function readRecord(company: Company, set: EntitySet, id: string): StoredRecord | undefined {
  const source = recordsOf(company, set.computation?.from ?? set.name).get(id);
  return source && compute(company, set, source);
}

function compute(company: Company, { computation }: EntitySet, source: StoredRecord): StoredRecord {
  return computation ? { ...source, values: computation.values(company, source.values) } : source;
}
