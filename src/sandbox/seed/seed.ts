import type { Values } from '../business/records.ts';
import type { Store } from '../business/store.ts';
import { createStore } from '../business/store.ts';
import { createRandom, derivedGuid } from '../seeded.ts';
import { seedItem, seedOrder } from './goods.ts';
import { seedCustomer, seedEmployee } from './people.ts';
import { seedReferenceSets } from './reference.ts';

interface Plan {
  readonly id: string;
  readonly name: string;
  readonly displayName: string;
  readonly localCurrency: string;
  readonly customers: number;
  readonly items: number;
  readonly orders: number;
  readonly employees: number;
}

/** The company used when none is named. */
export const sandboxCompanyId: string = derivedGuid('company:0');

/** Records to show things with: they are there after every start. */
export const sandboxExamples = {
  customerId: derivedGuid(`${sandboxCompanyId}:customers:0`),
  itemId: derivedGuid(`${sandboxCompanyId}:items:0`),
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
  },
];

let seeded: Store | undefined;

/** A store filled with the same records, ids and entity tags every time; all but the first are copies. */
export function createSeededStore(): Store {
  seeded ??= seedStore();
  return seeded.copy();
}

function seedStore(): Store {
  const store = createStore();
  for (const [index, plan] of plans.entries()) seedCompany(store, plan, index);
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
