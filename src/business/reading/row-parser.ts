import { badResponseError } from '../../http/errors.ts';
import { readNextLink } from '../../http/pagination.ts';
import { type ODataRow, parseEtag, readControl } from '../../odata/collection.ts';
import { int32OrNull, isJsonObject } from '../../runtime/json.ts';
import { parseColumns } from '../columns.ts';
import type { FieldKinds, RecordOf } from '../record-set.ts';
import type { ExpandedView, RowView, View } from './views.ts';

/** How often rows led to a record by an expansion, and what came of it. */
export interface ExpansionCount {
  /** Rows that name a record, where they name one at all. */
  readonly expected: number;
  /** Rows whose navigation came, null included. */
  readonly present: number;
}

/** Parses the rows of one read to records of its company. Relations that did not come are undefined. */
export interface RowParser<F extends FieldKinds> {
  /** Throws `UpstreamError` for a row without an id. */
  parse(row: ODataRow): RecordOf<F>;
  parseAll(rows: readonly ODataRow[]): readonly RecordOf<F>[];
  count(expansion: ExpandedView): ExpansionCount;
}

class ExpandedRecords {
  expected = 0;
  present = 0;
  readonly byId = new Map<unknown, Record<string, unknown>>();
  /** Ids that came with more than one ETag. */
  readonly conflicts = new Set<unknown>();
}

/**
 * A record that comes in several rows is parsed once, and one object. If it comes with different ETags, it changed while
 * the upstream composed the response: it is left out, so that its field loads it by key, in one state.
 */
export function createRowParser<F extends FieldKinds>(view: View<F>, companyId: string | null): RowParser<F> {
  const recordsByExpansion = new Map<ExpandedView, ExpandedRecords>();
  let hasConflicts = false;

  const recordsOf = (expansion: ExpandedView): ExpandedRecords => {
    let records = recordsByExpansion.get(expansion);
    if (!records) {
      records = new ExpandedRecords();
      recordsByExpansion.set(expansion, records);
    }
    return records;
  };

  const parseOne = (
    expansion: ExpandedView,
    inner: unknown,
    id: unknown,
  ): Record<string, unknown> | null | undefined => {
    const records = recordsOf(expansion);
    if (id !== null) records.expected += 1;
    if (inner === undefined) return undefined;
    if (inner === null) {
      records.present += 1;
      return null;
    }
    if (!isJsonObject(inner)) return undefined;
    const { id: innerId } = inner;
    if (records.conflicts.has(innerId)) return undefined;
    let record = records.byId.get(innerId);
    if (!record) {
      if (isReference(expansion.rows, inner)) return undefined;
      record = parseRow(expansion.rows, inner);
      records.byId.set(innerId, record);
    } else if (record.etag !== parseEtag(inner)) {
      records.conflicts.add(innerId);
      hasConflicts = true;
      return undefined;
    }
    records.present += 1;
    // Missing or invalid: the resolver loads the record by the id beside it.
    return typeof record.id !== 'string' || (typeof id === 'string' && record.id !== id) ? undefined : record;
  };

  const parseMany = (
    expansion: ExpandedView,
    row: ODataRow,
    owner: Readonly<Record<string, unknown>>,
  ): unknown => {
    const name = expansion.navigations.find((name) => Array.isArray(row[name]));
    const records = recordsOf(expansion);
    records.expected += 1;
    if (name === undefined) return undefined;
    const inner = row[name] as readonly unknown[];
    const rows = inner.filter(isJsonObject);
    records.present += rows.length;
    // Rows of a further page (OData 4.0 part 1, 11.2.5.7) are not read: a part of the rows is an error at their field.
    const count = int32OrNull(readControl(row, 'count', name)) ?? 0;
    const isPart = readNextLink(readControl(row, 'nextLink', name)) !== null || count > inner.length;
    if (isPart) return undefined;
    return rows.map((child) => {
      const record = parseRow(expansion.rows, child);
      for (const name of expansion.ownerFields) record[name] = owner[name];
      return record;
    });
  };

  const parseRow = (rows: RowView, row: ODataRow): Record<string, unknown> => {
    const record = parseColumns(rows.columns, row);
    record.companyId = companyId;
    record.etag = parseEtag(row);
    for (const expansion of rows.expansions) {
      const { field, navigations, idColumn, isMany } = expansion;
      record[field] = isMany
        ? parseMany(expansion, row, record)
        : parseOne(expansion, row[navigations[0]], idColumn === null ? undefined : record[idColumn]);
    }
    return record;
  };

  const parse = (row: ODataRow): RecordOf<F> => {
    const record = parseRow(view, row);
    if (typeof record.id !== 'string')
      throw badResponseError('business', 'The upstream responded with a record that has no id.');
    return record as RecordOf<F>;
  };

  return {
    parse,
    parseAll(rows) {
      const records = rows.map(parse);
      if (!hasConflicts) return records;
      // Rows before the one with the other ETag hold the record already.
      for (const { byId } of recordsByExpansion.values()) byId.clear();
      return rows.map(parse);
    },
    count(expansion) {
      const { expected, present } = recordsOf(expansion);
      return { expected, present };
    },
  };
}

/** Whether a row has none of the columns that were selected, except its id. */
const isReference = ({ columns }: RowView, row: ODataRow): boolean =>
  columns.length > 1 && columns.every(({ field, name }) => field === 'id' || row[name] === undefined);

/** Parses one row to a record of its company. */
export const parseRecord = <F extends FieldKinds>(
  view: View<F>,
  row: ODataRow,
  companyId: string | null,
): RecordOf<F> => createRowParser(view, companyId).parse(row);

/** The record of a read or write by id. Throws if the upstream responded with another. */
export function requireRecordId<R extends { readonly id: string }>(record: R, id: string): R {
  if (record.id === id.toLowerCase()) return record;
  throw badResponseError('business', 'The upstream responded with another record.');
}
