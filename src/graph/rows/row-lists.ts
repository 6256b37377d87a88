import { createEntriesByKey } from '../../runtime/entries-by-key.ts';
import { getOrCompute } from '../../runtime/memo.ts';
import { createSemaphore } from '../../runtime/semaphore.ts';
import { type CursorCodec, type CursorPosition, deriveCursorScope } from '../cursor.ts';
import type { FilterInput } from '../filter-compiler.ts';
import { RelayConnection, readFirst } from '../relay-connection.ts';
import { compileRowFilter, type FilterFields, filterRows } from './row-filter.ts';
import { type SortKeys, sortRows } from './row-order.ts';

/** How rows of one kind are filtered, sorted, and identified. */
export interface RowKind<Row> {
  readonly filterFields: FilterFields<Row>;
  readonly sortKeys: SortKeys<Row>;
  /** Identifies a row in cursors. */
  nameOf(row: Row): string;
}

export interface RowListQuery {
  readonly first?: number | null | undefined;
  readonly after?: string | null | undefined;
  readonly filter?: FilterInput | null | undefined;
  readonly orderBy?: readonly string[] | null | undefined;
}

/** Pages of lists that are filtered and sorted in memory. One operation filters and sorts an equal list once. */
export interface RowLists {
  /** Returns a page of a list. `list` identifies it, `read` returns its rows. Throws `InputError` before `read` is called. */
  page<Row>(
    kind: RowKind<Row>,
    list: readonly unknown[],
    query: RowListQuery,
    read: (passes: (row: Row) => boolean) => Promise<readonly Row[]>,
  ): Promise<RelayConnection<Row>>;
}

// Limits memory: a list has up to thousands of rows, which are in memory until the filter has finished.
const maxListsAtOnce = 16;
const semaphoresByCaller = createEntriesByKey(
  () => createSemaphore(maxListsAtOnce),
  (semaphore) => semaphore.isIdle(),
);

/** `key` identifies the caller in the cooperative queue, and in the limit of lists at once. */
export function createRowLists(cursors: CursorCodec, key: string): RowLists {
  // Filtered and sorted lists, by the scope of their cursors.
  const sortedLists = new Map<string, Promise<readonly unknown[]>>();

  return {
    async page<Row>(
      { filterFields, sortKeys, nameOf }: RowKind<Row>,
      list: readonly unknown[],
      { first, after, filter, orderBy }: RowListQuery,
      read: (passes: (row: Row) => boolean) => Promise<readonly Row[]>,
    ) {
      const size = readFirst(first);
      const passes = compileRowFilter(filterFields, filter);
      const scope = deriveCursorScope(...list, filter ?? null, orderBy ?? []);
      const start = after == null ? null : cursors.decode(scope, after);
      const sorted = (await getOrCompute(sortedLists, scope, () =>
        semaphoresByCaller.get(key)(async () =>
          sortRows(sortKeys, await filterRows(await read(passes), passes, key), orderBy ?? []),
        ),
      )) as readonly Row[];
      // A cursor has the name of its row as `page`.
      const from = start ? findIndexAfter(sorted, start, nameOf) : 0;
      const nodes = sorted.slice(from, from + size);
      return new RelayConnection({
        nodes,
        totalCount: sorted.length,
        hasNextPage: from + size < sorted.length,
        hasPreviousPage: start !== null,
        cursorAt: (index) =>
          cursors.encode(scope, { page: nameOf(nodes[index] as Row), offset: from + index + 1 }),
      });
    },
  };
}

// The list may have changed since the cursor was created. The page starts after the cursor's row; if that row is gone, the
// following rows have moved up by one.
function findIndexAfter<Row>(
  rows: readonly Row[],
  { page, offset }: CursorPosition,
  nameOf: (row: Row) => string,
): number {
  const found = rows.findIndex((row) => nameOf(row) === page);
  return found < 0 ? Math.min(offset - 1, rows.length) : found + 1;
}
