import { type CursorCodec, type CursorPosition, deriveCursorScope } from '../../graph/cursor.ts';
import { type RowPage, readFirst } from '../../graph/relay-connection.ts';
import { badResponseError } from '../../http/errors.ts';
import { endlessListError, maxListPages } from '../../http/pagination.ts';
import type { ODataRow } from '../../odata/collection.ts';
import type { BusinessRecord } from '../record-set.ts';
import type { ExpansionPlanner } from './expansions.ts';
import type { ListQuery } from './filters.ts';
import { type Loaders, upstreamName } from './loaders.ts';
import { type CollectionPage, createPageSize, readPage } from './pages.ts';
import type { Reads } from './reads.ts';
import { createRowParser } from './row-parser.ts';
import type { View } from './views.ts';

export interface ListRequest {
  readonly first?: number | null | undefined;
  readonly after?: string | null | undefined;
  /** Whether to request the number of rows of the whole list. */
  readonly count: boolean;
  readonly query: ListQuery;
}

interface ListReader {
  readonly reads: Reads;
  readonly planner: ExpansionPlanner;
  readonly loaders: Loaders;
  readonly cursors: CursorCodec;
}

/**
 * Reads `first` rows after the cursor `after`: one upstream call, unless the upstream's pages are shorter, or one times
 * out.
 *
 * The cursor of a page's last row continues with the next page; any other continues within its own page, which is read
 * again and skipped up to the cursor (docs/upstream.md). The upstream may continue a list with the options of its first
 * page. So the rows of a page that continues one with another selection are read again by their ids, and a total that is
 * missing by a call of its own.
 */
export async function readListRows(
  { reads, planner, loaders, cursors }: ListReader,
  view: View,
  companyId: string | null,
  request: ListRequest,
): Promise<RowPage<BusinessRecord>> {
  const first = readFirst(request.first);
  const { query } = request;
  const { entitySet, route } = view.set;
  let known: string | undefined;
  // Computed on first use, because most operations select no cursor.
  const scope = () => {
    known ??= deriveCursorScope(companyId, entitySet, route, query.filter, query.orderBy, query.isEmpty);
    return known;
  };
  const start: CursorPosition =
    request.after == null ? { page: null, offset: 0 } : cursors.decode(scope(), request.after);
  const digestOf = (read: View) => deriveCursorScope(read.query);
  const hasOtherSelection = (read: View) => start.page !== null && start.selectionDigest !== digestOf(read);
  let firstView = view;
  let digest: string | undefined;
  const selectionDigest = () => {
    digest ??= start.page === null ? digestOf(firstView) : start.selectionDigest;
    return digest;
  };

  const pageSize = createPageSize();
  const nodes: BusinessRecord[] = [];
  let planned = view;
  const spans: PageSpan[] = [];
  let { page: continuation, offset } = start;
  // An empty result needs no upstream call.
  let hasMore = !query.isEmpty;
  let totalCount: number | null = query.isEmpty ? 0 : null;
  for (let pages = 0; nodes.length < first && hasMore && pages < maxListPages; pages++) {
    const wanted = first - nodes.length;
    const readWith = (read: View): Promise<CollectionPage> =>
      readPage(reads, read, companyId, {
        filter: query.filter,
        orderBy: query.orderBy,
        size: offset + wanted,
        count: request.count && pages === 0,
        continuation,
        // If a page with expansions times out, they are left out before fewer rows are requested.
        ...(read.plain === null && { pageSize }),
      });
    const page: CollectionPage = await planner.read(planned, wanted, readWith);
    planned = page.view;
    totalCount = page.count ?? totalCount;
    const end = Math.min(page.rows.length, offset + wanted);
    const { rows, next } = page;
    spans.push({ from: nodes.length, page: continuation, offset, length: rows.length, next });
    const found = rows.slice(offset, end);
    if (hasOtherSelection(page.view)) {
      const records = await loadByIds(loaders, view, companyId, found);
      for (const [at, record] of records.entries())
        if (record) nodes.push(record);
        // Deleted since.
        else spans.push({ ...(spans.at(-1) as PageSpan), from: nodes.length, offset: offset + at + 1 });
    } else nodes.push(...createRowParser(page.view, companyId).parseAll(found));
    if (continuation === null) firstView = page.view;
    hasMore = end < page.rows.length || page.next !== null;
    continuation = page.next;
    // A page may be shorter than when its cursor was created: the remaining rows to skip are on the next.
    offset = Math.max(0, offset - rows.length);
  }

  if (nodes.length === 0 && hasMore) throw endlessListError('business');
  if (request.count && totalCount === null && start.page !== null) {
    const counted = { filter: query.filter, count: true, size: 1 };
    totalCount = (await readPage(reads, planned.plain ?? planned, companyId, counted)).count;
  }
  // A full page has a next link even where nothing follows. Counted from the start, the total tells.
  const isLast = start.page === null && totalCount !== null && start.offset + nodes.length >= totalCount;
  return {
    nodes,
    hasNextPage: hasMore && !isLast,
    hasPreviousPage: request.after != null,
    totalCount,
    cursorAt(index) {
      const position = positionAt(spans, index);
      return cursors.encode(
        scope(),
        position.page === null ? position : { ...position, selectionDigest: selectionDigest() },
      );
    },
  };
}

/** The rows of a list that one upstream page returned. */
interface PageSpan extends Pick<CursorPosition, 'page' | 'offset'> {
  /** The index in the list of its first row. */
  readonly from: number;
  /** How many rows the upstream page has. */
  readonly length: number;
  readonly next: string | null;
}

/** The position after the row of the list with this index. */
function positionAt(spans: readonly PageSpan[], index: number): CursorPosition {
  const { from, page, offset, length, next } = spans.findLast(({ from }) => from <= index) as PageSpan;
  const behind = offset + index - from + 1;
  return behind === length && next !== null ? { page: next, offset: 0 } : { page, offset: behind };
}

/** Reads rows again by their ids; null for those that are gone. Throws `UpstreamError` for a row without an id. */
function loadByIds(
  loaders: Loaders,
  view: View,
  companyId: string | null,
  rows: readonly ODataRow[],
): Promise<(BusinessRecord | null)[]> {
  const idOf = (row: ODataRow) => row[upstreamName(view, 'id')];
  return Promise.all(
    rows.map((row) => {
      const id = idOf(row);
      if (typeof id === 'string') return loaders.byId(view, companyId, id);
      throw badResponseError('business', 'The upstream responded with a record that has no id.');
    }),
  );
}
