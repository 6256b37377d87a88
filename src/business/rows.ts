import { type Rows, readFirst } from '../graph/connection.ts';
import { type Cursors, type Position, scopeOf } from '../graph/cursor.ts';
import type { Client } from '../upstream/client.ts';
import { type Page, readPage } from './pages.ts';
import type { Fields, RecordOf } from './records.ts';
import { readRecord, type View } from './views.ts';

export interface ListRequest {
  readonly first?: number | null | undefined;
  readonly after?: string | null | undefined;
  /** Whether to ask the upstream how many rows there are. */
  readonly count: boolean;
  /** What besides company and set decides which rows the list has: cursors hold for equal values only. */
  readonly scope?: unknown;
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
  client: Client,
  token: string | null,
  cursors: Cursors,
  view: View<F>,
  companyId: string | null,
  request: ListRequest,
): Promise<Rows<RecordOf<F>>> {
  const first = readFirst(request.first);
  const scope = scopeOf(companyId, view.set.entitySet, request.scope);
  const start: Position =
    request.after == null ? { page: null, offset: 0 } : cursors.open(scope, request.after);

  const nodes: RecordOf<F>[] = [];
  const positions: Position[] = [];
  let { page: continuation, offset } = start;
  let hasMore = true;
  let totalCount: number | null = null;
  for (let pages = 0; nodes.length < first && hasMore && pages < maxPages; pages++) {
    const wanted = first - nodes.length;
    const page: Page = await readPage(client, token, view, companyId, {
      size: offset + wanted,
      count: request.count && pages === 0,
      continuation,
    });
    totalCount = page.count ?? totalCount;
    const end = Math.min(page.rows.length, offset + wanted);
    for (let index = offset; index < end; index++) {
      nodes.push(readRecord(view, page.rows[index] ?? {}, companyId));
      const isLast = index === page.rows.length - 1 && page.next !== null;
      positions.push(isLast ? { page: page.next, offset: 0 } : { page: continuation, offset: index + 1 });
    }
    hasMore = end < page.rows.length || page.next !== null;
    continuation = page.next;
    offset = 0;
  }

  return {
    nodes,
    hasNextPage: hasMore,
    hasPreviousPage: request.after != null,
    totalCount,
    cursorAt: (index) => cursors.seal(scope, positions[index] as Position),
  };
}
