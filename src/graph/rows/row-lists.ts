import { createEntriesByKey } from '../../runtime/entries-by-key.ts';
import { getOrCompute } from '../../runtime/memo.ts';
import { createSemaphore } from '../../runtime/semaphore.ts';
import { type CursorCodec, type CursorPosition, deriveCursorScope } from '../cursor.ts';
import type { FilterInput } from '../filter-compiler.ts';
import { createRelayConnection, type RelayConnection, readFirst } from '../relay-connection.ts';
import { compileRowFilter, type FilterFields, filterRows } from './row-filter.ts';
import { type SortKeys, sortRows } from './row-order.ts';

/** What the rows of a list are filtered and sorted by, and by which name their cursors find them. */
export interface RowKind<Row> {
  readonly filterFields: FilterFields<Row>;
  readonly sortKeys: SortKeys<Row>;
  nameOf(row: Row): string;
}

export interface RowListQuery {
  readonly first?: number | null | undefined;
  readonly after?: string | null | undefined;
  readonly filter?: FilterInput | null | undefined;
  readonly orderBy?: readonly string[] | null | undefined;
}

/** Pages of lists that are in memory as a whole: one for each GraphQL operation, which filters and sorts nothing twice. */
export interface RowLists {
  /**
   * A page of the list that `list` identifies, and that `read` returns. Throws `InputError` for a query that cannot be
   * answered, before anything is read.
   */
  page<Row>(
    kind: RowKind<Row>,
    list: readonly unknown[],
    query: RowListQuery,
    read: (passes: (row: Row) => boolean) => Promise<readonly Row[]>,
  ): Promise<RelayConnection<Row>>;
}

// A list has up to thousands of rows, which are in memory until its filter has had its turns.
const maxListsAtOnce = 16;
const semaphoresByCaller = createEntriesByKey(
  () => createSemaphore(maxListsAtOnce),
  (semaphore) => semaphore.isIdle(),
);

/** `key` is that of the caller's queue on the event loop, of whom sixteen lists are read and filtered at once. */
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
      // A cursor holds the name of the row it follows.
      const from = start ? findIndexAfter(sorted, start, nameOf) : 0;
      const nodes = sorted.slice(from, from + size);
      return createRelayConnection({
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

// The list may have changed since the cursor was created: the page starts behind the cursor's row. Where that is gone,
// the rows behind it have moved up by one.
function findIndexAfter<Row>(
  rows: readonly Row[],
  { page, offset }: CursorPosition,
  nameOf: (row: Row) => string,
): number {
  const found = rows.findIndex((row) => nameOf(row) === page);
  return found < 0 ? Math.min(offset - 1, rows.length) : found + 1;
}
