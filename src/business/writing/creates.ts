import { canResend, UpstreamError } from '../../errors.ts';
import {
  alreadyExists,
  isKeyTaken,
  mapUpstreamError,
  outcomeUnknown,
  referenceNotFound,
  targetNotFound,
} from '../../graph/user-errors.ts';
import { classifyAbsence, isCompanyMissing } from '../../http/absence.ts';
import type { FieldKinds, RecordOf, RecordSet } from '../record-set.ts';
import type { CompanySet } from './client-supplied-ids.ts';
import { acceptedFailure, noEvidence, rejectedOutcome, toUserError, type WriteOutcome } from './outcomes.ts';
import { type AttemptResult, readWithRetry } from './verification-reads.ts';
import { encodeInput, matchesInput, type WriteInput } from './write-fields.ts';
import {
  buildWritePart,
  type PendingWrite,
  type PreparedWrite,
  type RecordPart,
  type RecordWriter,
  type WriteTarget,
} from './writer.ts';

/** A record to create; `id` is the caller's, or null. */
export interface RecordCreation extends WriteTarget {
  readonly fields: WriteInput;
}

/** A create that is being sent, with an id, or with null for one that the upstream assigns. */
interface PendingCreate<F extends FieldKinds> {
  readonly write: PendingWrite<F>;
  readonly id: string | null;
  partUnder(id: string | null): RecordPart;
}

export function prepareCreate<F extends FieldKinds>(
  writer: RecordWriter,
  set: RecordSet<F>,
  creation: RecordCreation,
): PreparedWrite<F> {
  const { path, fields, companyId, ownerId } = creation;
  const { body, faults } = encodeInput(set, writer.dialect, fields, path);
  if (faults.length > 0) return { faults };
  const id = set.assignsIds ? null : chooseId(writer, set, creation);
  const query = writer.expandQuery(set);
  const partUnder = (under: string | null) => {
    const whole = under === null ? body : { id: under, ...body };
    return buildWritePart('POST', set, { companyId, id: null, ownerId }, { body: whole, query });
  };
  const write = writer.beginWrite(set, { companyId, id: null, ownerId, path }, fields);
  const pending = { write, id, partUnder };
  return {
    part: partUnder(id),
    settle: (first) => settleCreate(writer, creation, pending, write.parseResult(first)),
    canShow: id !== null,
    async findEvidence() {
      if (id === null) return noEvidence;
      const record = await readWithRetry(write, () => write.readById(id));
      if (record instanceof UpstreamError) return noEvidence;
      if (record === null)
        return (await write.findSetFailure()) === null ? { shows: 'notMade', record } : noEvidence;
      if (creation.id === null) return { shows: 'madeHere', record };
      // A record with the caller's id may be older than this create.
      return { shows: matchesInput(set, record, fields) ? 'made' : 'nothing', record };
    },
  };
}

const toCompanySet = ({ route, entitySet }: RecordSet, companyId: string): CompanySet => ({
  companyId,
  route,
  entitySet,
});

/** A transaction carries no generated id that the set may reject: that would roll back all of its writes. */
function chooseId(
  { clientSuppliedIds, mayResend }: RecordWriter,
  set: RecordSet,
  { companyId, id: asked }: RecordCreation,
): string | null {
  const companySet = toCompanySet(set, companyId);
  return mayResend || clientSuppliedIds.isTrusted(companySet)
    ? clientSuppliedIds.chooseId(companySet, asked)
    : asked;
}

const createAdvice = 'Look for the record before creating it again.';

/**
 * The outcome of a POST whose first attempt ended in `first`.
 *
 * If that is unknown, the id decides. If the record exists, the create succeeded. If not, and the set keeps ids, the create
 * is sent again with backoff, which cannot create a second record. Otherwise the outcome is unknown. Throws
 * `UpstreamError` if the caller cannot act on the error.
 */
async function settleCreate<F extends FieldKinds>(
  writer: RecordWriter,
  creation: RecordCreation,
  pending: PendingCreate<F>,
  first: AttemptResult<F>,
): Promise<WriteOutcome<F>> {
  const { write, id, partUnder } = pending;
  const { set, companyId } = write;
  if (!(first instanceof UpstreamError)) return completeCreate(writer, write, first, id);
  if (isKeyTaken(first)) return settleTakenKey(creation, pending, first, null);
  if (first.delivery !== 'unknown') return settleRejectedCreate(writer, creation, pending, first);

  const unknown = (record: RecordOf<F> | null = null) => ({
    record,
    userErrors: [outcomeUnknown(first, createAdvice)],
  });
  if (id === null) return unknown();
  let failure = first;
  for (;;) {
    const record = await readWithRetry(write, () => write.readById(id));
    if (record instanceof UpstreamError) return unknown();
    const isTrusted = writer.clientSuppliedIds.isTrusted(toCompanySet(set, companyId));
    if (record !== null) {
      // A record with the caller's id may be older than this create.
      const isResult = creation.id === null || matchesInput(set, record, creation.fields);
      return isResult ? { record, userErrors: [] } : unknown(record);
    }
    if (!isTrusted || !write.mayResend) return unknown();
    if (failure.delivery === 'rejected' && !canResend(failure))
      return rejectedOutcome(mapUpstreamError(failure, createAdvice) ?? outcomeUnknown(first, createAdvice));
    if (!(await write.pause(failure))) return unknown();

    const again = write.parseResult(await write.send(partUnder(id)));
    if (!(again instanceof UpstreamError)) return completeCreate(writer, write, again, id);
    if (isKeyTaken(again)) return settleTakenKey(creation, pending, again, first);
    failure = again;
  }
}

