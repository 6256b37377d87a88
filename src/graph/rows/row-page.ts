import { type CursorCodec, type CursorPosition, estimateCursorBytes } from '../cursor.ts';
import { createRelayConnection, type RelayConnection } from '../relay-connection.ts';

/** Which rows of a list in memory to show. */
export interface RowPageQuery<Row> {
  readonly size: number;
  /** The position behind which the page begins; null for the first page. */
  readonly start: CursorPosition | null;
  /** Identifies the list, its filter and its order. */
  readonly scope: string;
  /** The name of a row, unique in the list, by which its cursor finds it again. */
  nameOf(row: Row): string;
}

/** A page of a list that is in memory as a whole, filtered and sorted. A cursor holds the name of the row it follows. */
export function createRowPage<Row>(
  rows: readonly Row[],
  { size, start, scope, nameOf }: RowPageQuery<Row>,
  cursors: CursorCodec,
): RelayConnection<Row> {
  const from = start ? findIndexAfter(rows, start, nameOf) : 0;
  const nodes = rows.slice(from, from + size);
  const nameAt = (index: number) => {
    const row = nodes[index];
    return row === undefined ? null : nameOf(row);
  };
  return createRelayConnection({
    nodes,
    totalCount: rows.length,
    hasNextPage: from + size < rows.length,
    hasPreviousPage: start !== null,
    cursorAt: (index) => cursors.encode(scope, { page: nameAt(index), offset: from + index + 1 }),
    cursorBytes: () => Math.max(0, ...nodes.map((row) => estimateCursorBytes({ page: nameOf(row) }))),
  });
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
