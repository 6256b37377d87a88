import { setTimeout as sleep } from 'node:timers/promises';
import { asUpstreamError, UpstreamError } from '../../errors.ts';
import type { Context } from '../../graph/context.ts';
import { selectMore } from '../../graph/selected-object.ts';
import { outcomeUnknown, targetNotFound, type UserError } from '../../graph/user-errors.ts';
import { badResponseError } from '../../http/errors.ts';
import type { UpstreamResponse } from '../../http/response.ts';
import { isJsonObject } from '../../runtime/json.ts';
import { compileListQuery, type OwnerColumnValues } from '../reading/filters.ts';
import type { BusinessRecord, RecordSet } from '../record-sets/record-set.ts';
import type { Business } from '../records/business.ts';
import type { RecordAction, RecordTypeDescriptor } from '../records/record-type.ts';
import {
  acceptedFailure,
  etagRejectedError,
  isEtagMismatch,
  rejectedOutcome,
  staleRecordError,
  toUserErrorForExisting,
} from '../writing/outcomes.ts';
import { type Settlement, settle } from '../writing/settlement.ts';
import { validateIfMatch } from '../writing/write-fields.ts';
import { buildWritePart } from '../writing/writer.ts';
import type { KeyedInput } from './mutations.ts';

/** The resolvers of the mutations of all actions. */
export function createActionMutations(recordTypes: readonly RecordTypeDescriptor[]) {
  const byType = new Map(recordTypes.map((recordType) => [recordType.type, recordType]));
  return Object.fromEntries(
    recordTypes.flatMap((recordType) =>
      recordType.actions.map((action) => [
        action.mutation,
        createActionMutation(recordType, action, byType.get(action.result?.type ?? '')),
      ]),
    ),
  );
}

function createActionMutation(
  recordType: RecordTypeDescriptor,
  action: RecordAction,
  resultType: RecordTypeDescriptor | undefined,
) {
  return async (_root: unknown, { input }: { readonly input: KeyedInput }, { business }: Context) => {
    const { id, ifMatch } = input;
    const faults = validateIfMatch(ifMatch, []);
    if (faults.length > 0) return rejectedOutcome(...faults);
    const companyId = business.companyId(input.companyId);
    const read = (resultId: string | null) =>
      readState(business, recordType, action, resultType, { companyId, id, resultId });
    // `*` is no version to compare with, and would let the upstream act twice. So the current ETag is read and sent instead.
    const etag = ifMatch === '*' ? await readEtag(read) : ifMatch;
    const startedAt = Date.now();
    const suffix = `/Microsoft.NAV.${action.name}`;
    const target = { companyId, id };
    const part = buildWritePart('POST', recordType, target, { ifMatch: etag ?? ifMatch, suffix });
    const answer = await business.act(companyId, part);
    const { state, userErrors } = await settle(
      prepareSettlement({
        action,
        etag,
        resultSet: resultType?.entitySet,
        readState: read,
        // Compares by the upstream's clock.
        isRecent: (row) =>
          Date.parse(String(row?.lastModifiedDateTime)) >=
          startedAt + business.clockOffsetMs() - maxClockDifferenceMs,
      }),
      answer,
    );
    return {
      // A record that could not be read is an error: null would mean that it does not exist.
      [recordType.names?.one ?? '']: state.record,
      ...(resultType?.names && { [resultType.names.one]: state.result }),
      userErrors,
    };
  };
}

async function readEtag(read: (resultId: null) => Promise<ActionState>): Promise<string | null> {
  const { record } = await read(null);
  if (record instanceof Error) throw record;
  return record === null ? null : record.etag;
}

/** Reads the record and the document that the action created, in one batch from the primary. */
async function readState(
  business: Business,
  recordType: RecordTypeDescriptor,
  action: RecordAction,
  resultType: RecordTypeDescriptor | undefined,
  { companyId, id, resultId }: Readonly<Record<'companyId' | 'id', string>> & { resultId: string | null },
): Promise<ActionState> {
  business.invalidateReads();
  business.joinNextReads();
  const readNewest = async (set: RecordSet, owner: OwnerColumnValues, column: string | null = null) => {
    const selected = selectMore(business.selection.ofType(set.type), [
      'lastModifiedDateTime',
      ...Object.keys(owner),
      ...(column ? [column] : []),
    ]);
    const orderBy = 'id' in owner ? null : ['LAST_MODIFIED_DATE_TIME_DESC' as const];
    const query = compileListQuery(set, business.dialect, { orderBy }, owner);
    const page = await business.listSelected(set, selected, companyId, { first: 1, count: false, query });
    const row = page.nodes[0] ?? null;
    const isOther = ([name, value]: [string, unknown]) =>
      String(row?.[name]).toLowerCase() !== String(value).toLowerCase();
    if (row && Object.entries(owner).some(isOther))
      throw badResponseError('business', 'The upstream responded with another record.');
    return row;
  };
  const readResult = async () => {
    const { ownerColumn } = action.result ?? {};
    if (!resultType || (ownerColumn === undefined && resultId === null)) return null;
    return readNewest(resultType, ownerColumn === undefined ? { id: resultId } : { [ownerColumn]: id });
  };
  const [record, result] = await Promise.all([
    // Reads a list, because a list without the record proves that it is gone.
    readNewest(recordType, { id }, action.isShownBy ? 'status' : null).catch(asUpstreamError),
    readResult().catch(asUpstreamError),
  ]);
  return { record, result };
}

/** A record after an action, and the document that the action created. */
interface ActionState {
  /** Null if it is gone; an error if it could not be read. */
  readonly record: BusinessRecord | Error | null;
  /** Null if none was found; an error if the read failed. */
  readonly result: BusinessRecord | Error | null;
}

