import { isOneOf, type JsonCheck } from '../../json-checks.ts';
import { type Dialect, type DialectName, duplicateKeyError } from '../dialect.ts';
import { type Company, type EntitySet, type FieldValue, unsetGuid } from '../entity-set.ts';
import { entitySets } from '../entity-sets.ts';
import { newRecordGuid, recordsOf, type Store } from '../store.ts';

const policies = ['honour', 'drop', 'refuse'] as const;

/** What happens to an `id` in a POST: it is used, replaced by another, or the POST is rejected. */
export type ClientIdPolicy = (typeof policies)[number];

/** The policy of each set that has creates, by its name. */
export type ClientIdPolicies = Readonly<Record<string, ClientIdPolicy>>;

/** One policy for all sets, or the policies that differ from the default of the dialect. */
export type ClientIdOption = ClientIdPolicy | Partial<ClientIdPolicies>;

/** What records are written in. */
export interface WriteData {
  readonly store: Store;
  readonly dialect: Dialect;
  readonly clientIds: ClientIdPolicies;
}

/** The same for a record of a company. */
export type CreateContext = WriteData & { readonly company: Company };

const creatableSets = entitySets.filter(({ writes }) => writes.includes('POST'));

/**
 * The policies of a sandbox. The real service uses the ids of master records, and silently drops those of
 * orders and quotes (gap: see docs/upstream.md).
 */
export function resolveClientIdPolicies(
  option: ClientIdOption = {},
  dialect: DialectName = 'document',
): ClientIdPolicies {
  const policyFor = (set: EntitySet): ClientIdPolicy => {
    if (typeof option === 'string') return option;
    return option[set.name] ?? (set.document && dialect === 'dynamics' ? 'drop' : 'honour');
  };
  return Object.fromEntries(creatableSets.map((set) => [set.name, policyFor(set)]));
}

/** The checks of policies such as `{"customers": "drop"}`. */
export const clientIdChecks: Readonly<Record<string, JsonCheck<ClientIdPolicy>>> = Object.fromEntries(
  creatableSets.map(({ name }) => [name, isOneOf(...policies)]),
);

/** The read-only fields that a POST may nevertheless contain. */
export function writableOnCreate({ clientIds }: CreateContext, set: EntitySet): readonly string[] {
  return clientIds[set.name] === 'refuse' ? [] : ['id'];
}

/** The id of a new record: the client's, unless the policy of the set drops it. */
export function newRecordId(
  context: CreateContext,
  set: EntitySet,
  clientId: FieldValue | undefined,
): string {
  const { company, dialect, clientIds } = context;
  const isDropped = clientIds[set.name] === 'drop';
  if (clientId === undefined || clientId === unsetGuid || isDropped) return newRecordGuid(company, set.name);
  if (recordsOf(company, set.name).has(String(clientId))) {
    throw duplicateKeyError(dialect, set, `SystemId='${clientId}'`);
  }
  return String(clientId);
}
