import { businessRuleError, invalidRelationError } from '../../api-error.ts';
import { addressLines, seededRecords, seededTime } from '../../seed/values.ts';
import { secondWords, surnames, woods } from '../../seed/words.ts';
import { derivedGuid, elementAt } from '../../seeded.ts';
import type { EntitySet, SeedContext, SeedRecord } from '../entity-set.ts';
import {
  booleanField,
  choiceField,
  codeField,
  computed,
  dateTimeField,
  decimalField,
  entitySet,
  guidField,
  readOnly,
  textField,
} from '../entity-set.ts';
import { currencyReference, paymentTermsReference } from '../reference-fields.ts';
import { resolveReferences } from '../references.ts';
import { idOf } from '../store.ts';
import type { FieldValue, RecordValues } from '../values.ts';
import { notBlocked } from '../values.ts';
import { isCountry } from '../writes/countries.ts';
import { templateOf } from '../writes/create-defaults.ts';

/** Vendors of the real service. Their orders are a relation in the document's dialect alone: the service has none. */
export const vendors: EntitySet = entitySet(
  'vendors',
  'vendor',
  [
    guidField('id', readOnly),
    codeField('number', 20),
    textField('displayName', 100),
    textField('addressLine1', 100),
    textField('addressLine2', 50),
    textField('city', 30),
    textField('state', 30),
    codeField('country', 10),
    codeField('postalCode', 20),
    textField('phoneNumber', 30),
    textField('email', 80),
    textField('website', 80),
    textField('taxRegistrationNumber', 50, computed),
    guidField('currencyId'),
    codeField('currencyCode', 10, computed),
    codeField('irs1099Code', 10, computed),
    guidField('paymentTermsId'),
    guidField('paymentMethodId'),
    booleanField('taxLiable'),
    choiceField('blocked', [notBlocked, 'Payment', 'All']),
    decimalField('balance', readOnly),
    dateTimeField('lastModifiedDateTime'),
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
