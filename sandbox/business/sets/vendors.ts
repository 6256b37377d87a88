import { elementAt } from '../../seeded.ts';
import {
  currencyReference,
  paymentMethodReference,
  paymentTermsReference,
  termNavigations,
} from '../documents/document-fields.ts';
import type { EntitySet, FieldValue, SeedContext, SeedRecord } from '../entity-set.ts';
import { entitySet, fieldsOf, notBlocked, postalAddress } from '../entity-set.ts';
import { resolveReferences, templateOf } from '../references.ts';
import { addressLines, seededRecords, seededTime } from '../seed/values.ts';
import { secondWords, surnames, woods } from '../seed/words.ts';
import { idOf } from '../store.ts';
import { masterRules } from '../writes/field-values.ts';

/** Vendors of the real service. Their orders are a relation in the document's dialect alone: the service has none. */
export const vendors: EntitySet = entitySet('vendors', 'vendor', {
  fields: fieldsOf(`
    id guid readonly, number code 20, displayName text 100, ${postalAddress}, phoneNumber text 30,
    email text 80, website text 80, taxRegistrationNumber text 50 computed, currencyId guid,
    currencyCode code 10 computed, irs1099Code code 10 computed, paymentTermsId guid,
    paymentMethodId guid, taxLiable boolean, blocked [ |Payment|All], balance decimal readonly,
    lastModifiedDateTime dateTime
  `),
  navigations: [
    ...termNavigations.slice(0, 2),
    { name: 'paymentMethod', target: 'paymentMethods', from: 'paymentMethodId' },
    { name: 'purchaseOrders', target: 'purchaseOrders', by: 'vendorId', isOnlyInDocument: true },
  ],
  references: [currencyReference, paymentTermsReference, paymentMethodReference],
  isSubscribable: true,
  files: ['picture'],
  writes: ['POST', 'PATCH', 'DELETE'],
  numberSeries: { name: 'VEND', prefix: 'V', first: 10_000, step: 10, digits: 5, isManual: true },
  createDefaults: templateOf([
    ['currencyId', 'currencies', ''],
    ['paymentTermsId', 'paymentTerms', '30D'],
  ]),
  validate: masterRules('Vendor'),
  seed: { counts: [40, 15], record: seedVendor },
});

/** Names that need quoting or encoding, by the index of the vendor. */
const specialNames: Readonly<Record<number, string>> = { 3: "Dell'Orto & Figli", 6: 'Sägewerk Mühlbach' };

function seedVendor({ set, company, random }: SeedContext, index: number): SeedRecord {
  const trade = elementAt(secondWords, index * 3 + Math.floor(index / 5));
  const displayName = specialNames[index] ?? `${elementAt([...woods, ...surnames], index)} ${trade}`;
  const pick = (name: string) => idOf(random.pick(seededRecords(company, name)));
  const given: Record<string, FieldValue> = {
    ...(index % 6 === 2 ? { currencyId: pick('currencies') } : { currencyCode: company.localCurrency }),
    paymentTermsId: pick('paymentTerms'),
    ...(random.oneIn(3) ? {} : { paymentMethodId: pick('paymentMethods') }),
  };
  const values = {
    ...addressLines(index * 2 + 1, random),
    ...resolveReferences(set, given, company),
    displayName,
    phoneNumber: random.oneIn(4) ? '' : `+1 555 ${4000 + index}`,
    email: random.oneIn(5) ? '' : `sales${index}@vendor.example`,
    website: random.oneIn(3) ? '' : `https://vendor${index}.example`,
    taxRegistrationNumber: `VR${200_000 + index * 11}`,
    irs1099Code: index % 9 === 4 ? 'MISC-07' : '',
    taxLiable: !random.oneIn(3),
    balance: index % 3 === 0 ? 0 : index * 125.5,
    blocked: elementAt([notBlocked, 'Payment', 'All'], index % 13 < 11 ? 0 : (index % 13) - 10),
    lastModifiedDateTime: seededTime(index * 2),
  };
  return { values };
}
