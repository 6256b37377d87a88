import { setNamed } from '../business/record-sets.ts';
import type { Value, Values } from '../business/records.ts';
import { blankValues } from '../business/records.ts';
import type { Company, Store } from '../business/store.ts';
import { idOf } from '../business/store.ts';
import { derivedGuid } from '../seeded.ts';
import { goods } from './words.ts';

type Row = readonly [code: string, displayName: string, more?: Values];

const rows: Readonly<Record<string, readonly Row[]>> = {
  paymentTerms: [
    ['COD', 'Cash on delivery', { dueDateCalculation: '0D' }],
    ['14D', 'Net 14 days', { dueDateCalculation: '14D' }],
    ['30D', 'Net 30 days', { dueDateCalculation: '30D', calculateDiscountOnCreditMemos: true }],
    [
      '2/10',
      '2 % in 10 days, net 30',
      { dueDateCalculation: '30D', discountDateCalculation: '10D', discountPercent: 2 },
    ],
    ['CM', 'Current month', { dueDateCalculation: 'CM' }],
  ],
  shipmentMethods: [
    ['EXW', 'Ex works'],
    ['DAP', 'Delivered at place'],
    ['PICKUP', 'Collected by the customer'],
  ],
  paymentMethods: [
    ['BANK', 'Bank transfer'],
    ['CARD', 'Card payment'],
    ['CASH', 'Cash payment'],
  ],
  currencies: [
    ['EUR', 'Euro', { symbol: '€', amountDecimalPlaces: '2:2', amountRoundingPrecision: 0.01 }],
    ['GBP', 'Pound sterling', { symbol: '£', amountDecimalPlaces: '2:2', amountRoundingPrecision: 0.01 }],
    ['USD', 'US dollar', { symbol: '$', amountDecimalPlaces: '2:2', amountRoundingPrecision: 0.01 }],
    ['DKK', 'Danish krone', { symbol: 'kr', amountDecimalPlaces: '2:2', amountRoundingPrecision: 0.01 }],
  ],
  unitsOfMeasure: [
    ['PCS', 'Piece', { symbol: 'pc', internationalStandardCode: 'EA' }],
    ['BOX', 'Box', { symbol: 'bx', internationalStandardCode: 'BX' }],
    ['SET', 'Set', { internationalStandardCode: 'SET' }],
    ['KG', 'Kilogram', { symbol: 'kg', internationalStandardCode: 'KGM' }],
    ['HOUR', 'Hour', { symbol: 'h', internationalStandardCode: 'HUR' }],
  ],
  itemCategories: goods.map(([code, displayName]): Row => [code, displayName]),
  taxAreas: [
    ['COAST', 'Coastal counties', { taxType: 'Sales Tax' }],
    ['INLAND', 'Inland counties', { taxType: 'Sales Tax' }],
    ['EXPORT', 'Export', { taxType: 'Sales Tax' }],
  ],
  taxGroups: [
    ['FURNITURE', 'Furniture', { taxType: 'Sales Tax', percent: 6 }],
    ['TEXTILES', 'Textiles', { taxType: 'Sales Tax', percent: 7.5 }],
    ['LABOR', 'Labour', { taxType: 'Sales Tax', percent: 0 }],
  ],
  generalProductPostingGroups: [
    ['RETAIL', 'Goods for resale'],
    ['SERVICES', 'Services'],
  ],
  inventoryPostingGroups: [['RESALE', 'Goods for resale']],
};

const consolidated = { consolidationDebitAccount: '93010', consolidationCreditAccount: '93020' };

/** Number, name, category and what else is not as usual. */
const accounts: readonly (readonly [string, string, string, Values?])[] = [
  ['1000', 'Assets', 'Assets', { accountType: 'Heading', directPosting: false }],
  ['1200', 'Receivables', 'Assets', { accountType: 'Begin-Total', directPosting: false }],
  ['1210', 'Trade receivables', 'Assets', { subCategory: 'Accounts Receivable', netChange: 48_210.55 }],
  ['1290', 'Receivables, total', 'Assets', { accountType: 'End-Total', directPosting: false }],
  ['2310', 'Trade payables', 'Liabilities', { subCategory: 'Current Liabilities', netChange: -17_904.2 }],
  ['3010', 'Capital', 'Equity', { consolidationTranslationMethod: 'Historical Rate', ...consolidated }],
  ['4010', 'Sale of goods', 'Income', { netChange: -96_455 }],
  ['4090', 'Freight charged to customers', 'Income', { netChange: -2_310.5 }],
  ['5010', 'Cost of goods sold', 'Cost of Goods Sold', { netChange: 61_020.4 }],
  ['6810', 'Delivery expense', 'Expense', { excludeFromConsolidation: true }],
  ['6890', 'Delivery expense, closed', 'Expense', { blocked: true }],
  ['9999', 'Result', ' ', { accountType: 'Total', directPosting: false }],
];

/** When the reference records of every sandbox were last changed. */
const settledAt = '2024-11-04T08:00:00.000Z';

/** Fills a company with the records others refer to. The local currency needs no record of its own. */
export function seedReferenceSets(store: Store, company: Company): void {
  for (const [set, entries] of Object.entries(rows)) {
    for (const [code, displayName, more = {}] of entries) {
      if (set === 'currencies' && code === company.localCurrency) continue;
      addReference(store, company, set, code, { code, displayName, ...more });
    }
  }
  for (const [number, displayName, category, more] of accounts) {
    const values = { number, displayName, category, directPosting: true, ...more };
    addReference(store, company, 'accounts', number, values);
  }
}

function addReference(
  store: Store,
  company: Company,
  set: string,
  key: string,
  values: Readonly<Record<string, Value>>,
): void {
  const id = derivedGuid(`${idOf(company.record)}:${set}:${key}`);
  store.add(company, set, { ...blankValues(setNamed(set)), ...values, id, lastModifiedDateTime: settledAt });
}
