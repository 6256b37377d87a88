import { businessRuleError } from '../../api-error.ts';
import {
  choiceField,
  type FieldValue,
  fieldsOf,
  type Navigation,
  type RecordReference,
  type RecordValues,
  type SetField,
  unsetGuid,
} from '../entity-set.ts';
import { type Company, findRecord, recordsOf } from '../store.ts';

/** Fields of the lines of orders and quotes. */
export function soldFields(...amounts: SetField[]): SetField[] {
  return [
    ...fieldsOf('id guid readonly, documentId guid readonly, lineNo integer'),
    // The real service has other types of lines too, for records that the sandbox does not have.
    choiceField('lineType', ['Item', 'Account', 'Comment']),
    ...fieldsOf(`
      itemNo code 20, itemId guid, accountId guid, description text 100, description2 text 50,
      unitOfMeasureId guid, unitOfMeasureCode code 10, quantity decimal, unitPrice decimal,
      discountAmount decimal, discountPercent decimal, discountAppliedBeforeTax boolean readonly,
      amountExcludingTax decimal readonly, taxCode code 50, taxPercent decimal readonly,
      totalTaxAmount decimal readonly, amountIncludingTax decimal readonly
    `),
    ...amounts,
    ...fieldsOf(`
      netAmount decimal readonly, netTaxAmount decimal readonly,
      netAmountIncludingTax decimal readonly
    `),
  ];
}

/** Fields of the lines of purchases, with the field of the price of a unit. */
export function boughtFields(priceField: 'directUnitCost' | 'unitCost'): SetField[] {
  return soldFields(...fieldsOf('invoiceDiscountAllocation decimal readonly')).map((field) => {
    if (field.name === 'unitPrice') return { ...field, name: priceField };
    const name = dynamicsLineNames[field.name];
    return name === undefined ? field : { ...field, name };
  });
}

export function lineNavigations(): Navigation[] {
  return [
    { name: 'item', target: 'items', from: 'itemId' },
    { name: 'account', target: 'accounts', from: 'accountId' },
    { name: 'unitOfMeasure', target: 'unitsOfMeasure', from: 'unitOfMeasureId' },
  ];
}

export function lineReferences(): RecordReference[] {
  return [
    { idField: 'itemId', codeField: 'itemNo', key: 'number', target: 'items', caption: 'Item' },
    { idField: 'accountId', target: 'accounts', caption: 'G/L Account' },
    referenceByCode('unitOfMeasure', 'unitsOfMeasure', 'Unit of Measure'),
  ];
}

/** The six fields of an address, with the document's prefix. */
export function addressFields(prefix: string, rules: '' | 'readonly' = ''): SetField[] {
  return fieldsOf(`
    ${prefix}AddressLine1 text 100 ${rules}, ${prefix}AddressLine2 text 50 ${rules}, ${prefix}City text 30 ${rules},
    ${prefix}Country code 10 ${rules}, ${prefix}State text 30 ${rules}, ${prefix}PostCode code 20 ${rules}
  `);
}

/** References of customers and orders to other records. */
export const currencyReference: RecordReference = referenceByCode('currency', 'currencies', 'Currency');
export const paymentTermsReference: RecordReference = {
  idField: 'paymentTermsId',
  target: 'paymentTerms',
  caption: 'Payment Terms',
};
export const shipmentMethodReference: RecordReference = {
  idField: 'shipmentMethodId',
  target: 'shipmentMethods',
  caption: 'Shipment Method',
};

/** References of an order or quote to its sell-to and bill-to customers. */
export const partyReferences: readonly RecordReference[] = [
  referenceByNumber('customer', 'customers', 'Customer'),
  referenceByNumber('billToCustomer', 'customers', 'Customer'),
];

/** References of a purchase to the vendor that sells, and the one that is paid. */
export const vendorReferences: readonly RecordReference[] = [
  referenceByNumber('vendor', 'vendors', 'Vendor'),
  referenceByNumber('payToVendor', 'vendors', 'Vendor'),
];

/** A required reference by the fields `…Id` and `…Number`. */
function referenceByNumber(stem: string, target: string, caption: string): RecordReference {
  const fields = { idField: `${stem}Id`, codeField: `${stem}Number`, key: 'number' };
  return { ...fields, target, caption, isRequired: true };
}

const termNavigations: readonly Navigation[] = [
  { name: 'currency', target: 'currencies', from: 'currencyId' },
  { name: 'paymentTerm', target: 'paymentTerms', from: 'paymentTermsId' },
  { name: 'shipmentMethod', target: 'shipmentMethods', from: 'shipmentMethodId' },
];

/** Navigations of a purchase, except those to its lines. */
export const purchaseNavigations: readonly Navigation[] = [
  { name: 'vendor', target: 'vendors', from: 'vendorId' },
  ...termNavigations,
];

/** Navigations of an order or quote, except those to its lines. */
export const headerNavigations: readonly Navigation[] = [
  { name: 'customer', target: 'customers', from: 'customerId' },
  ...termNavigations,
];

/** A reference by the fields `…Id` and `…Code`. */
export function referenceByCode(stem: string, target: string, caption: string): RecordReference {
  return { idField: `${stem}Id`, codeField: `${stem}Code`, key: 'code', target, caption };
}

/** The real service's names of two fields of lines. Stored lines have both names. */
export const dynamicsLineNames: Readonly<Record<string, string>> = {
  lineNo: 'sequence',
  itemNo: 'lineObjectNumber',
};

/** Converts the fields of a line to the document's names. The number of an account, under either name, becomes its id. */
export function toDocumentNames(given: RecordValues, company: Company): RecordValues {
  const { sequence, lineObjectNumber, itemNo, ...rest } = given;
  const name = lineObjectNumber === undefined ? 'itemNo' : 'lineObjectNumber';
  const number = lineObjectNumber ?? itemNo;
  return {
    ...rest,
    ...(sequence === undefined ? {} : { lineNo: sequence }),
    ...(number === undefined ? {} : resolveLineObject(name, number, given, company)),
  };
}

/** Adds the real service's names to a line. `lineObjectNumber` is the number of the item or account. */
export function withBothNames<Line extends RecordValues>(line: Line, company: Company): Line & RecordValues {
  const account = recordsOf(company, 'accounts').get(String(line.accountId ?? unsetGuid));
  const lineObjectNumber = account?.values.number ?? line.itemNo ?? '';
  return { ...line, sequence: line.lineNo ?? 0, lineObjectNumber };
}

function resolveLineObject(
  name: 'itemNo' | 'lineObjectNumber',
  number: FieldValue,
  given: RecordValues,
  company: Company,
): Record<string, FieldValue> {
  const { lineType, accountId: givenId, itemId } = given;
  const isOfAccount =
    name === 'lineObjectNumber' && lineType === undefined && givenId !== undefined && itemId === undefined;
  if (lineType !== 'Account' && !isOfAccount) return { itemNo: number };
  const account = findRecord(company, 'accounts', 'number', number);
  if (!account) throw businessRuleError(`The "${name}" does not match to a G/L Account.`);
  const accountId = String(account.values.id);
  if (givenId !== undefined && givenId !== accountId) {
    throw businessRuleError(`The "accountId" and the "${name}" do not match to the same G/L Account.`);
  }
  return { accountId };
}
