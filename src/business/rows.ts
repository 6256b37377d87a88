import { type Rows, readFirst } from '../graph/connection.ts';
import { type Cursors, cursorBytesFor, type Position, scopeOf } from '../graph/cursor.ts';
import { badResponse } from '../upstream/error-answers.ts';
import type { ListQuery } from './filters.ts';
import { type Page, readPage } from './pages.ts';
import type { Reads } from './reads.ts';
import type { Fields, RecordOf } from './records.ts';
import { readRecord, type View } from './views.ts';

export interface ListRequest {
  readonly first?: number | null | undefined;
  readonly after?: string | null | undefined;
  /** Whether to ask the upstream how many rows there are. */
  readonly count: boolean;
  readonly query: ListQuery;
}

// Only an upstream with pages shorter than asked needs more than one; more than this many is its fault.
const maxPages = 50;

/**
 * The rows `first` asks for, from `after` on: one upstream call, unless the upstream's pages are shorter.
 *
 * A cursor behind a page's last row leads to the next page; any other leads back into its own page, which
 * is then read again and skipped as far as the cursor says (docs/upstream.md).
 */
export async function readRows<F extends Fields>(
  reads: Reads,
  cursors: Cursors,
  view: View<F>,
  companyId: string | null,
  request: ListRequest,
): Promise<Rows<RecordOf<F>>> {
  const first = readFirst(request.first);
  const { query } = request;
  const { entitySet, apiVersion } = view.set;
  let known: string | undefined;
  // Most lists are read without a cursor being asked for.
  const scope = () => {
    known ??= scopeOf(companyId, entitySet, apiVersion, query.filter, query.orderBy, query.isEmpty);
    return known;
  };
  const start: Position =
    request.after == null ? { page: null, offset: 0 } : cursors.open(scope(), request.after);

  const nodes: RecordOf<F>[] = [];
  const stretches: Stretch[] = [];
  let { page: continuation, offset } = start;
  // A filter that nothing can pass needs nobody to be asked.
  let hasMore = !query.isEmpty;
  let totalCount: number | null = query.isEmpty ? 0 : null;
  for (let pages = 0; nodes.length < first && hasMore && pages < maxPages; pages++) {
    const wanted = first - nodes.length;
    const page: Page = await readPage(reads, view, companyId, {
      filter: query.filter,
      orderBy: query.orderBy,
      size: offset + wanted,
      rows: { from: offset, to: offset + wanted },
      count: request.count && pages === 0,
      continuation,
    });
    totalCount = page.count ?? totalCount;
    const end = Math.min(page.rows.length, offset + wanted);
    const { rows, next } = page;
    stretches.push({ from: nodes.length, page: continuation, offset, length: rows.length, next });
    for (let index = offset; index < end; index++) {
      nodes.push(readRecord(view, rows[index] ?? {}, companyId));
    }
    hasMore = end < page.rows.length || page.next !== null;
    continuation = page.next;
    offset = 0;
  }

  if (nodes.length === 0 && hasMore)
    throw badResponse('business', 'The upstream leads from page to page without an end.');
  return {
    nodes,
    hasNextPage: hasMore,
    hasPreviousPage: request.after != null,
    totalCount,
    cursorAt: (index) => cursors.seal(scope(), positionAt(stretches, index)),
    cursorBytes: () => Math.max(0, ...stretches.map(bytesOfCursors)),
  };
}

/** The rows that one upstream page gave a list. */
interface Stretch extends Position {
  /** Which row of the list is its first. */
  readonly from: number;
  /** How many rows the upstream page has. */
  readonly length: number;
  readonly next: string | null;
}

const bytesOfCursors = ({ page, next }: Stretch) =>
  Math.max(cursorBytesFor({ page }), cursorBytesFor({ page: next }));

/** Behind the row of the list with this index. */
function positionAt(stretches: readonly Stretch[], index: number): Position {
  const { from, page, offset, length, next } = stretches.findLast(({ from }) => from <= index) as Stretch;
  const behind = offset + index - from + 1;
  return behind === length && next !== null ? { page: next, offset: 0 } : { page, offset: behind };
}
