import type { Field, RecordSet } from './records.ts';
import {
  boolean,
  choice,
  code,
  dateTime,
  decimal,
  guid,
  integer,
  readOnly,
  recordSet,
  text,
} from './records.ts';

export const companies: RecordSet = recordSet(
  'companies',
  'company',
  [
    guid('id', readOnly),
    text('systemVersion', 250, readOnly),
    integer('timestamp', readOnly),
    text('name', 30, readOnly),
    text('displayName', 250, readOnly),
    text('businessProfileId', 250, readOnly),
    dateTime('systemCreatedAt'),
    guid('systemCreatedBy', readOnly),
    dateTime('systemModifiedAt'),
    guid('systemModifiedBy', readOnly),
  ],
  { hasEtag: false },
);

/**
 * The records others refer to. The document reaches some of them by `$expand` and names no address
 * for any; here all but the posting groups have the real service's, for reading (gap: see docs/upstream.md).
 */
export const paymentTerms: RecordSet = coded('paymentTerms', 'paymentTerm', [
  text('dueDateCalculation', 32),
  text('discountDateCalculation', 32),
  decimal('discountPercent'),
  boolean('calculateDiscountOnCreditMemos'),
]);

const taxType = choice('taxType', ['Sales Tax', 'VAT'], readOnly);

export const shipmentMethods: RecordSet = coded('shipmentMethods', 'shipmentMethod');
export const paymentMethods: RecordSet = coded('paymentMethods', 'paymentMethod');
export const itemCategories: RecordSet = coded('itemCategories', 'itemCategory');
export const taxAreas: RecordSet = coded('taxAreas', 'taxArea', [taxType]);
export const generalProductPostingGroups: RecordSet = coded(
  'generalProductPostingGroups',
  'generalProductPostingGroup',
);
export const inventoryPostingGroups: RecordSet = coded('inventoryPostingGroups', 'inventoryPostingGroup');

/** `percent` is not a field of the service: it stays inside, for the tax of order lines. */
export const taxGroups: RecordSet = coded('taxGroups', 'taxGroup', [taxType]);

export const unitsOfMeasure: RecordSet = coded('unitsOfMeasure', 'unitOfMeasure', [
  text('internationalStandardCode', 10),
  text('symbol', 10),
]);

export const currencies: RecordSet = coded('currencies', 'currency', [
  text('symbol', 10),
  text('amountDecimalPlaces', 5),
  decimal('amountRoundingPrecision'),
]);

export const accounts: RecordSet = recordSet('accounts', 'account', [
  guid('id', readOnly),
  code('number', 20),
  text('displayName', 100),
  choice('category', [' ', 'Assets', 'Liabilities', 'Equity', 'Income', 'Cost of Goods Sold', 'Expense']),
  text('subCategory', 80),
  boolean('blocked'),
  choice('accountType', ['Posting', 'Heading', 'Total', 'Begin-Total', 'End-Total']),
  boolean('directPosting'),
  decimal('netChange'),
  choice('consolidationTranslationMethod', [
    'Average Rate (Manual)',
    'Closing Rate',
    'Historical Rate',
    'Composite Rate',
    'Equity Rate',
  ]),
  code('consolidationDebitAccount', 20),
  code('consolidationCreditAccount', 20),
  boolean('excludeFromConsolidation'),
  dateTime('lastModifiedDateTime'),
]);

function coded(name: string, typeName: string, more: readonly Field[] = []): RecordSet {
  return recordSet(name, typeName, [
    guid('id', readOnly),
    code('code', 20),
    text('displayName', 100),
    ...more,
    dateTime('lastModifiedDateTime'),
  ]);
}
