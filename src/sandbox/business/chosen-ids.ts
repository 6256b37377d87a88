import { badRequest } from '../refusal.ts';
import type { Dialect, DialectName } from './dialect.ts';
import { duplicateKey } from './dialect.ts';
import type { RecordSet, Value } from './records.ts';
import { unsetGuid } from './records.ts';
import type { Company, Store } from './store.ts';
import { newGuid, recordsOf } from './store.ts';

const creatableSets = ['customers', 'items', 'employees', 'salesOrders', 'salesQuotes'] as const;
const policies = ['honour', 'drop', 'refuse'] as const;

type CreatableSet = (typeof creatableSets)[number];

/** What becomes of an `id` in a POST: it is kept, another one is given, or the POST is refused. */
export type ChosenIdPolicy = (typeof policies)[number];

/** The policy of each set that can be created. */
export type ChosenIds = Readonly<Record<CreatableSet, ChosenIdPolicy>>;

/** One policy for all sets, or those that differ from the dialect's own. */
export type ChosenIdOption = ChosenIdPolicy | Partial<ChosenIds>;

/** What a record is created in and under. */
export interface Creation {
  readonly store: Store;
  readonly company: Company;
  readonly dialect: Dialect;
  readonly chosenIds: ChosenIds;
}

/**
 * The policies of a sandbox. The real service keeps the ids of master records and drops those of
 * orders and quotes without a word (gap: see docs/upstream.md).
 */
export function chosenIdsOf(option: ChosenIdOption = {}, dialect: DialectName = 'document'): ChosenIds {
  const ofDocuments = dialect === 'dynamics' ? 'drop' : 'honour';
  const own: ChosenIds = {
    customers: 'honour',
    items: 'honour',
    employees: 'honour',
    salesOrders: ofDocuments,
    salesQuotes: ofDocuments,
  };
  if (typeof option !== 'string') return { ...own, ...option };
  return { customers: option, items: option, employees: option, salesOrders: option, salesQuotes: option };
}

/** Reads policies from their JSON form, `{"customers": "drop"}`; throws a `Refusal` that names the mistake. */
export function readChosenIds(json: Readonly<Record<string, unknown>>): Partial<ChosenIds> {
  for (const [set, policy] of Object.entries(json)) {
    if (!creatableSets.some((one) => one === set))
      throw badRequest(`'${set}' is not created; ${creatableSets.join(', ')} are.`);
    if (!policies.some((one) => one === policy))
      throw badRequest(`Chosen ids of ${set} can be ${policies.join(', ')}, not ${JSON.stringify(policy)}.`);
  }
  return json;
}

/** The read-only fields that a POST may hold all the same. */
export function writableOnCreate({ chosenIds }: Creation, set: RecordSet): readonly string[] {
  return policyOf(chosenIds, set) === 'refuse' ? [] : ['id'];
}

/** The id of a new record: the one its caller chose, unless those of the set are dropped. */
export function idOfNew(creation: Creation, set: RecordSet, chosen: Value | undefined): string {
  const { company, dialect, chosenIds } = creation;
  const isDropped = policyOf(chosenIds, set) === 'drop';
  if (chosen === undefined || chosen === unsetGuid || isDropped) return newGuid(company, set.name);
  if (recordsOf(company, set.name).has(String(chosen))) {
    throw duplicateKey(dialect, set, `SystemId='${chosen}'`);
  }
  return String(chosen);
}

function policyOf(chosenIds: ChosenIds, set: RecordSet): ChosenIdPolicy {
  return chosenIds[set.name as CreatableSet];
}
