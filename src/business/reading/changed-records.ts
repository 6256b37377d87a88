import { selectMore, selectNothing } from '../../graph/selected-object.ts';
import { columnName } from '../record-sets/columns.ts';
import type { Dialect } from '../record-sets/dialect.ts';
import type { BusinessRecord, RecordSet } from '../record-sets/record-set.ts';
import { readAllPages, readPage } from './pages.ts';
import type { Reads } from './reads.ts';
import { parseRecord } from './row-parser.ts';
import { createView } from './views.ts';

export interface RecordTimestamp {
  readonly id: string;
  readonly lastModifiedDateTime: string;
}

const timestamps = selectMore(selectNothing, ['lastModifiedDateTime']);
// Above the longest page of any upstream, so that a poll reads all changes since the last one.
const maxChangedRecords = 20_000;
const readKind = 'poll';

/** Reads the records changed at `from` or later; only the latest if `from` is null. Throws `UpstreamError`. */
export async function readChangedRecords(
  reads: Reads,
  dialect: Dialect,
  set: RecordSet,
  companyId: string,
  from: string | null,
): Promise<readonly RecordTimestamp[]> {
  const view = createView(set, dialect, timestamps);
  const modified = columnName(set, dialect, 'lastModifiedDateTime');
  const latest = { orderBy: `${modified} desc`, size: 1, kind: readKind } as const;
  const rows =
    from === null
      ? (await readPage(reads, view, companyId, latest)).rows.slice(0, 1)
      : await readAllPages(reads, view, companyId, {
          filter: `${modified} ge ${from}`,
          atMost: maxChangedRecords,
          kind: readKind,
        });
  return rows.flatMap((row) => {
    const { id, lastModifiedDateTime } = parseRecord(view, row, companyId) as BusinessRecord &
      Partial<RecordTimestamp>;
    return typeof lastModifiedDateTime === 'string' ? [{ id, lastModifiedDateTime }] : [];
  });
}
