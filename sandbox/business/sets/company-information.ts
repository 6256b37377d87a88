import { derivedGuid } from '../../seeded.ts';
import type { EntitySet, SeedContext, SeedRecord } from '../entity-set.ts';
import {
  codeField,
  computed,
  dateField,
  dateTimeField,
  entitySet,
  guidField,
  readOnly,
  textField,
} from '../entity-set.ts';
import { idOf } from '../store.ts';

/** One record for each company, as the real service has it. The document does not name it (gap: see docs/upstream.md). */
export const companyInformation: EntitySet = entitySet(
  'companyInformation',
  'companyInformation',
  [
    guidField('id', readOnly),
    textField('displayName', 100),
    textField('addressLine1', 100),
    textField('addressLine2', 50),
    textField('city', 30),
    textField('state', 30),
    codeField('country', 10),
    codeField('postalCode', 20),
    textField('phoneNumber', 30),
    textField('faxNumber', 30),
    textField('email', 80),
    textField('website', 80),
    textField('taxRegistrationNumber', 50, computed),
    codeField('currencyCode', 10, { ...readOnly, ...computed }),
    dateField('currentFiscalYearStartDate', { ...readOnly, ...computed }),
    textField('industry', 30),
    textField('experience', 30, computed),
    dateTimeField('lastModifiedDateTime'),
  ],
  {
    isSubscribable: true,
    writes: ['PATCH'],
    files: ['logo'],
    seed: { counts: [1, 1], record: seedInformation },
  },
);

function seedInformation({ company }: SeedContext): SeedRecord {
  const isDanish = company.localCurrency === 'DKK';
  const values = {
    id: derivedGuid(`${idOf(company.record)}:companyInformation`),
    displayName: company.record.values.displayName ?? '',
    addressLine1: isDanish ? 'Havnegade 12' : '40 Harbour Road',
    addressLine2: '',
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
