import { customers, employees } from '../business/record-sets.ts';
import type { Value, Values } from '../business/records.ts';
import { blankValues, notBlocked, unsetDate } from '../business/records.ts';
import { withReferences } from '../business/references.ts';
import type { Company, Store, StoredRecord } from '../business/store.ts';
import { idOf, recordsOf } from '../business/store.ts';
import { rounded } from '../business/totals.ts';
import { fullName } from '../business/value-checks.ts';
import type { Random } from '../seeded.ts';
import { at, derivedGuid } from '../seeded.ts';
import { firstWords, givenNames, jobTitles, places, secondWords, streets, surnames } from './words.ts';

/** Names that try a caller's quoting and encoding; the index is the customer's place in the number series. */
const specialNames: Readonly<Record<number, string>> = {
  7: "O'Dwyer & Sons Outfitters",
  11: 'Håkansson Möbler',
};

/** One customer of the number series, C10000 first. */
export function seedCustomer(store: Store, company: Company, index: number, random: Random): void {
  const isPerson = index % 9 === 4;
  const displayName = specialNames[index] ?? (isPerson ? personName(index) : companyName(index));
  const host = displayName
    .normalize('NFD')
    .toLowerCase()
    .replaceAll(/[^a-z]+/g, '-');
  const pick = (set: string) => idOf(random.pick(seededRecords(company, set)));
  const currency =
    index % 8 === 3 ? { currencyId: pick('currencies') } : { currencyCode: company.localCurrency };
  const given: Record<string, Value> = {
    ...currency,
    taxAreaId: pick('taxAreas'),
    paymentTermsId: pick('paymentTerms'),
    ...(random.oneIn(3) ? {} : { shipmentMethodId: pick('shipmentMethods') }),
    ...(random.oneIn(3) ? {} : { paymentMethodId: pick('paymentMethods') }),
  };
  store.add(company, customers.name, {
    ...blankValues(customers),
    ...addressLines(index, random),
    ...withReferences(customers, given, company),
    id: derivedGuid(`${idOf(company.record)}:customers:${index}`),
    number: `C${10_000 + index * 10}`,
    displayName,
    type: isPerson ? 'Person' : 'Company',
    phoneNumber: random.oneIn(4) ? '' : `+1 555 ${1000 + index}`,
    email: random.oneIn(6) ? '' : `orders@${host}.example`,
    website: isPerson || random.oneIn(3) ? '' : `https://${host}.example`,
    salespersonCode: random.pick(['AB', 'JK', 'MO', '']),
    balanceDue: random.oneIn(3) ? 0 : rounded(random.between(0, 900_000) / 100),
    creditLimit: random.oneIn(2) ? 0 : random.between(1, 40) * 500,
    taxLiable: !random.oneIn(4),
    taxRegistrationNumber: isPerson ? '' : `TR${100_000 + index * 7}`,
    blocked: at([notBlocked, 'Ship', 'Invoice', 'All'], index % 15 < 12 ? 0 : (index % 15) - 11),
    lastModifiedDateTime: seededTime(index),
  });
}

/** One employee of the number series, E001 first. */
export function seedEmployee(store: Store, company: Company, index: number, random: Random): void {
  const status = at(['Active', 'Active', 'Active', 'Inactive', 'Active', 'Terminated'], index);
  const names = { givenName: at(givenNames, index), surname: at(surnames, index * 3) };
  store.add(company, employees.name, {
    ...blankValues(employees),
    ...addressLines(index, random),
    ...names,
    id: derivedGuid(`${idOf(company.record)}:employees:${index}`),
    number: `E${String(index + 1).padStart(3, '0')}`,
    displayName: fullName(names),
    middleName: random.oneIn(3) ? random.pick(givenNames) : '',
    jobTitle: at(jobTitles, index),
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
  });
}

const listed = new WeakMap<ReadonlyMap<string, StoredRecord>, StoredRecord[]>();

/** The records of a set that is complete, as a list; seeding asks for it once per line of every order. */
export function seededRecords(company: Company, set: string): readonly StoredRecord[] {
  const records = recordsOf(company, set);
  const known = listed.get(records) ?? [...records.values()];
  listed.set(records, known);
  return known;
}

/** A time in 2025 for the n-th record of a set; every fifth shares it with its predecessor. */
export function seededTime(index: number): string {
  const step = index % 5 === 4 ? index - 1 : index;
  return new Date(Date.UTC(2025, 0, 6, 7, 30) + step * 5_431_777).toISOString();
}

/** A day in the given years. */
function dateIn(random: Random, firstYear: number, lastYear: number): string {
  const month = String(random.between(1, 12)).padStart(2, '0');
  const day = String(random.between(1, 28)).padStart(2, '0');
  return `${random.between(firstYear, lastYear)}-${month}-${day}`;
}

function companyName(index: number): string {
  return `${at(firstWords, index)} ${at(secondWords, index + Math.floor(index / firstWords.length))}`;
}

function personName(index: number): string {
  return `${at(givenNames, index)} ${at(surnames, index + Math.floor(index / givenNames.length))}`;
}

function addressLines(index: number, random: Random): Values {
  const [city, state, country, postalPrefix] = at(places, index * 3 + 1);
  return {
    addressLine1: `${random.between(1, 240)} ${random.pick(streets)}`,
    addressLine2: random.oneIn(4) ? `Unit ${random.between(1, 30)}` : '',
    city,
    state,
    country,
    postalCode: `${postalPrefix}${random.between(10, 99)}`,
  };
}
