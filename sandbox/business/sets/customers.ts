import { elementAt } from '../../seeded.ts';
import {
  currencyReference,
  paymentMethodReference,
  paymentTermsReference,
  shipmentMethodReference,
  termNavigations,
} from '../documents/document-fields.ts';
import { roundAmount } from '../documents/totals.ts';
import type { EntitySet, FieldValue, SeedContext, SeedRecord } from '../entity-set.ts';
import { entitySet, fieldsOf, notBlocked, postalAddress } from '../entity-set.ts';
import { resolveReferences, templateOf } from '../references.ts';
import { addressLines, seededRecords, seededTime } from '../seed/values.ts';
import { firstWords, givenNames, secondWords, surnames } from '../seed/words.ts';
import { idOf } from '../store.ts';
import { masterRules } from '../writes/field-values.ts';

/** A1, and the three fields the real service adds to it. */
export const customers: EntitySet = entitySet('customers', 'customer', {
  fields: fieldsOf(`
    id guid readonly, number code 20, displayName text 100, type [Company|Person|Public Body],
    ${postalAddress}, phoneNumber text 30, email text 80, website text 255, salespersonCode code 20,
    balanceDue decimal readonly, creditLimit decimal, taxLiable boolean, taxAreaId guid,
    taxAreaDisplayName text 100 readonly computed, taxRegistrationNumber text 50 computed,
    currencyId guid, currencyCode code 10 computed, paymentTermsId guid, shipmentMethodId guid,
    paymentMethodId guid, blocked [ |Ship|Invoice|All], lastModifiedDateTime dateTime
  `),
  navigations: [
    ...termNavigations,
    { name: 'paymentMethod', target: 'paymentMethods', from: 'paymentMethodId' },
    { name: 'customerFinancialDetail', target: 'customerFinancialDetails', from: 'id' },
    { name: 'agedAccountsReceivable', target: 'agedAccountsReceivables', from: 'id' },
  ],
  references: [
    currencyReference,
    paymentTermsReference,
    shipmentMethodReference,
    paymentMethodReference,
    {
      idField: 'taxAreaId',
      target: 'taxAreas',
      copies: { taxAreaDisplayName: 'displayName' },
      caption: 'Tax Area',
    },
  ],
  isSubscribable: true,
  files: ['picture'],
  writes: ['POST', 'PATCH', 'DELETE'],
  numberSeries: { name: 'CUST', prefix: 'C', first: 10_000, step: 10, digits: 5, isManual: true },
  createDefaults: templateOf([
    ['taxAreaId', 'taxAreas', 'COAST'],
    ['currencyId', 'currencies', ''],
    ['paymentTermsId', 'paymentTerms', '30D'],
    ['shipmentMethodId', 'shipmentMethods', 'EXW'],
  ]),
  validate: masterRules('Customer'),
  seed: { counts: [300, 100], record: seedCustomer },
});

/** Names that need quoting or encoding, by the index of the customer. */
const specialNames: Readonly<Record<number, string>> = {
  7: "O'Dwyer & Sons Outfitters",
  11: 'Håkansson Möbler',
};

function seedCustomer({ set, company, random }: SeedContext, index: number): SeedRecord {
  const isPerson = index % 9 === 4;
  const displayName = specialNames[index] ?? (isPerson ? personName(index) : companyName(index));
  const host = displayName
    .normalize('NFD')
    .toLowerCase()
    .replaceAll(/[^a-z]+/g, '-');
  const pick = (set: string) => idOf(random.pick(seededRecords(company, set)));
  const currency =
    index % 8 === 3 ? { currencyId: pick('currencies') } : { currencyCode: company.localCurrency };
  const given: Record<string, FieldValue> = {
    ...currency,
    taxAreaId: pick('taxAreas'),
    paymentTermsId: pick('paymentTerms'),
    ...(random.oneIn(3) ? {} : { shipmentMethodId: pick('shipmentMethods') }),
    ...(random.oneIn(3) ? {} : { paymentMethodId: pick('paymentMethods') }),
  };
  const values = {
    ...addressLines(index, random),
    ...resolveReferences(set, given, company),
    displayName,
    type: isPerson ? 'Person' : 'Company',
    phoneNumber: random.oneIn(4) ? '' : `+1 555 ${1000 + index}`,
    email: random.oneIn(6) ? '' : `orders@${host}.example`,
    website: isPerson || random.oneIn(3) ? '' : `https://${host}.example`,
    salespersonCode: random.pick(['AB', 'JK', 'MO', '']),
    balanceDue: random.oneIn(3) ? 0 : roundAmount(random.between(0, 900_000) / 100),
    creditLimit: random.oneIn(2) ? 0 : random.between(1, 40) * 500,
    taxLiable: !random.oneIn(4),
    taxRegistrationNumber: isPerson ? '' : `TR${100_000 + index * 7}`,
    blocked: elementAt([notBlocked, 'Ship', 'Invoice', 'All'], index % 15 < 12 ? 0 : (index % 15) - 11),
    lastModifiedDateTime: seededTime(index),
  };
  return { values };
}

function companyName(index: number): string {
  return `${elementAt(firstWords, index)} ${elementAt(secondWords, index + Math.floor(index / firstWords.length))}`;
}

function personName(index: number): string {
  return `${elementAt(givenNames, index)} ${elementAt(surnames, index + Math.floor(index / givenNames.length))}`;
}