interface SentAction {
  readonly action: RecordAction;
  /** The record's ETag before the action; null if unknown. */
  readonly etag: string | null;
  /** The entity set of the document that the action creates. */
  readonly resultSet: string | undefined;
  /** Reads the primary. `resultId` is the id of the document, if the response to the action has it. */
  readState(resultId: string | null): Promise<ActionState>;
  /** Whether a row was last changed after the action was sent; false without a row. */
  isRecent(row: BusinessRecord | null | undefined): boolean;
}

interface ActionOutcome {
  readonly state: ActionState;
  readonly userErrors: readonly UserError[];
}

const runningAdvice =
  'It may still be running. Look at the records again after ten minutes before you repeat the request.';
const carriedOutAdvice =
  'The upstream refused the action, but the records show that it may have been carried out. Look at them before you repeat the request.';

const notFoundMessage = 'There is no such record.';
const removedMessage = `${notFoundMessage} If there was one, it may have been removed by this action, delivered twice, or by another client: look for the document that came of it before you act again.`;
/** Reads of the records after a lost response. With exponential pauses, they take about 1.5 s in all. */
const maxReads = 6;
const firstPauseMs = 50;

/** The tolerated clock difference between the upstream's own servers. */
const maxClockDifferenceMs = 30_000;

/**
 * An action is sent once. Its response decides, together with the records (docs/decisions/writes.md): whether the record
 * is gone or has another ETag, whether its status shows the action, and whether a recent document names it.
 */
function prepareSettlement({
  action,
  etag,
  resultSet,
  readState,
  isRecent,
}: SentAction): Settlement<UpstreamResponse, ActionOutcome> {
  const { effect } = action;
  const compare = (state: ActionState) => {
    const record = readable(state.record);
    const isGone = record === null;
    const hasChanged = record != null && record.etag !== null && record.etag !== etag;
    const hasResult = effect === 'mayRemove' && isRecent(readable(state.result));
    // If the record is gone, a new document shows the action; otherwise the status of the record does.
    const isCarriedOut = isGone
      ? hasResult
      : hasChanged && action.isShownBy?.(record.status) === true && isRecent(record);
    return { record, isGone, hasChanged, hasResult, isCarriedOut };
  };

  const explainRejection = (failure: UpstreamError, state: ActionState): UserError => {
    const { record, isGone, hasChanged, hasResult, isCarriedOut } = compare(state);
    const isStale = isEtagMismatch(failure);
    // A proxy may have delivered the action twice, so that only the second delivery was rejected. Documents that cannot be
    // read may be results of the first.
    const mayHaveResult = hasResult || (effect === 'mayRemove' && state.result instanceof Error);
    const isDeliveredTwice = mayHaveResult && (isStale || isGone);
    const isCommitted = !isStale && action.mayFailAfterCommit === true && hasChanged;
    // The upstream rejected the action for another reason than a missing record, but the record is missing.
    const isContradicted = isGone && failure.status !== 404 && effect !== 'keeps';
    if (isCarriedOut || isDeliveredTwice || isCommitted || isContradicted)
      return outcomeUnknown(failure, carriedOutAdvice);
    const mayHaveRemoved = effect === 'removes' || effect === 'mayRemove';
    if (isGone)
      return { ...targetNotFound(failure), message: mayHaveRemoved ? removedMessage : notFoundMessage };
    if (!isStale) return toUserErrorForExisting(failure, runningAdvice);
    const isCurrent = etag !== null && record?.etag === etag;
    return isCurrent ? etagRejectedError(failure) : staleRecordError(failure, []);
  };

  let readCount = 0;
  return {
    // A success is 200, 201 or 204, with an empty body or a record.
    parse(answer) {
      if (answer instanceof UpstreamError) return answer;
      const { status, body } = answer;
      const isRecord = body === null || (isJsonObject(body) && !('error' in body) && !('value' in body));
      return isRecord && (status === 200 || status === 201 || status === 204) ? answer : acceptedFailure();
    },
    async complete(answer) {
      const state = await readState(resultIdIn(answer, resultSet));
      const { record, hasChanged } = compare(state);
      const isNotRemoved = record != null && effect === 'removes';
      const isUnchanged = record != null && effect !== 'keeps' && etag !== null && !hasChanged;
      // A record that remains was posted in part, which also creates a document.
      const lacksResult = record != null && effect === 'mayRemove' && state.result === null;
      const isContradicted = isNotRemoved || isUnchanged || lacksResult;
      return { state, userErrors: isContradicted ? [outcomeUnknown(acceptedFailure(), runningAdvice)] : [] };
    },
    async decide(failure) {
      if (failure.delivery === 'notSent') throw failure;
      const state = await readState(null);
      if (failure.delivery === 'rejected') return { state, userErrors: [explainRejection(failure, state)] };
      if (compare(state).isCarriedOut) return { state, userErrors: [] };
      return { state, userErrors: [outcomeUnknown(failure, runningAdvice)], next: 'readAgain' };
    },
    async pause() {
      readCount += 1;
      if (readCount === maxReads) return false;
      await sleep(firstPauseMs * 2 ** (readCount - 1));
      return true;
    },
    sendAgain: () => Promise.reject(new Error('An action is sent once.')),
  };
}

/** The id in the `Location` header, if it is the URL of a document of the expected set. */
function resultIdIn({ headers }: UpstreamResponse, resultSet: string | undefined): string | null {
  const [, set, id] =
    /\/(\w+)\(([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\)(?:\?.*)?$/i.exec(String(headers.location)) ??
    [];
  return set === resultSet && id !== undefined ? id.toLowerCase() : null;
}

/** Undefined if the record could not be read: a failed read must not hide the outcome. */
const readable = (record: BusinessRecord | Error | null): BusinessRecord | null | undefined =>
  record instanceof Error ? undefined : record;
