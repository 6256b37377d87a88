import { asUpstreamError, type UpstreamError } from '../../errors.ts';
import { classifyAbsence, isCompanyMissing } from '../../http/absence.ts';
import { badResponseError } from '../../http/errors.ts';
import { buildQueryString, requireCollection } from '../../odata/collection.ts';
import type { ReadOptions, Reads } from './reads.ts';

/**
 * Returns null if `failure` proves that the record does not exist; otherwise rethrows. An ambiguous 404 counts as proof only
 * if the collection can be read. A missing company is no proof: it is rethrown. `companyId` is null for a company itself.
 */
export async function nullIfProvenAbsent(
  failure: unknown,
  reads: Reads,
  collection: string,
  companyId: string | null,
  id: string,
  idName?: string,
): Promise<null> {
  if (companyId !== null && isCompanyMissing(failure)) throw failure;
  const absence = classifyAbsence(failure);
  if (absence === 'proven') return null;
  if (absence === 'unproven') throw failure;
  const setFailure = await findSetFailure(reads, collection, id, { idName });
  if (setFailure === null) return null;
  throw setFailure.status === 404 ? failure : setFailure;
}

/**
 * Reads one row of a collection. Returns null if the read succeeds and the row is not the absent record; otherwise the error.
 * `idName` is the upstream's name of the id.
 */
export async function findSetFailure(
  reads: Reads,
  collection: string,
  absentId: string | null,
  {
    idName = 'id',
    ...options
  }: Pick<ReadOptions, 'kind' | 'deadline'> & { readonly idName?: string | undefined } = {},
): Promise<UpstreamError | null> {
  try {
    const answer = await reads.get(collection + buildQueryString({ $top: '1', $select: idName }), options);
    const rows = requireCollection('business', answer).value;
    const absent = absentId?.toLowerCase();
    const isListed = rows.some((row) => String(row[idName]).toLowerCase() === absent);
    return isListed
      ? badResponseError('business', 'The upstream lists a record that it reported as missing.', answer)
      : null;
  } catch (error) {
    return asUpstreamError(error);
  }
}
