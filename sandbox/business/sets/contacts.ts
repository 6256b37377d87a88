import { elementAt } from '../../seeded.ts';
import type { EntitySet, SeedContext, SeedRecord } from '../entity-set.ts';
import { entitySet, fieldsOf, postalAddress, unsetDate } from '../entity-set.ts';
import { addressLines, seededRecords, seededTime } from '../seed/values.ts';
import { givenNames, jobTitles, surnames } from '../seed/words.ts';
import { masterRules } from '../writes/field-values.ts';
import { numberAt } from '../writes/number-series.ts';

const contactNumbers = { name: 'CONT', prefix: 'CT', first: 1, step: 1, digits: 6, isManual: true };

/** Contacts of the real service: companies, each with the number of the customer or vendor it is, and their people. */
export const contacts: EntitySet = entitySet('contacts', 'contact', {
  fields: fieldsOf(`
    id guid readonly, number code 20, type [Company|Person|Public Body], displayName text 100,
    jobTitle text 30, companyNumber code 20, companyName text 100, contactBusinessRelation
      [ |Customer|Vendor|Bank Account|Employee|None|Other|Multiple] readonly,
    ${postalAddress}, phoneNumber text 30, mobilePhoneNumber text 30, email text 80, website text 80,
    searchName code 100, privacyBlocked boolean, taxRegistrationNumber text 50 computed,
    lastInteractionDate date readonly, lastModifiedDateTime dateTime
  `),
  files: ['picture'],
  writes: ['POST', 'PATCH', 'DELETE'],
  numberSeries: contactNumbers,
  createDefaults: ({ displayName = '' }) => ({ searchName: String(displayName).toUpperCase() }),
  validate: masterRules('Contact'),
  seed: { counts: [48, 16], record: seedContact },
});

/** A company, then two of its people. */
function seedContact({ company, random }: SeedContext, index: number): SeedRecord {
  const employer = employerOf(company, index);
  const isPerson = index % 3 > 0;
  const displayName = isPerson
    ? `${elementAt(givenNames, index)} ${elementAt(surnames, index * 2)}`
    : String(employer.values.displayName);
  const values = {
    ...addressLines(index * 3 + 2, random),
    type: isPerson ? 'Person' : 'Company',
    displayName,
    jobTitle: isPerson ? elementAt(jobTitles, index) : '',
    companyNumber: numberAt(contactNumbers, index - (index % 3)),
    companyName: employer.values.displayName ?? '',
    contactBusinessRelation: isPerson ? 'None' : employer.relation,
    phoneNumber: random.oneIn(3) ? '' : `+1 555 ${6000 + index}`,
    mobilePhoneNumber: isPerson && random.oneIn(2) ? `+1 555 ${6500 + index}` : '',
    email: `contact${index + 1}@mail.example`,
    searchName: displayName.toUpperCase(),
    privacyBlocked: index % 11 === 7,
    taxRegistrationNumber: isPerson ? '' : `TR${300_000 + index}`,
    lastInteractionDate: random.oneIn(3) ? unsetDate : seededTime(index * 30).slice(0, 10),
    lastModifiedDateTime: seededTime(index * 5),
  };
  return { values };
}

/** The customer or vendor whose contact, or whose people's contacts, stand at an index. */
function employerOf(company: SeedContext['company'], index: number) {
  const group = Math.floor(index / 3);
  const [set, relation] = group % 2 === 0 ? ['customers', 'Customer'] : ['vendors', 'Vendor'];
  const { values } = elementAt(seededRecords(company, String(set)), Math.floor(group / 2));
  return { values, relation: String(relation) };
}
