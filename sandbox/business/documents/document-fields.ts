import { businessRuleError } from '../../api-error.ts';
import {
  type Company,
  type EntitySet,
  entitySet,
  type FieldValue,
  fieldsOf,
  type Navigation,
  type RecordReference,
  type RecordValues,
  type SetField,
  unsetGuid,
} from '../entity-set.ts';
import { findRecord, recordsOf } from '../store.ts';

/**
 * The lines of a type of document: `salesOrderLines` of `salesOrders`. They are written and addressed as on the real
 * service; the document has no requests for that (gap: see docs/upstream.md).
 */
export const linesOf = (
  document: string,
  fields: readonly SetField[],
  writes: EntitySet['writes'] = [],
): EntitySet =>
  entitySet(`${document}Lines`, `${document}Line`, {
    fields,
    writes,
    navigations: [
      { name: document, target: `${document}s`, from: 'documentId' },
      { name: 'item', target: 'items', from: 'itemId' },
      { name: 'account', target: 'accounts', from: 'accountId' },
      { name: 'unitOfMeasure', target: 'unitsOfMeasure', from: 'unitOfMeasureId' },
      { name: 'itemVariant', target: 'itemVariants', from: 'itemVariantId' },
      { name: 'location', target: 'locations', from: 'locationId' },
    ],
    references: [
      { idField: 'itemId', codeField: 'itemNo', key: 'number', target: 'items', caption: 'Item' },
      { idField: 'accountId', target: 'accounts', caption: 'G/L Account' },
      referenceByCode('unitOfMeasure', 'unitsOfMeasure', 'Unit of Measure'),
    ],
    linesOf: `${document}s`,
  });

/**
 * Fields of the lines of sales, with those of a type of document. The real service has other types of lines too, for
 * records that the sandbox does not have.
 */
export const soldFields = (more: string): SetField[] =>
  fieldsOf(`
    id guid readonly, documentId guid readonly, lineNo integer, lineType [Item|Account|Comment],
    itemNo code 20, itemId guid, accountId guid, description text 100, description2 text 50,
    unitOfMeasureId guid, unitOfMeasureCode code 10, quantity decimal, unitPrice decimal,
    discountAmount decimal, discountPercent decimal, discountAppliedBeforeTax boolean readonly,
    amountExcludingTax decimal readonly, taxCode code 50, taxPercent decimal readonly,
    totalTaxAmount decimal readonly, amountIncludingTax decimal readonly, netAmount decimal readonly,
    netTaxAmount decimal readonly, netAmountIncludingTax decimal readonly, itemVariantId guid,
    ${more}
  `);

/** Fields of the lines of purchases, with the field of the price of a unit. */
export function boughtFields(priceField: 'directUnitCost' | 'unitCost', more: string): SetField[] {
  return soldFields(more).map((field) => {
    if (field.name === 'unitPrice') return { ...field, name: priceField };
    const name = dynamicsLineNames[field.name];
    return name === undefined ? field : { ...field, name };
  });
}

/** Fields of the headers of all sales, of those that are delivered, and of all documents but shipments. */
export const soldToFields = `
  id guid readonly, number code 20 readonly, externalDocumentNumber code 35, postingDate date, customerId guid, customerNumber code 20,
  customerName text 100 readonly, billToName text 100 readonly, billToCustomerId guid,
  billToCustomerNumber code 20, sellTo address, salesperson code 20, phoneNumber text 30,
  email text 80, lastModifiedDateTime dateTime
`;
export const shipToFields = 'shipToName text 100, shipToContact text 100, shipTo address';
export const amountFields = `
  shortcutDimension1Code code 20, shortcutDimension2Code code 20, currencyId guid,
  currencyCode code 10 computed, discountAmount decimal, totalAmountExcludingTax decimal readonly,
  totalTaxAmount decimal readonly, totalAmountIncludingTax decimal readonly
`;

/** References of customers, vendors and documents to other records. */
export const currencyReference: RecordReference = referenceByCode('currency', 'currencies', 'Currency');
export const paymentTermsReference: RecordReference = referenceById('paymentTerms', 'Payment Terms');
export const shipmentMethodReference: RecordReference = referenceById('shipmentMethod', 'Shipment Method');
export const paymentMethodReference: RecordReference = referenceById('paymentMethod', 'Payment Method');
const termReferences = [currencyReference, paymentTermsReference, shipmentMethodReference];

/** References of an order or quote to its sell-to and bill-to customers, and its terms. */
export const salesReferences: readonly RecordReference[] = [
  referenceByNumber('customer', 'customers', 'Customer'),
  referenceByNumber('billToCustomer', 'customers', 'Customer'),
  ...termReferences,
];

/** References of a purchase to the vendor that sells, and the one that is paid, and its terms. */
export const purchaseReferences: readonly RecordReference[] = [
  referenceByNumber('vendor', 'vendors', 'Vendor'),
  referenceByNumber('payToVendor', 'vendors', 'Vendor'),
  ...termReferences,
];

/** A required reference by the fields `…Id` and `…Number`. */
function referenceByNumber(stem: string, target: string, caption: string): RecordReference {
  const fields = { idField: `${stem}Id`, codeField: `${stem}Number`, key: 'number' };
  return { ...fields, target, caption, isRequired: true };
}

/** A reference by the field `…Id`. */
function referenceById(stem: string, caption: string): RecordReference {
  return { idField: `${stem}Id`, target: stem.endsWith('s') ? stem : `${stem}s`, caption };
}

/** A reference by the fields `…Id` and `…Code`. */
export function referenceByCode(stem: string, target: string, caption: string): RecordReference {
  return { idField: `${stem}Id`, codeField: `${stem}Code`, key: 'code', target, caption };
}

/** Navigations of customers, vendors and documents to their terms. */
export const termNavigations: readonly Navigation[] = [
  { name: 'currency', target: 'currencies', from: 'currencyId' },
  { name: 'paymentTerm', target: 'paymentTerms', from: 'paymentTermsId' },
  { name: 'shipmentMethod', target: 'shipmentMethods', from: 'shipmentMethodId' },
];

/** Navigations of sales to their lines, their customer and their terms. */
export const salesNavigations = (lines: string): readonly Navigation[] => [
  { name: lines, target: lines },
  { name: 'customer', target: 'customers', from: 'customerId' },
  ...termNavigations,
];

export const lineWrites: EntitySet['writes'] = ['POST', 'PATCH', 'DELETE'];

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
