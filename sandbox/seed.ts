import type { Company, RecordValues } from './business/entity-set.ts';
import { entitySets } from './business/entity-sets.ts';
import { seededId, seededRecords } from './business/seed/values.ts';
import { Store } from './business/store.ts';
import { blankValues } from './business/writes/field-values.ts';
import { initializeNumberSeries, numberAt } from './business/writes/number-series.ts';
import { sandboxLocation } from './instances/instance-address.ts';
import { parseNumber } from './json.ts';
import { createRandom, derivedGuid } from './seeded.ts';

/** How many records the first company has, by the name of the set. */
export type RecordCounts = Readonly<Record<string, number>>;

/** The company to use by default. */
export const sandboxCompanyId: string = derivedGuid('company:0');

/** Records and an instance that exist after every start. */
export const sandboxExamples = {
  customerId: derivedGuid(`${sandboxCompanyId}:customers:0`),
  itemId: derivedGuid(`${sandboxCompanyId}:items:0`),
  instance: {
    subscriptionId: sandboxLocation.subscription,
    resourceGroupName: sandboxLocation.group,
    virtualInstanceName: sandboxLocation.virtualInstance,
    applicationInstanceName: 'app01',
  },
};

const companyPlans = [
  {
    id: sandboxCompanyId,
    name: 'Harbour & Heath',
    displayName: 'Harbour & Heath Furnishing Co.',
    localCurrency: 'USD',
  },
  { id: derivedGuid('company:1'), name: 'Fjordlys', displayName: 'Fjordlys Møbelhus', localCurrency: 'DKK' },
];
type CompanyPlan = (typeof companyPlans)[number];

/** An item of the first company, by its index: its unitPrice has more digits than a double can hold. */
const longPrice = { digits: '1234567890123456.789', index: 11 };

const seeded = new Map<string, Store>();

/**
 * Creates a store with the seeded records. The same counts give the same records, ids and entity tags. Seeds
 * once per counts and returns copies.
 */
export function createSeededStore(records: RecordCounts = {}): Store {
  const key = JSON.stringify(records);
  const known = seeded.get(key) ?? seedStore(records);
  seeded.set(key, known);
  return known.copy();
}

function seedStore(records: RecordCounts): Store {
  const store = new Store();
  for (const [index, plan] of companyPlans.entries()) seedCompany(store, plan, index, records);
  return store;
}

function seedCompany(store: Store, plan: CompanyPlan, index: number, records: RecordCounts): void {
  const random = createRandom(2_025 + index);
  const company = store.addCompany(companyValues(plan, index), plan.localCurrency);
  for (const set of entitySets) {
    const [first, others] = set.seed?.counts ?? [0, 0];
    const count = index === 0 ? (records[set.name] ?? first) : others;
    for (let n = 0; n < count; n += 1) {
      const record = set.seed?.record({ set, company, random }, n);
      const usual = {
        id: seededId(company, set.name, n),
        ...(set.numberSeries && { number: numberAt(set.numberSeries, n) }),
      };
      if (record)
        store.add(company, set.name, { ...blankValues(set), ...usual, ...record.values }, record.lines);
    }
  }
  if (index === 0) raisePrice(company);
  for (const set of entitySets) initializeNumberSeries(company, set);
}

/** Runs last, so that the amounts of seeded orders are doubles. */
function raisePrice(company: Company): void {
  const item = seededRecords(company, 'items')[longPrice.index];
  if (item) item.values = { ...item.values, unitPrice: parseNumber(longPrice.digits) };
}

function companyValues(plan: CompanyPlan, index: number): RecordValues {
  return {
    id: plan.id,
    systemVersion: '25.4.29661.29727',
    timestamp: 47_433 + index,
    name: plan.name,
    displayName: plan.displayName,
    businessProfileId: '',
    systemCreatedAt: '2024-01-08T09:00:00.000Z',
    systemCreatedBy: derivedGuid('user:0'),
    systemModifiedAt: '2024-11-04T08:00:00.000Z',
    systemModifiedBy: derivedGuid('user:0'),
  };
}
