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
import { columnName } from '../columns.ts';
import type { BusinessRecord, RecordSet } from '../record-set.ts';
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
 * The id that a create carries decides. If the record exists, the create succeeded. If not, and the set keeps ids, the create
 * is sent again with backoff, which cannot create a second record. Otherwise the outcome is unknown.
 */
export function prepareCreate(writer: RecordWriter, set: RecordSet, creation: RecordCreation): PreparedWrite {
  const { clientSuppliedIds } = writer;
  const { path, fields, companyId, ownerId, id: chosen } = creation;
  const { requiredInCreate: names } = set;
  if (names?.every((name) => fields[name] == null || fields[name] === ''))
    return { faults: [invalidInput(`Give ${names.map((name) => `\`${name}\``).join(' or ')}.`, ...path)] };
  const { body, faults } = encodeInput(set, writer.dialect, fields, path);
  if (faults.length > 0) return { faults };
  const companySet = { companyId, route: set.route, entitySet: set.entitySet };
  // A transaction carries no generated id that the set may reject: that would roll back all of its writes.
  const mayChooseId = writer.mayResend || clientSuppliedIds.isTrusted(companySet);
  const chooseId = () => (mayChooseId ? clientSuppliedIds.chooseId(companySet, chosen) : chosen);
  let id = set.assignsIds ? null : chooseId();
  const idName = columnName(set, writer.dialect, 'id');
  let isIdRefused = false;
  const target = { companyId, id: null, ownerId };
  const suffix = writer.expandQuery(set);
  const buildPart = () =>
    buildWritePart('POST', set, target, { body: id === null ? body : { [idName]: id, ...body }, suffix });
  const write = writer.beginWrite(set, { ...target, path }, fields);
  // A record with the caller's id may be older than this create.
  const mayBeResult = (record: BusinessRecord) => chosen === null || matchesInput(set, record, fields);

  /**
   * Decides by the record that has the key. If it has the id that was sent, this create made it: by an earlier attempt, or
   * by a proxy that delivered the request twice.
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
    // Neither an id nor a number was sent: the upstream chose the key itself.
    if (id === null && number === null) return exists(null);
    const readHolder = async () => {
      const byId = id === null || (chosen === null && number !== null) ? null : await write.readById(id);
      return byId ?? (number === null ? null : write.readByNumber(number));
    };
    // A caller-supplied id that is taken stays taken, so one read is enough.
    const holder = await (chosen !== null && !lost ? readHolder() : write.withRetry(readHolder));
    if (holder instanceof UpstreamError) return lost ? unknown(null) : exists(null);
    if (holder === null) {
      // The key that is taken is one that the upstream assigned: this create was refused.
      if (!lost && number === null && chosen === null) return exists(null);
      // The record exists but is not visible yet, or this caller may not read it.
      return { ...unknown(null), next: 'readAgain' };
    }
    if (holder.id !== id?.toLowerCase()) return exists(holder);
    const isResult = chosen === null || (lost && mayBeResult(holder));
    if (isResult) return { record: holder, userErrors: [] };
    return lost ? unknown(holder) : exists(holder);
  };

  return {
    ...write,
    part: buildPart(),
    canShow: id !== null,
    checkAdvice: createAdvice,
    maxLost: Number.POSITIVE_INFINITY,
    mayResend: () => writer.mayResend && clientSuppliedIds.isTrusted(companySet),
    sendAgain: () => write.send(buildPart()),
    async complete(answer) {
      if (isIdRefused) clientSuppliedIds.recordRejected(companySet);
      if (answer && id) clientSuppliedIds.recordCreated(companySet, id, answer.id);
      if (answer || id === null) return { record: answer, userErrors: [] };
      const sent = id;
      const record = await write.withRetry(() => write.readById(sent));
      if (record instanceof UpstreamError) return { record: null, userErrors: [] };
      return { record, userErrors: record ? [] : [outcomeUnknown(acceptedFailure(), createAdvice)] };
    },
    async refuse(failure, [lost]) {
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
      const refusal = () => rejectedOutcome(toUserError(failure, createAdvice));
      // Some upstreams reject a create only because of its id. Nothing was created, so it can be sent without one.
      const isMaybeForId =
        writer.mayResend &&
        id !== null &&
        chosen === null &&
        failure.status === 400 &&
        failure.code === 'UPSTREAM_REJECTED' &&
        clientSuppliedIds.isUnproven(companySet);
      if (!isMaybeForId) return refusal();
      id = null;
      isIdRefused = true;
      return { ...refusal(), next: 'sendAgain' };
    },
    async findEvidence() {
      if (id === null) return noEvidence;
      const sent = id;
      const record = await write.withRetry(() => write.readById(sent));
      if (record instanceof UpstreamError) return noEvidence;
      if (record !== null) {
        if (chosen === null) return { shows: 'madeHere', record };
        return { shows: mayBeResult(record) ? 'made' : 'nothing', record };
      }
      // An attempt under the same id is refused if the record exists after all, so absence needs no proof.
      return writer.mayResend || (await write.isSetReadable()) ? { shows: 'notMade', record } : noEvidence;
    },
  };
}
