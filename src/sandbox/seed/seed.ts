import { startSeries } from '../business/number-series.ts';
import type { Values } from '../business/records.ts';
import type { Company, Store } from '../business/store.ts';
import { createStore } from '../business/store.ts';
import { place } from '../instances/instances.ts';
import { numberFrom } from '../json.ts';
import { createRandom, derivedGuid } from '../seeded.ts';
import { seedItem, seedOrder } from './goods.ts';
import { seedCustomer, seedEmployee, seededRecords } from './people.ts';
import { seedQuote } from './quotes.ts';
import { seedReferenceSets } from './reference.ts';

/** How many records of each kind a company is seeded with. */
interface Counts {
  readonly customers: number;
  readonly items: number;
  readonly orders: number;
  readonly employees: number;
  readonly quotes: number;
}

/** Counts that replace the usual ones of the first company. */
export type RecordCounts = Partial<Counts>;

interface Plan extends Counts {
  readonly id: string;
  readonly name: string;
  readonly displayName: string;
  readonly localCurrency: string;
}

/** The company used when none is named. */
export const sandboxCompanyId: string = derivedGuid('company:0');

/** What to show things with: it is there after every start. */
export const sandboxExamples = {
  customerId: derivedGuid(`${sandboxCompanyId}:customers:0`),
  itemId: derivedGuid(`${sandboxCompanyId}:items:0`),
  instance: {
    subscriptionId: place.subscription,
    resourceGroupName: place.group,
    virtualInstanceName: place.virtualInstance,
    applicationInstanceName: 'app01',
  },
};

const plans: readonly Plan[] = [
  {
    id: sandboxCompanyId,
    name: 'Harbour & Heath',
    displayName: 'Harbour & Heath Furnishing Co.',
    localCurrency: 'USD',
    customers: 300,
    items: 120,
    orders: 240,
    employees: 40,
    quotes: 60,
  },
  {
    id: derivedGuid('company:1'),
    name: 'Fjordlys',
    displayName: 'Fjordlys Møbelhus',
    localCurrency: 'DKK',
    customers: 100,
    items: 40,
    orders: 80,
    employees: 13,
    quotes: 20,
  },
];

/** A price of more digits than a double holds, and the place of the item that has it. */
const longPrice = { digits: '1234567890123456.789', index: 11 };

const seeded = new Map<string, Store>();

/**
 * A store filled with the same records, ids and entity tags every time the same counts are asked for;
 * all but the first are copies.
 */
export function createSeededStore(records: RecordCounts = {}): Store {
  const key = JSON.stringify(records);
  const known = seeded.get(key) ?? seedStore(records);
  seeded.set(key, known);
  return known.copy();
}

function seedStore(records: RecordCounts): Store {
  const store = createStore();
  for (const [index, plan] of plans.entries()) {
    seedCompany(store, index === 0 ? { ...plan, ...records } : plan, index);
  }
  return store;
}

function seedCompany(store: Store, plan: Plan, index: number): void {
  const random = createRandom(2_025 + index);
  const company = store.addCompany(companyValues(plan, index), plan.localCurrency);
  seedReferenceSets(store, company);
  for (let n = 0; n < plan.customers; n += 1) seedCustomer(store, company, n, random);
  for (let n = 0; n < plan.items; n += 1) seedItem(store, company, n, random);
  for (let n = 0; n < plan.orders; n += 1) seedOrder(store, company, n, random);
  for (let n = 0; n < plan.employees; n += 1) seedEmployee(store, company, n, random);
  for (let n = 0; n < plan.quotes; n += 1) seedQuote(store, company, n, random);
  if (index === 0) raisePrice(company);
  startSeries(company);
}

/** Comes last, so that what was sold before has amounts that can be reckoned with. */
function raisePrice(company: Company): void {
  const item = seededRecords(company, 'items')[longPrice.index];
  if (item) item.values = { ...item.values, unitPrice: numberFrom(longPrice.digits) };
}

function companyValues(plan: Plan, index: number): Values {
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
