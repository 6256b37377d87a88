import { businessRuleError, invalidRelationError } from '../../api-error.ts';
import { addressLines, seededRecords, seededTime } from '../../seed/values.ts';
import { secondWords, surnames, woods } from '../../seed/words.ts';
import { derivedGuid, elementAt } from '../../seeded.ts';
import { currencyReference, paymentTermsReference } from '../documents/document-fields.ts';
import type { EntitySet, FieldValue, RecordValues, SeedContext, SeedRecord } from '../entity-set.ts';
import { choiceField, entitySet, fieldsOf, notBlocked } from '../entity-set.ts';
import { resolveReferences, templateOf } from '../references.ts';
import { idOf } from '../store.ts';
import { isCountry } from '../writes/field-values.ts';

/** Vendors of the real service. Their orders are a relation in the document's dialect alone: the service has none. */
export const vendors: EntitySet = entitySet(
  'vendors',
  'vendor',
  [
    ...fieldsOf(`
      id guid readonly, number code 20, displayName text 100, addressLine1 text 100,
      addressLine2 text 50, city text 30, state text 30, country code 10, postalCode code 20,
      phoneNumber text 30, email text 80, website text 80, taxRegistrationNumber text 50 computed,
      currencyId guid, currencyCode code 10 computed, irs1099Code code 10 computed,
      paymentTermsId guid, paymentMethodId guid, taxLiable boolean
    `),
    choiceField('blocked', [notBlocked, 'Payment', 'All']),
    ...fieldsOf('balance decimal readonly, lastModifiedDateTime dateTime'),
  ],
  {
    navigations: [
      { name: 'currency', target: 'currencies', from: 'currencyId' },
      { name: 'paymentTerm', target: 'paymentTerms', from: 'paymentTermsId' },
      { name: 'paymentMethod', target: 'paymentMethods', from: 'paymentMethodId' },
      { name: 'purchaseOrders', target: 'purchaseOrders', by: 'vendorId', isOnlyInDocument: true },
    ],
    references: [
      currencyReference,
      paymentTermsReference,
      { idField: 'paymentMethodId', target: 'paymentMethods', caption: 'Payment Method' },
    ],
    isSubscribable: true,
    files: ['picture'],
    writes: ['POST', 'PATCH', 'DELETE'],
    numberSeries: { name: 'VEND', prefix: 'V', first: 10_000, step: 10, digits: 5, isManual: true },
    createDefaults: templateOf([
      ['currencyId', 'currencies', ''],
      ['paymentTermsId', 'paymentTerms', '30D'],
    ]),
    validate: validateVendor,
    inDocuments: {
      caption: 'Vendor',
      location: 'header',
      numberFields: { vendorId: ['vendorNumber'], payToVendorId: ['payToVendorNumber'] },
      phrase: 'for this vendor',
    },
    seed: { counts: [40, 15], record: seedVendor },
  },
);

function validateVendor(values: RecordValues, isNew: boolean): void {
  const { country = '', displayName = isNew ? '' : undefined } = values;
  if (displayName === '') throw businessRuleError('A "displayName" must be provided.');
  if (country !== '' && !isCountry(String(country)))
    throw invalidRelationError('Country/Region Code', 'Vendor', String(country), 'Country/Region');
}

/** Names that need quoting or encoding, by the index of the vendor. */
const specialNames: Readonly<Record<number, string>> = { 3: "Dell'Orto & Figli", 6: 'Sägewerk Mühlbach' };

/** One vendor of the number series, V10000 first. */
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
    id: derivedGuid(`${idOf(company.record)}:vendors:${index}`),
    number: `V${10_000 + index * 10}`,
    displayName,
    phoneNumber: random.oneIn(4) ? '' : `+1 555 ${4000 + index}`,
    email: random.oneIn(5) ? '' : `sales${index}@vendor.example`,
    website: random.oneIn(3) ? '' : `https://vendor${index}.example`,
    taxRegistrationNumber: `VR${200_000 + index * 11}`,
    irs1099Code: index % 9 === 4 ? 'MISC-07' : '',
    taxLiable: !random.oneIn(3),
    blocked: elementAt([notBlocked, 'Payment', 'All'], index % 13 < 11 ? 0 : (index % 13) - 10),
    lastModifiedDateTime: seededTime(index * 2),
  };
  return { values };
}
