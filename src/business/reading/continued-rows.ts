import { badResponseError } from '../../http/errors.ts';
import type { ODataRow } from '../../odata/collection.ts';
import { isJsonObject } from '../../runtime/json.ts';
import type { FieldKinds, RecordOf } from '../record-set.ts';
import { upstreamName } from './key-lookups.ts';
import type { Loaders } from './loaders.ts';
import type { RowView, View } from './views.ts';

/**
 * Whether a row of a page that continues a list has what a view reads. An upstream may continue a list with the columns
 * and expansions of its first page, whatever the request names. Relations that can be loaded by key may be missing.
 */
export const hasSelected = ({ columns, expansions }: RowView, row: ODataRow): boolean =>
  columns.every(({ name }) => name in row) &&
  expansions.every(({ navigations, isMany, isRequired, rows }) => {
    const inner = isMany ? navigations.map((name) => row[name]).find(Array.isArray) : row[navigations[0]];
    if (inner === undefined) return !isRequired;
    return [inner].flat().every((one) => !isJsonObject(one) || hasSelected(rows, one));
  });

/** Reads rows again by their ids; null for those that are gone. Throws `UpstreamError` for a row without an id. */
export function loadByIds<F extends FieldKinds>(
  loaders: Loaders,
  view: View<F>,
  companyId: string | null,
  rows: readonly ODataRow[],
): Promise<(RecordOf<F> | null)[]> {
  const idName = upstreamName(view, 'id');
  return Promise.all(
    rows.map((row) => {
      const id = row[idName];
      if (typeof id === 'string') return loaders.byId(view, companyId, id);
      throw badResponseError('business', 'The upstream responded with a record that has no id.');
    }),
  );
}
