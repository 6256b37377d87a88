import { asUpstreamError, type UpstreamError } from '../../errors.ts';
import { classifyAbsence, isCompanyMissing } from '../../http/absence.ts';
import { badResponseError } from '../../http/errors.ts';
import { buildQueryString, type ODataRow, parseCollection } from '../../odata/collection.ts';
import { idOfRow, isSameId, type KeyColumns } from '../record-key.ts';
import type { ReadOptions, Reads } from './reads.ts';

/**
 * Null if the failure of a read proves that there is no record with this id. `collection` is the path of its set: if the
 * failure alone is no proof, the set must be readable. Throws every other failure, also that there is no company of this id to
 * have the record: `companyId` is null for a company itself.
 */
export async function nullIfProvenAbsent(
  failure: unknown,
  reads: Reads,
  collection: string,
  companyId: string | null,
  id: string,
  shown?: ShownId,
): Promise<null> {
  if (companyId !== null && isCompanyMissing(failure)) throw failure;
  const absence = classifyAbsence(failure);
  if (absence === 'proven') return null;
  if (absence === 'unproven') throw failure;
  const setFailure = await findSetFailure(reads, collection, id, shown);
  if (setFailure === null) return null;
  throw setFailure.status === 404 ? failure : setFailure;
}

/** How rows show their id: by the columns of their key, or by a column with this name, `id` by default. */
export interface ShownId {
  readonly idName?: string | undefined;
  readonly key?: KeyColumns | undefined;
}

/** Null if the set can be read and its first row is not the absent record; otherwise the error. Reads one row. */
export async function findSetFailure(
  reads: Reads,
  collection: string,
  absentId: string | null,
  { idName = 'id', key, ...how }: Pick<ReadOptions, 'kind' | 'deadline'> & ShownId = {},
): Promise<UpstreamError | null> {
  try {
    const $select = key === undefined ? idName : key.map(({ column }) => column).join(',');
    const answer = await reads.get(collection + buildQueryString({ $top: '1', $select }), {
      rows: { from: 0, to: 1 },
      ...how,
    });
    const rows = parseCollection(answer.body)?.value;
    if (!rows)
      return badResponseError('business', 'The upstream responded with something other than a list.', answer);
    const idOf = (row: ODataRow) => (key === undefined ? String(row[idName]) : idOfRow(key, row));
    const isThere = absentId !== null && rows.some((row) => isSameId(String(idOf(row)), absentId));
    return isThere
      ? badResponseError('business', 'The upstream lists a record that it reported as missing.', answer)
      : null;
  } catch (error) {
    return asUpstreamError(error);
  }
}
