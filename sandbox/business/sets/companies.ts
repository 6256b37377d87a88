import { derivedGuid } from '../../seeded.ts';
import {
  type EntitySet,
  entitySet,
  fieldsOf,
  postalAddress,
  type SeedContext,
  type SeedRecord,
} from '../entity-set.ts';
import { idOf } from '../store.ts';

export const companies: EntitySet = entitySet('companies', 'company', {
  fields: fieldsOf(`
    id guid readonly, systemVersion text 250 readonly, timestamp integer readonly,
    name text 30 readonly, displayName text 250 readonly, businessProfileId text 250 readonly,
    systemCreatedAt dateTime, systemCreatedBy guid readonly, systemModifiedAt dateTime,
    systemModifiedBy guid readonly
  `),
  hasEtag: false,
  hasAddress: false,
});

/** One record for each company, as the real service has it. The document does not name it (gap: see docs/upstream.md). */
export const companyInformation: EntitySet = entitySet('companyInformation', 'companyInformation', {
  fields: fieldsOf(`
    id guid readonly, displayName text 100, ${postalAddress}, phoneNumber text 30, faxNumber text 30,
    email text 80, website text 80, taxRegistrationNumber text 50 computed,
    currencyCode code 10 readonly computed, currentFiscalYearStartDate date readonly computed,
    industry text 30, experience text 30 computed, lastModifiedDateTime dateTime
  `),
  isSubscribable: true,
  writes: ['PATCH'],
  files: ['logo'],
  seed: { counts: [1, 1], record: seedInformation },
});

function seedInformation({ company }: SeedContext): SeedRecord {
  const isDanish = company.localCurrency === 'DKK';
  const values = {
    id: derivedGuid(`${idOf(company.record)}:companyInformation`),
    displayName: company.record.values.displayName ?? '',
    addressLine1: isDanish ? 'Havnegade 12' : '40 Harbour Road',
    city: isDanish ? 'Aarhus' : 'Portland',
    state: isDanish ? '' : 'ME',
    country: isDanish ? 'DK' : 'US',
    postalCode: isDanish ? '8000' : '04101',
    phoneNumber: isDanish ? '+45 5550 0100' : '+1 555 0100',
    email: 'office@company.example',
    website: 'https://company.example',
    taxRegistrationNumber: isDanish ? 'DK55500100' : '55-5001000',
    currencyCode: company.localCurrency,
    currentFiscalYearStartDate: '2025-01-01',
    industry: 'Furniture',
    experience: 'Premium',
    lastModifiedDateTime: '2024-11-04T08:00:00.000Z',
  };
  return { values };
}
