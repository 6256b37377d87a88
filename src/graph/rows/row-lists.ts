import { getOrCompute } from '../../runtime/memo.ts';
import { type CursorCodec, deriveCursorScope } from '../cursor.ts';
import { type RelayConnection, readFirst } from '../relay-connection.ts';
import { compileRowFilter, type FilterFields, filterRows, type RowFilter } from './row-filter.ts';
import { type RowOrder, type SortKeys, sortRows } from './row-order.ts';
import { createRowPage } from './row-page.ts';

/** What the rows of a list are filtered and sorted by, and by which name their cursors find them. */
export interface RowKind<Row> {
  readonly filterFields: FilterFields<Row>;
  readonly sortKeys: SortKeys<Row>;
  nameOf(row: Row): string;
}

export interface RowListQuery {
  readonly first?: number | null | undefined;
  readonly after?: string | null | undefined;
  readonly filter?: RowFilter | null | undefined;
  readonly orderBy?: readonly RowOrder[] | null | undefined;
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

/** `key` is that of the caller's queue on the event loop. */
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
      const sorted = (await getOrCompute(sortedLists, scope, async () =>
        sortRows(sortKeys, await filterRows(await read(passes), passes, key), orderBy ?? []),
      )) as readonly Row[];
      return createRowPage(sorted, { size, start, scope, nameOf }, cursors);
    },
  };
}
