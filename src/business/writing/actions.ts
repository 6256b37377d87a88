import { setTimeout as sleep } from 'node:timers/promises';
import { asUpstreamError, UpstreamError } from '../../errors.ts';
import type { Context } from '../../graph/context.ts';
import { selectMore } from '../../graph/selected-object.ts';
import { outcomeUnknown, targetNotFound, type UserError } from '../../graph/user-errors.ts';
import { badResponseError } from '../../http/errors.ts';
import type { UpstreamResponse } from '../../http/response.ts';
import { isJsonObject } from '../../runtime/json.ts';
import type { Business } from '../business.ts';
import type { OwnerValues } from '../reading/filters.ts';
import { compileListQuery } from '../reading/filters.ts';
import type { RecordSet } from '../record-set.ts';
import type { RecordAction, RecordTypeDescriptor } from '../record-type.ts';
import {
  acceptedFailure,
  etagRejectedError,
  isEtagMismatch,
  rejectedOutcome,
  staleRecordError,
  toUserErrorForExisting,
} from './outcomes.ts';
import { type Settlement, settle } from './settlement.ts';
import { validateIfMatch } from './write-fields.ts';
import { buildWritePart } from './writer.ts';

interface ActionInput {
  readonly companyId?: string | null;
  readonly id: string;
  readonly ifMatch: string;
}

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
  return async (_root: unknown, { input }: { readonly input: ActionInput }, { business }: Context) => {
    const { id, ifMatch } = input;
    const faults = validateIfMatch(ifMatch, []);
    if (faults.length > 0) return rejectedOutcome(...faults);
    const companyId = business.companyId(input.companyId);
    const read = (resultId: string | null) =>
      readState(business, recordType, action, resultType, { companyId, id, resultId });
    // `*` tells no version to compare with, and would let the upstream act twice: the present one is read, and sent.
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
        // By the upstream's clock.
        isRecent: (row) =>
          Date.parse(String(row?.lastModifiedDateTime)) >=
          startedAt + business.clockOffsetMs() - maxClockDifferenceMs,
      }),
      answer,
    );
    return {
      // What could not be read is an error at its field, because null means that there is none.
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

/** The record and the document that came of it, read together, from the primary. */
async function readState(
  business: Business,
  recordType: RecordTypeDescriptor,
  action: RecordAction,
  resultType: RecordTypeDescriptor | undefined,
  { companyId, id, resultId }: Readonly<Record<'companyId' | 'id', string>> & { resultId: string | null },
): Promise<ActionState> {
  business.invalidateReads();
  business.joinNextReads();
  const readNewest = async (set: RecordSet, owner: OwnerValues, column: string | null = null) => {
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
    // A list without it proves that it is gone.
    readNewest(recordType, { id }, action.isShownBy ? 'status' : null).catch(asUpstreamError),
    readResult().catch(asUpstreamError),
  ]);
  return { record, result };
}

/** A record after an action, and the document that came of it. */
export interface ActionState {
  /** Null where it is gone; an error where it could not be read. */
  readonly record: ActionRecord | Error | null;
  /** Null where none was found; an error where none could be read. */
  readonly result: ActionRecord | Error | null;
}

interface ActionRecord {
  readonly etag: string | null;
  readonly [column: string]: unknown;
}

