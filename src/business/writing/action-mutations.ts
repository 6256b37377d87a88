import { asUpstreamError, InputError } from '../../errors.ts';
import type { Context } from '../../graph/context.ts';
import { selectMore } from '../../graph/selected-object.ts';
import { badResponseError } from '../../http/errors.ts';
import { apiRoot } from '../../odata/api-path.ts';
import type { Business } from '../business.ts';
import type { OwnerValues } from '../reading/filters.ts';
import { recordPath } from '../reading/views.ts';
import type { RecordAction } from '../record-action.ts';
import type { RecordSet } from '../record-set.ts';
import type { RecordTypeDescriptor } from '../record-type.ts';
import { type ActionState, settleAction } from './action-settlement.ts';
import { rejectedOutcome } from './outcomes.ts';
import { validateIfMatch } from './write-fields.ts';
import type { RecordPart } from './writer.ts';

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
      (recordType.actions ?? []).map((action) => [
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
    if (!business.dialect.hasActions)
      throw new InputError(
        `\`${action.mutation}\` needs an upstream that has actions (BUSINESS_DIALECT=dynamics).`,
      );
    const faults = validateIfMatch(ifMatch, []);
    if (faults.length > 0) return rejectedOutcome(...faults);
    const companyId = business.companyId(input.companyId);
    const read = (resultId: string | null) =>
      readState(business, { recordType, action, resultType }, companyId, id, resultId);
    // `*` tells no version to compare with, and would let the upstream act twice: the present one is read, and sent.
    const etag = ifMatch === '*' ? await readEtag(read) : ifMatch;
    const startedAt = Date.now();
    const answer = await business.act(
      companyId,
      buildActionPart(recordType, companyId, id, action.name, etag ?? ifMatch),
    );
    const { state, userErrors } = await settleAction({
      action,
      answer,
      etag,
      startedAt,
      clockOffsetMs: business.clockOffsetMs,
      resultSet: resultType?.entitySet,
      readState: read,
    });
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

interface ActionTypes {
  readonly recordType: RecordTypeDescriptor;
  readonly action: RecordAction;
  readonly resultType: RecordTypeDescriptor | undefined;
}

/** The record and the document that came of it, read together, from the primary. */
async function readState(
  business: Business,
  { recordType, action, resultType }: ActionTypes,
  companyId: string,
  id: string,
  resultId: string | null,
): Promise<ActionState> {
  business.invalidateReads();
  business.joinNextReads();
  const readNewest = async (set: RecordSet, owner: OwnerValues, column: string | null = null) => {
    const selected = selectMore(business.selection.ofType(set.type), [
      'lastModifiedDateTime',
      ...Object.keys(owner),
      ...(column ? [column] : []),
    ]);
    const orderBy = 'id' in owner ? null : [{ field: 'LAST_MODIFIED_DATE_TIME', direction: 'DESC' } as const];
    const query = business.compileListQuery(set, business.dialect, { orderBy }, owner);
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

/** An action of a record, as a call. */
const buildActionPart = (
  set: RecordSet,
  companyId: string,
  id: string,
  action: string,
  ifMatch: string,
): RecordPart => {
  const root = apiRoot(set.route);
  return {
    root,
    method: 'POST',
    url: `${recordPath(set, companyId, id).slice(root.length + 1)}/Microsoft.NAV.${action}`,
    headers: { 'if-match': ifMatch },
  };
};
