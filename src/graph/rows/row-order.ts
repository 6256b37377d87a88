type SortKey<Row> = (row: Row) => string | number | null;

/** Sort keys of rows, by the members of the list's enum of orders without `_ASC` and `_DESC`. */
export type SortKeys<Row> = Readonly<Record<string, SortKey<Row>>>;

/** Sorts rows. Equal rows keep the upstream's order. Unset values come first in ascending order. */
export function sortRows<Row>(
  sortKeys: SortKeys<Row>,
  rows: readonly Row[],
  orderBy: readonly string[],
): readonly Row[] {
  if (orderBy.length === 0) return rows;
  // The second occurrence of a field has no effect.
  const terms = new Map<string, { readonly key: SortKey<Row>; readonly sign: 1 | -1 }>();
  for (const member of orderBy) {
    const [, field = '', direction] = /^(.+)_(ASC|DESC)$/.exec(member) ?? [];
    if (!terms.has(field))
      terms.set(field, { key: sortKeys[field] as SortKey<Row>, sign: direction === 'DESC' ? -1 : 1 });
  }
  const signs = [...terms.values()].map(({ sign }) => sign);
  const ranked = rows.map((row) => ({ row, ranks: [...terms.values()].map(({ key }) => key(row)) }));
  return ranked
    .sort((left, right) => {
      for (const [at, sign] of signs.entries()) {
        const difference = compareKeys(left.ranks[at] ?? null, right.ranks[at] ?? null);
        if (difference !== 0) return difference * sign;
      }
      return 0;
    })
    .map(({ row }) => row);
}

function compareKeys(left: string | number | null, right: string | number | null): number {
  if (left === right) return 0;
  if (left === null) return -1;
  if (right === null) return 1;
  return left < right ? -1 : 1;
}

/**
 * Converts a DateTime to a text that sorts chronologically, and is equal for equal instants, whatever their number of fraction
 * digits. A number of milliseconds would lose digits.
 */
export const toSortableTime = (instant: string): string =>
  instant.replace(/(?:\.0*|(\.\d*[1-9])0*)?Z$/, '$1');
