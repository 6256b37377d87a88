import type { Navigation, RecordReference, SetField } from '../entity-set.ts';
import { choiceField, fieldsOf } from '../entity-set.ts';
import { referenceByCode } from '../reference-fields.ts';
import { dynamicsLineNames } from './line-names.ts';

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
