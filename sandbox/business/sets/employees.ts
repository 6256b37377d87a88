import { elementAt } from '../../seeded.ts';
import type { EntitySet, RecordValues, SeedContext, SeedRecord } from '../entity-set.ts';
import { entitySet, fieldsOf, postalAddress, unsetDate } from '../entity-set.ts';
import { addressLines, dateIn, seededTime } from '../seed/values.ts';
import { givenNames, jobTitles, surnames } from '../seed/words.ts';

/** A5 and the bank fields of the real service. `displayName` is computed from the names and read-only. */
export const employees: EntitySet = entitySet('employees', 'employee', {
  fields: fieldsOf(`
    id guid readonly, number code 20, displayName text 100 readonly computed, givenName text 30,
    middleName text 30, surname text 30, jobTitle text 30, ${postalAddress}, phoneNumber text 30,
    mobilePhone text 30, email text 80, personalEmail text 80, employmentDate date,
    terminationDate date, status [Active|Inactive|Terminated], birthDate date,
    statisticsGroupCode code 10, bankBranchNumber text 20, bankAccountNumber text 30, iban text 50,
    lastModifiedDateTime dateTime
  `),
  isSubscribable: true,
  files: ['picture'],
  writes: ['POST', 'PATCH', 'DELETE'],
  numberSeries: { name: 'EMP', prefix: 'E', first: 1, step: 1, digits: 3, isManual: true },
  derive: (values) => ({ displayName: fullName(values) }),
  seed: { counts: [40, 13], record: seedEmployee },
});

/** The display name of an employee, without the middle name. */
function fullName(employee: RecordValues): string {
  return [employee.givenName, employee.surname].filter((name) => name !== '').join(' ');
}

function seedEmployee({ random }: SeedContext, index: number): SeedRecord {
  const status = elementAt(['Active', 'Active', 'Active', 'Inactive', 'Active', 'Terminated'], index);
  const names = { givenName: elementAt(givenNames, index), surname: elementAt(surnames, index * 3) };
  const values = {
    ...addressLines(index, random),
    ...names,
    displayName: fullName(names),
    middleName: random.oneIn(3) ? random.pick(givenNames) : '',
    jobTitle: elementAt(jobTitles, index),
    phoneNumber: `+1 555 ${7000 + index}`,
    mobilePhone: random.oneIn(2) ? '' : `+1 555 ${8000 + index}`,
    email: `e${index + 1}@staff.example`,
    personalEmail: random.oneIn(2) ? '' : `person${index + 1}@mail.example`,
    employmentDate: dateIn(random, 2010, 2022),
    terminationDate: status === 'Terminated' ? dateIn(random, 2023, 2025) : unsetDate,
    status,
    birthDate: random.oneIn(5) ? unsetDate : dateIn(random, 1962, 2001),
    statisticsGroupCode: random.pick(['', 'MONTH', 'HOURLY']),
    bankBranchNumber: random.oneIn(2) ? '' : String(random.between(1000, 9999)),
    bankAccountNumber: random.oneIn(2) ? '' : String(random.between(10_000_000, 99_999_999)),
    iban: random.oneIn(3) ? `DK${random.between(10, 99)}0040044${random.between(1_000_000, 9_999_999)}` : '',
    lastModifiedDateTime: seededTime(index * 3),
  };
  return { values };
}
