import type { Navigation, RecordReference, SetField } from '../entity-set.ts';
import {
  booleanField,
  choiceField,
  codeField,
  decimalField,
  guidField,
  integerField,
  readOnly,
  textField,
} from '../entity-set.ts';
import { referenceByCode } from '../reference-fields.ts';
import { dynamicsLineNames } from './line-names.ts';

/** Fields of the lines of orders and quotes. */
export function soldFields(...amounts: SetField[]): SetField[] {
  return [
    guidField('id', readOnly),
    guidField('documentId', readOnly),
    integerField('lineNo'),
    // The real service has other types of lines too, for records that the sandbox does not have.
    choiceField('lineType', ['Item', 'Account', 'Comment']),
    codeField('itemNo', 20),
    guidField('itemId'),
    guidField('accountId'),
    textField('description', 100),
    textField('description2', 50),
    guidField('unitOfMeasureId'),
    codeField('unitOfMeasureCode', 10),
    decimalField('quantity'),
    decimalField('unitPrice'),
    decimalField('discountAmount'),
    decimalField('discountPercent'),
    booleanField('discountAppliedBeforeTax', readOnly),
    decimalField('amountExcludingTax', readOnly),
    codeField('taxCode', 50),
    decimalField('taxPercent', readOnly),
    decimalField('totalTaxAmount', readOnly),
    decimalField('amountIncludingTax', readOnly),
    ...amounts,
    decimalField('netAmount', readOnly),
    decimalField('netTaxAmount', readOnly),
    decimalField('netAmountIncludingTax', readOnly),
  ];
}

/** Fields of the lines of purchases, with the field of the price of a unit. */
export function boughtFields(priceField: 'directUnitCost' | 'unitCost'): SetField[] {
  return soldFields(decimalField('invoiceDiscountAllocation', readOnly)).map((field) => {
    if (field.name === 'unitPrice') return decimalField(priceField);
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
export function addressFields(prefix: string, rules: { isReadOnly?: true } = {}): SetField[] {
  return [
    textField(`${prefix}AddressLine1`, 100, rules),
    textField(`${prefix}AddressLine2`, 50, rules),
    textField(`${prefix}City`, 30, rules),
    codeField(`${prefix}Country`, 10, rules),
    textField(`${prefix}State`, 30, rules),
    codeField(`${prefix}PostCode`, 20, rules),
  ];
}
