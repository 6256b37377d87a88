import { UpstreamError } from '../../errors.ts';
import { outcomeUnknown, targetNotFound } from '../../graph/user-errors.ts';
import type { FieldKinds } from '../record-set.ts';
import { etagRejectedError, rejectedOutcome, staleRecordError, type WriteOutcome } from './outcomes.ts';
import { confirmSetReadable, readWithRetry } from './verification-reads.ts';
import type { PendingWrite } from './writer.ts';

/**
 * The outcome of a write whose ETag the upstream rejected, decided by a read of the primary: if the record still has the
 * ETag, it is not stale. If the caller may not read the record, the upstream's rejection is reported as it is; if the read
 * fails for another reason, the outcome is unknown.
 */
export async function settleEtagMismatch<F extends FieldKinds>(
  write: PendingWrite<F>,
  id: string,
  ifMatch: string,
  path: readonly string[],
  failure: UpstreamError,
): Promise<WriteOutcome<F>> {
  const record = await readWithRetry(write, () => write.readById(id));
  if (record instanceof UpstreamError) {
    const isForbidden = record.code === 'FORBIDDEN';
    return rejectedOutcome(
      isForbidden ? staleRecordError(failure, path) : outcomeUnknown(failure, rereadAdvice),
    );
  }
  if (record === null)
    return rejectedOutcome(
      (await confirmSetReadable(write)) ? targetNotFound() : outcomeUnknown(failure, rereadAdvice),
    );
  const userError = record.etag === ifMatch ? etagRejectedError(failure) : staleRecordError(failure, path);
  return { record, userErrors: [userError] };
}

const rereadAdvice =
  'The upstream rejected `ifMatch`, and the record could not be read to find out why. Read the record before you repeat the mutation.';
