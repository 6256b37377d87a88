import { businessRuleError, invalidRelationError } from '../../api-error.ts';
import { addressLines, seededRecords, seededTime } from '../../seed/values.ts';
import { givenNames, jobTitles, surnames } from '../../seed/words.ts';
import { derivedGuid, elementAt } from '../../seeded.ts';
import type { EntitySet, RecordValues, SeedContext, SeedRecord } from '../entity-set.ts';
import { choiceField, contactTypes, entitySet, fieldsOf, readOnly, unsetDate } from '../entity-set.ts';
import { idOf } from '../store.ts';
import { isCountry } from '../writes/field-values.ts';

/** Contacts of the real service: companies, each with the number of the customer or vendor it is, and their people. */
export const contacts: EntitySet = entitySet(
  'contacts',
  'contact',
  [
    ...fieldsOf('id guid readonly, number code 20'),
    choiceField('type', contactTypes),
    ...fieldsOf('displayName text 100, jobTitle text 30, companyNumber code 20, companyName text 100'),
    choiceField(
      'contactBusinessRelation',
      [' ', 'Customer', 'Vendor', 'Bank Account', 'Employee', 'None', 'Other', 'Multiple'],
      readOnly,
    ),
    ...fieldsOf(`
      addressLine1 text 100, addressLine2 text 50, city text 30, state text 30, country code 10,
      postalCode code 20, phoneNumber text 30, mobilePhoneNumber text 30, email text 80,
      website text 80, searchName code 100, privacyBlocked boolean,
      taxRegistrationNumber text 50 computed, lastInteractionDate date readonly,
      lastModifiedDateTime dateTime
    `),
  ],
  {
    files: ['picture'],
    writes: ['POST', 'PATCH', 'DELETE'],
    numberSeries: { name: 'CONT', prefix: 'CT', first: 1, step: 1, digits: 6, isManual: true },
    createDefaults: ({ displayName = '' }) => ({ searchName: String(displayName).toUpperCase() }),
    validate: validateContact,
    seed: { counts: [48, 16], record: seedContact },
  },
);

function validateContact({ country = '', displayName }: RecordValues, isNew: boolean): void {
  if (isNew && (displayName ?? '') === '') throw businessRuleError('A "displayName" must be provided.');
  if (country !== '' && !isCountry(String(country)))
    throw invalidRelationError('Country/Region Code', 'Contact', String(country), 'Country/Region');
}

/** One contact of the number series, CT000001 first: a company, then two of its people. */
function seedContact({ company, random }: SeedContext, index: number): SeedRecord {
  const employer = employerOf(company, index);
  const isPerson = index % 3 > 0;
  const displayName = isPerson
    ? `${elementAt(givenNames, index)} ${elementAt(surnames, index * 2)}`
    : String(employer.values.displayName);
  const values = {
    ...addressLines(index * 3 + 2, random),
    id: derivedGuid(`${idOf(company.record)}:contacts:${index}`),
    number: numberOf(index),
    type: isPerson ? 'Person' : 'Company',
    displayName,
    jobTitle: isPerson ? elementAt(jobTitles, index) : '',
    companyNumber: numberOf(index - (index % 3)),
    companyName: employer.values.displayName ?? '',
    contactBusinessRelation: isPerson ? 'None' : employer.relation,
    phoneNumber: random.oneIn(3) ? '' : `+1 555 ${6000 + index}`,
    mobilePhoneNumber: isPerson && random.oneIn(2) ? `+1 555 ${6500 + index}` : '',
    email: `contact${index + 1}@mail.example`,
    website: '',
    searchName: displayName.toUpperCase(),
    privacyBlocked: index % 11 === 7,
    taxRegistrationNumber: isPerson ? '' : `TR${300_000 + index}`,
    lastInteractionDate: random.oneIn(3) ? unsetDate : seededTime(index * 30).slice(0, 10),
    lastModifiedDateTime: seededTime(index * 5),
  };
  return { values };
}

const numberOf = (index: number) => `CT${String(index + 1).padStart(6, '0')}`;

/** The customer or vendor whose contact, or whose people's contacts, stand at an index. */
function employerOf(company: SeedContext['company'], index: number) {
  const group = Math.floor(index / 3);
  const [set, relation] = group % 2 === 0 ? ['customers', 'Customer'] : ['vendors', 'Vendor'];
  const { values } = elementAt(seededRecords(company, String(set)), Math.floor(group / 2));
  return { values, relation: String(relation) };
}
