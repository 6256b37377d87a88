import { type CursorCodec, type CursorPosition, deriveCursorScope } from '../../graph/cursor.ts';
import { type RowPage, readFirst } from '../../graph/relay-connection.ts';
import { badResponseError } from '../../http/errors.ts';
import { endlessListError, maxListPages } from '../../http/pagination.ts';
import type { ODataRow } from '../../odata/collection.ts';
import type { BusinessRecord } from '../record-sets/record-set.ts';
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
 * Reads `first` rows after the cursor `after`. This takes one upstream call, unless the upstream's pages are shorter or a page
 * times out.
 *
 * The cursor of a page's last row points to the next page. Any other cursor points into its own page, which is read again and
 * skipped up to the cursor (docs/upstream.md). The upstream may answer a continuation with the options of the first page.
 * Therefore, if the selection differs from that of the first page, the rows are read again by id; and a missing total is read
 * by a separate call.
 */
export async function readListRows(
  { reads, planner, loaders, cursors }: ListReader,
  view: View,
  companyId: string | null,
  request: ListRequest,
): Promise<RowPage<BusinessRecord>> {
  const first = readFirst(request.first);
  const { filter, orderBy, isEmpty } = request.query;
  const { entitySet, route } = view.set;
  let cachedScope: string | undefined;
  // Computed on first use, because most operations select no cursor.
  const scope = () => {
    cachedScope ??= deriveCursorScope(companyId, entitySet, route, filter, orderBy, isEmpty);
    return cachedScope;
  };
  const start: CursorPosition =
    request.after == null ? { page: null, offset: 0 } : cursors.decode(scope(), request.after);
  const digestSelection = (read: View) => deriveCursorScope(read.query);
  const hasOtherSelection = (read: View) =>
    start.page !== null && start.selectionDigest !== digestSelection(read);
  let firstView = view;
  let digest: string | undefined;
  const selectionDigest = () => {
    digest ??= start.page === null ? digestSelection(firstView) : start.selectionDigest;
    return digest;
  };

  const pageSize = createPageSize();
  const nodes: BusinessRecord[] = [];
  let currentView = view;
  const spans: PageSpan[] = [];
  let { page: continuation, offset } = start;
  // An empty list needs no upstream call.
  let hasMore = !isEmpty;
  let totalCount: number | null = isEmpty ? 0 : null;
  for (let pages = 0; nodes.length < first && hasMore && pages < maxListPages; pages++) {
    const missing = first - nodes.length;
    const readWith = (read: View): Promise<CollectionPage> =>
      readPage(reads, read, companyId, {
        filter,
        orderBy,
        size: offset + missing,
        count: request.count && pages === 0,
        continuation,
        // After a timeout, expansions are dropped first. Only then is the page size reduced.
        ...(read.plain === null && { pageSize }),
      });
    const page: CollectionPage = await planner.read(currentView, missing, readWith);
    currentView = page.view;
    totalCount = page.count ?? totalCount;
    const end = Math.min(page.rows.length, offset + missing);
    const { rows, next } = page;
    spans.push({ from: nodes.length, page: continuation, offset, length: rows.length, next });
    const found = rows.slice(offset, end);
    if (hasOtherSelection(page.view)) {
      const records = await loadByIds(loaders, view, companyId, found);
      for (const [at, record] of records.entries())
        if (record) nodes.push(record);
        // The record was deleted after the page was read.
        else spans.push({ ...(spans.at(-1) as PageSpan), from: nodes.length, offset: offset + at + 1 });
    } else nodes.push(...found.map(createRowParser(page.view, companyId)));
    if (continuation === null) firstView = page.view;
    hasMore = end < page.rows.length || page.next !== null;
    continuation = page.next;
    // The page may have become shorter since its cursor was created. The remaining rows to skip are then on the next page.
    offset = Math.max(0, offset - rows.length);
  }

  if (nodes.length === 0 && hasMore) throw endlessListError('business');
  if (request.count && totalCount === null && start.page !== null) {
    const counted = { filter, count: true, size: 1 };
    totalCount = (await readPage(reads, currentView.plain ?? currentView, companyId, counted)).count;
  }
  // A full page has a next link even if no row follows. In a list read from its start, the total shows the end.
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

/** The position after the row with this index in the list. */
function positionAt(spans: readonly PageSpan[], index: number): CursorPosition {
  const { from, page, offset, length, next } = spans.findLast(({ from }) => from <= index) as PageSpan;
  const nextOffset = offset + index - from + 1;
  return nextOffset === length && next !== null ? { page: next, offset: 0 } : { page, offset: nextOffset };
}

/** Reads rows again by id; null for a deleted record. Throws `UpstreamError` for a row without an id. */
function loadByIds(
  loaders: Loaders,
  view: View,
  companyId: string | null,
  rows: readonly ODataRow[],
): Promise<(BusinessRecord | null)[]> {
  const idName = upstreamName(view, 'id');
  return Promise.all(
    rows.map((row) => {
      const id = row[idName];
      if (typeof id === 'string') return loaders.byId(view, companyId, id);
      throw badResponseError('business', 'The upstream responded with a record that has no id.');
    }),
  );
}