interface SentAction {
  readonly action: RecordAction;
  /** The record's entity tag before the action; null where it is not known. */
  readonly etag: string | null;
  /** The entity set of the document that comes of it. */
  readonly resultSet: string | undefined;
  /** Reads the primary; `resultId` is that of the document, where the answer names it. */
  readState(resultId: string | null): Promise<ActionState>;
  /** Whether a row was last changed after the action was sent; false for none. */
  isRecent(row: ActionRecord | null | undefined): boolean;
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
/** How often the records are read after a lost response, with growing pauses: about a second and a half in all. */
const maxLooks = 6;
const firstPauseMs = 50;

/** By so much the clocks of the upstream's own servers may differ. */
const maxClockDifferenceMs = 30_000;

/**
 * An action is sent once. Its answer decides, and what the records show (docs/decisions/writes.md): the record is gone
 * or has moved to another ETag, its status shows the action, or a recent document names it.
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
    const hasMoved = record != null && record.etag !== null && record.etag !== etag;
    const hasResult = effect === 'mayRemove' && isRecent(readable(state.result));
    // A new document names a record that is gone, or the record says so.
    const isShown = isGone
      ? hasResult
      : hasMoved && action.isShownBy?.(record.status) === true && isRecent(record);
    return { record, isGone, hasMoved, hasResult, isShown };
  };

  const findRefusal = (failure: UpstreamError, state: ActionState): UserError => {
    const { record, isGone, hasMoved, hasResult, isShown } = compare(state);
    const isStale = isEtagMismatch(failure);
    // An intermediary may have delivered it twice: then the second delivery was refused. Documents that cannot be read may
    // be those of the first.
    const mayHaveResult = hasResult || (effect === 'mayRemove' && state.result instanceof Error);
    const isPartlyShown = mayHaveResult && (isStale || isGone);
    const isCommitted = !isStale && action.mayFailAfterCommit === true && hasMoved;
    // Whoever is told that the record does not exist did not refuse the action for another reason.
    const isContradicted = isGone && failure.status !== 404 && effect !== 'keeps';
    if (isShown || isPartlyShown || isCommitted || isContradicted)
      return outcomeUnknown(failure, carriedOutAdvice);
    const mayHaveRemoved = effect === 'removes' || effect === 'mayRemove';
    if (isGone)
      return { ...targetNotFound(failure), message: mayHaveRemoved ? removedMessage : notFoundMessage };
    if (!isStale) return toUserErrorForExisting(failure, runningAdvice);
    const isMistaken = etag !== null && record?.etag === etag;
    return isMistaken ? etagRejectedError(failure) : staleRecordError(failure, []);
  };

  let looks = 0;
  return {
    // A success is 200, 201 or 204, without a body or with a record.
    parse(answer) {
      if (answer instanceof UpstreamError) return answer;
      const { status, body } = answer;
      const isRecord = body === null || (isJsonObject(body) && !('error' in body) && !('value' in body));
      return isRecord && (status === 200 || status === 201 || status === 204) ? answer : acceptedFailure();
    },
    async complete(answer) {
      const state = await readState(resultIdIn(answer, resultSet));
      const { record, hasMoved } = compare(state);
      const isStillThere = record != null && effect === 'removes';
      const isUnchanged = record != null && effect !== 'keeps' && etag !== null && !hasMoved;
      // What is left of the record was posted in part, which makes a document, too.
      const isWithoutResult = record != null && effect === 'mayRemove' && state.result === null;
      const isContradicted = isStillThere || isUnchanged || isWithoutResult;
      return { state, userErrors: isContradicted ? [outcomeUnknown(acceptedFailure(), runningAdvice)] : [] };
    },
    async decide(failure) {
      if (failure.delivery === 'notSent') throw failure;
      const state = await readState(null);
      if (failure.delivery === 'rejected') return { state, userErrors: [findRefusal(failure, state)] };
      if (compare(state).isShown) return { state, userErrors: [] };
      return { state, userErrors: [outcomeUnknown(failure, runningAdvice)], next: 'readAgain' };
    },
    async pause() {
      looks += 1;
      if (looks === maxLooks) return false;
      await sleep(firstPauseMs * 2 ** (looks - 1));
      return true;
    },
    sendAgain: () => Promise.reject(new Error('An action is sent once.')),
  };
}

/** The id in the `Location` of the response, if that is the address of a document of the expected set. */
function resultIdIn({ headers }: UpstreamResponse, resultSet: string | undefined): string | null {
  const [, set, id] =
    /\/(\w+)\(([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\)(?:\?.*)?$/i.exec(String(headers.location)) ??
    [];
  return set === resultSet && id !== undefined ? id.toLowerCase() : null;
}

/** Undefined for what could not be read, which must not hide the outcome. */
const readable = (record: ActionRecord | Error | null): ActionRecord | null | undefined =>
  record instanceof Error ? undefined : record;
