import { UpstreamError } from '../../errors.ts';
import {
  alreadyExists,
  invalidInput,
  isKeyTaken,
  outcomeUnknown,
  referenceNotFound,
  targetNotFound,
} from '../../graph/user-errors.ts';
import { classifyAbsence, isCompanyMissing } from '../../http/absence.ts';
import { columnName } from '../record-sets/columns.ts';
import type { BusinessRecord, RecordSet } from '../record-sets/record-set.ts';
import { acceptedFailure, rejectedOutcome, toUserError, type WriteOutcome } from './outcomes.ts';
import { type Decision, noEvidence, type PreparedWrite } from './settlement.ts';
import { encodeInput, matchesInput, type WriteInput } from './write-fields.ts';
import { buildWritePart, type RecordWriter, type WriteTarget } from './writer.ts';

/** A record to create; `id` is the caller's, or null. */
export interface RecordCreation extends WriteTarget {
  readonly fields: WriteInput;
}

const createAdvice = 'Look for the record before creating it again.';

/**
 * The id that was sent settles a create. If a record has this id, the create succeeded. If not, and the set keeps ids, the
 * create is sent again with backoff; this cannot create a second record. Otherwise the outcome is unknown.
 */
export function prepareCreate(writer: RecordWriter, set: RecordSet, creation: RecordCreation): PreparedWrite {
  const { clientSuppliedIds } = writer;
  const { path, fields, companyId, ownerId, id: callerId } = creation;
  const { requiredInCreate: names } = set;
  if (names?.every((name) => fields[name] == null || fields[name] === ''))
    return { faults: [invalidInput(`Give ${names.map((name) => `\`${name}\``).join(' or ')}.`, ...path)] };
  const { body, faults } = encodeInput(set, writer.dialect, fields, path);
  if (faults.length > 0) return { faults };
  const companySet = { companyId, route: set.route, entitySet: set.entitySet };
  // In a transaction, a generated id that the set rejects would roll back all writes.
  const mayGenerateId = writer.mayResend || clientSuppliedIds.isTrusted(companySet);
  const chooseId = () => (mayGenerateId ? clientSuppliedIds.chooseId(companySet, callerId) : callerId);
  let id = set.assignsIds ? null : chooseId();
  const idName = columnName(set, writer.dialect, 'id');
  let isIdRejected = false;
  const target = { companyId, id: null, ownerId };
  const suffix = writer.expandQuery(set);
  const buildPart = () =>
    buildWritePart('POST', set, target, { body: id === null ? body : { [idName]: id, ...body }, suffix });
  const write = writer.beginWrite(set, { ...target, path }, fields);
  // A record with the caller's id may be older than this create.
  const mayBeResult = (record: BusinessRecord) => callerId === null || matchesInput(set, record, fields);

  /**
   * Decides by the record that holds the key. If it has the id that was sent, this create created it: in an earlier attempt,
   * or because a proxy delivered the request twice.
   */
  const decideTakenKey = async (
    failure: UpstreamError,
    lost: UpstreamError | undefined,
  ): Promise<Decision<WriteOutcome>> => {
    const number = typeof fields.number === 'string' ? fields.number : null;
    const exists = (record: BusinessRecord | null) => ({ record, userErrors: [alreadyExists(failure)] });
    const unknown = (record: BusinessRecord | null) => ({
      record,
      userErrors: [outcomeUnknown(lost ?? failure, createAdvice)],
    });
    // The create had neither an id nor a number, so the upstream assigned the key that is taken.
    if (id === null && number === null) return exists(null);
    const readHolder = async () => {
      const byId = id === null || (callerId === null && number !== null) ? null : await write.readById(id);
      return byId ?? (number === null ? null : write.readByNumber(number));
    };
    // A caller-supplied id that is taken stays taken, so one read is enough.
    const holder = await (callerId !== null && !lost ? readHolder() : write.withRetry(readHolder));
    if (holder instanceof UpstreamError) return lost ? unknown(null) : exists(null);
    if (holder === null) {
      // No record has the generated id, so the key that is taken is one that the upstream assigned.
      if (!lost && number === null && callerId === null) return exists(null);
      // The record exists but is not visible yet, or this caller may not read it.
      return { ...unknown(null), next: 'readAgain' };
    }
    if (holder.id !== id?.toLowerCase()) return exists(holder);
    const isResult = callerId === null || (lost && mayBeResult(holder));
    if (isResult) return { record: holder, userErrors: [] };
    return lost ? unknown(holder) : exists(holder);
  };

  return {
    ...write,
    part: buildPart(),
    canShowOutcome: id !== null,
    checkAdvice: createAdvice,
    maxLost: Number.POSITIVE_INFINITY,
    mayResend: () => writer.mayResend && clientSuppliedIds.isTrusted(companySet),
    sendAgain: () => write.send(buildPart()),
    async complete(answer) {
      if (isIdRejected) clientSuppliedIds.recordRejected(companySet);
      if (answer && id) clientSuppliedIds.recordCreated(companySet, id, answer.id);
      if (answer || id === null) return { record: answer, userErrors: [] };
      const sentId = id;
      const record = await write.withRetry(() => write.readById(sentId));
      if (record instanceof UpstreamError) return { record: null, userErrors: [] };
      return { record, userErrors: record ? [] : [outcomeUnknown(acceptedFailure(), createAdvice)] };
    },
    async decideRejected(failure, [lost]) {
      if (isKeyTaken(failure)) return decideTakenKey(failure, lost);
      if (lost) return null;
      // A 404 of a create means that the company or a referenced record does not exist.
      const absence = classifyAbsence(failure);
      if (absence === 'proven')
        return rejectedOutcome(
          isCompanyMissing(failure) ? targetNotFound(failure) : referenceNotFound(failure),
        );
      if (absence === 'possible' && (await write.isOwnerAbsent()))
        return rejectedOutcome(targetNotFound(failure));
      const rejection = () => rejectedOutcome(toUserError(failure, createAdvice));
      // Some upstreams reject a create only because of its id. Nothing was created, so the create can be sent without one.
      const mayBeForId =
        writer.mayResend &&
        id !== null &&
        callerId === null &&
        failure.status === 400 &&
        failure.code === 'UPSTREAM_REJECTED' &&
        clientSuppliedIds.isUnproven(companySet);
      if (!mayBeForId) return rejection();
      id = null;
      isIdRejected = true;
      return { ...rejection(), next: 'sendAgain' };
    },
    async readEvidence() {
      if (id === null) return noEvidence;
      const sentId = id;
      const record = await write.withRetry(() => write.readById(sentId));
      if (record instanceof UpstreamError) return noEvidence;
      if (record !== null) {
        if (callerId === null) return { shows: 'appliedByThisCall', record };
        return { shows: mayBeResult(record) ? 'applied' : 'nothing', record };
      }
      // If the record exists after all, a second attempt with the same id is rejected. So its absence needs no proof.
      return writer.mayResend || (await write.isSetReadable()) ? { shows: 'notApplied', record } : noEvidence;
    },
  };
}
