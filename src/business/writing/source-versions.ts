import type { SelectedObject } from '../../graph/selected-object.ts';
import { selectNothing } from '../../graph/selected-object.ts';
import type { Business } from '../business.ts';
import type { RecordSet } from '../record-set.ts';

/** A row of a source at one time. */
export interface SourceVersion {
  readonly etag: string | null;
  /** All its columns, as text to compare. */
  readonly columns: string;
}

interface NamedSet {
  readonly name: string;
  readonly set: RecordSet;
}

const selections = new WeakMap<RecordSet, SelectedObject>();

function selectColumns(set: RecordSet): SelectedObject {
  const known = selections.get(set) ?? { ...selectNothing, fields: new Set(Object.keys(set.fields)) };
  selections.set(set, known);
  return known;
}

/** The rows that sources have of a record now; those without one are left out. Throws `UpstreamError`. */
export async function readSourceVersions(
  business: Business,
  sources: readonly NamedSet[],
  companyId: string,
  id: string,
): Promise<ReadonlyMap<string, SourceVersion>> {
  const read = await Promise.all(
    sources.map(async ({ name, set }): Promise<[string, SourceVersion][]> => {
      const row = await business.loadView(business.plan(set, selectColumns(set)), companyId, id);
      if (row === null) return [];
      const { etag, ...columns } = row;
      return [[name, { etag, columns: JSON.stringify(columns) }]];
    }),
  );
  return new Map(read.flat());
}