/**
 * The outcome of a create that was rejected because its key is taken, decided by the record that has the key. That can be
 * the record of this create, from an earlier attempt or from a proxy that delivers twice; its id decides. `lost` is the
 * failure of an earlier attempt, null if there was none.
 */
async function settleTakenKey<F extends FieldKinds>(
  { id: chosen, fields }: RecordCreation,
  { write, id }: PendingCreate<F>,
  failure: UpstreamError,
  lost: UpstreamError | null,
): Promise<WriteOutcome<F>> {
  const number = typeof fields.number === 'string' ? fields.number : null;
  // Neither an id nor a number was sent: the upstream chose the key itself.
  if (id === null && number === null) return rejectedOutcome(alreadyExists(failure));
  const readHolder = async () => {
    const byId = id === null || (chosen === null && number !== null) ? null : await write.readById(id);
    return byId ?? (number === null ? null : write.readByNumber(number));
  };
  const isSameHolder = (holder: RecordOf<F>) => holder.id === id?.toLowerCase();
  for (;;) {
    // A caller-supplied id that is taken stays taken, so one read is enough.
    const isCertain = chosen !== null && lost === null;
    const holder = await (isCertain ? readHolder() : readWithRetry(write, readHolder));
    if (holder instanceof UpstreamError)
      return lost
        ? rejectedOutcome(outcomeUnknown(lost, createAdvice))
        : rejectedOutcome(alreadyExists(failure));
    if (holder !== null) {
      // A record with the caller's id may be older than this create.
      const isResult =
        isSameHolder(holder) && (chosen === null || (lost && matchesInput(write.set, holder, fields)));
      if (isResult) return { record: holder, userErrors: [] };
      const isOlder = lost === null || !isSameHolder(holder);
      return {
        record: holder,
        userErrors: [isOlder ? alreadyExists(failure) : outcomeUnknown(lost, createAdvice)],
      };
    }
    // The key that is taken is one that the upstream assigned: this create was refused.
    if (lost === null && number === null && chosen === null) return rejectedOutcome(alreadyExists(failure));
    // The record exists but is not visible yet, or this caller may not read it.
    if (!(await write.pause(failure))) return rejectedOutcome(outcomeUnknown(lost ?? failure, createAdvice));
  }
}

async function completeCreate<F extends FieldKinds>(
  { clientSuppliedIds }: RecordWriter,
  write: PendingWrite<F>,
  answer: RecordOf<F> | null,
  sent: string | null,
): Promise<WriteOutcome<F>> {
  const { companyId } = write;
  if (answer && sent) clientSuppliedIds.recordCreated(toCompanySet(write.set, companyId), sent, answer.id);
  if (answer || sent === null) return { record: answer, userErrors: [] };
  const record = await readWithRetry(write, () => write.readById(sent));
  if (record instanceof UpstreamError) return { record: null, userErrors: [] };
  return { record, userErrors: record ? [] : [outcomeUnknown(acceptedFailure(), createAdvice)] };
}

async function settleRejectedCreate<F extends FieldKinds>(
  writer: RecordWriter,
  creation: RecordCreation,
  { write, id, partUnder }: PendingCreate<F>,
  failure: UpstreamError,
): Promise<WriteOutcome<F>> {
  const { clientSuppliedIds } = writer;
  const { companyId } = write;
  const set = toCompanySet(write.set, companyId);
  // A 404 to a create means that the company or a referenced record does not exist.
  if (classifyAbsence(failure) === 'proven')
    return rejectedOutcome(isCompanyMissing(failure) ? targetNotFound(failure) : referenceNotFound(failure));
  if (classifyAbsence(failure) === 'possible' && (await write.isOwnerAbsent()))
    return rejectedOutcome(targetNotFound(failure));
  // Some upstreams reject a create only because of its id. Nothing was created, so it can be sent without one.
  const isMaybeForId =
    write.mayResend && id !== null && creation.id === null && clientSuppliedIds.isUnproven(set);
  if (!isMaybeForId || failure.status !== 400 || failure.code !== 'UPSTREAM_REJECTED')
    return rejectedOutcome(toUserError(failure, createAdvice));
  const again = write.parseResult(await write.send(partUnder(null)));
  if (again instanceof UpstreamError) return rejectedOutcome(toUserError(again, createAdvice));
  clientSuppliedIds.recordRejected(set);
  return completeCreate(writer, write, again, null);
}
