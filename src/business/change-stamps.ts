import type { Selection } from '../graph/selection.ts';
import type { Dialect } from './dialect.ts';
import { readAll, readPage } from './pages.ts';
import type { Reads } from './reads.ts';
import type { Fields, RecordOf, RecordSet } from './records.ts';
import { createView, readRecord } from './views.ts';

/** Which record, and when it last changed. */
export interface ChangeStamp {
  readonly id: string;
  readonly lastModifiedDateTime: string;
}

const columns = new Set(['id', 'lastModifiedDateTime']);
const nothing: Selection = { fields: () => new Set() };
// More than an upstream's longest page: whatever has changed since the last look.
const atMost = 20_000;
const kind = 'poll';

/** The records changed at an instant or after it (document, Filter), or the latest alone. Throws `UpstreamError`. */
export async function readStamps(
  reads: Reads,
  dialect: Dialect,
  set: RecordSet,
  companyId: string,
  from: string | null,
): Promise<readonly ChangeStamp[]> {
  const view = createView(set, dialect, columns, nothing);
  const latest = { orderBy: 'lastModifiedDateTime desc', size: 1, rows: { from: 0, to: 1 }, kind } as const;
  const rows =
    from === null
      ? (await readPage(reads, view, companyId, latest)).rows.slice(0, 1)
      : await readAll(reads, view, companyId, { filter: `lastModifiedDateTime ge ${from}`, atMost, kind });
  return rows.flatMap((row) => {
    const { id, lastModifiedDateTime } = readRecord(view, row, companyId) as RecordOf<Fields> &
      Partial<ChangeStamp>;
    return lastModifiedDateTime ? [{ id, lastModifiedDateTime }] : [];
  });
}
