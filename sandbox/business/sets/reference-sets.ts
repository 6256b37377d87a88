import { derivedGuid, elementAt } from '../../seeded.ts';
import {
  type Company,
  type EntitySet,
  entitySet,
  fieldsOf,
  postalAddress,
  type RecordValues,
  type SetSeed,
} from '../entity-set.ts';
import { seededRecords } from '../seed/values.ts';
import { goods } from '../seed/words.ts';
import { findRecord, idOf } from '../store.ts';

type CodedRow = readonly [code: string, displayName: string, more?: RecordValues];

interface CodedSetOptions extends Partial<Pick<EntitySet, 'hasAddress' | 'isSubscribable' | 'navigations'>> {
  /** Fields besides id, code and name. */
  readonly fields?: string;
  /** Whether a company has a record; true for all when left out. */
  readonly isPresent?: (row: RecordValues, company: Company) => boolean;
}

/** When the seeded records of these sets were last changed. */
const lastModifiedDateTime = '2024-11-04T08:00:00.000Z';

/**
 * A read-only set of records with a code and a name that other records refer to. The document reaches some of
 * them by `$expand` and gives no address for any. The addresses are those of the real service (gap: see
 * docs/upstream.md).
 */
function codedSet(
  name: string,
  typeName: string,
  rows: readonly CodedRow[],
  { fields = 'lastModifiedDateTime dateTime', isPresent, ...rest }: CodedSetOptions = {},
): EntitySet {
  const records = rows.map(([code, displayName, more]) => ({ code, displayName, ...more }));
  return entitySet(name, typeName, {
    fields: fieldsOf(`id guid readonly, code code 20, displayName text 100, ${fields}`),
    ...rest,
    seed: seedRows('code', records, isPresent),
  });
}

/** The same records for every company, or for those where `isPresent`. Ids are derived from the key field. */
function seedRows(
  keyField: string,
  records: readonly RecordValues[],
  isPresent: CodedSetOptions['isPresent'] = () => true,
): SetSeed {
  return {
    counts: [records.length, records.length],
    record({ set, company }, index) {
      const record = records[index];
      if (!record || !isPresent(record, company)) return undefined;
      const id = derivedGuid(`${idOf(company.record)}:${set.name}:${record[keyField]}`);
      return { values: { ...record, lastModifiedDateTime, id } };
    },
  };
}

const isSubscribable = true;
const harbour = {
  addressLine1: '40 Harbour Street',
  city: 'Portland',
  state: 'ME',
  country: 'US',
  postalCode: '04118',
  email: 'stock@harbour.example',
  website: 'https://harbour.example/stock',
};
const reachable = (name: string) => ({ email: `${name}@harbour.example`, phoneNo: '+1 555 0100' });

export const paymentMethods: EntitySet = codedSet(
  'paymentMethods',
  'paymentMethod',
  [
    ['BANK', 'Bank transfer'],
    ['CARD', 'Card payment'],
    ['CASH', 'Cash payment'],
  ],
  { isSubscribable },
);

export const paymentTerms: EntitySet = codedSet(
  'paymentTerms',
  'paymentTerm',
  [
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
  {
    fields: `
      dueDateCalculation text 32, discountDateCalculation text 32, discountPercent decimal,
      calculateDiscountOnCreditMemos boolean, lastModifiedDateTime dateTime
    `,
    isSubscribable,
  },
);

export const shipmentMethods: EntitySet = codedSet(
  'shipmentMethods',
  'shipmentMethod',
  [
    ['EXW', 'Ex works'],
    ['DAP', 'Delivered at place'],
    ['PICKUP', 'Collected by the customer'],
  ],
  { isSubscribable },
);

const twoDecimals = { amountDecimalPlaces: '2:2', amountRoundingPrecision: 0.01 };

/** A company's local currency has no record. */
export const currencies: EntitySet = codedSet(
  'currencies',
  'currency',
  [
    ['EUR', 'Euro', { symbol: '€', ...twoDecimals }],
    ['GBP', 'Pound sterling', { symbol: '£', ...twoDecimals }],
    ['USD', 'US dollar', { symbol: '$', ...twoDecimals }],
    ['DKK', 'Danish krone', { symbol: 'kr', ...twoDecimals }],
  ],
  {
    fields: `
      symbol text 10, amountDecimalPlaces text 5, amountRoundingPrecision decimal,
      lastModifiedDateTime dateTime
    `,
    isSubscribable,
    isPresent: ({ code }, company) => code !== company.localCurrency,
  },
);

export const unitsOfMeasure: EntitySet = codedSet(
  'unitsOfMeasure',
  'unitOfMeasure',
  [
    ['PCS', 'Piece', { symbol: 'pc', internationalStandardCode: 'EA' }],
    ['BOX', 'Box', { symbol: 'bx', internationalStandardCode: 'BX' }],
    ['SET', 'Set', { internationalStandardCode: 'SET' }],
    ['KG', 'Kilogram', { symbol: 'kg', internationalStandardCode: 'KGM' }],
    ['HOUR', 'Hour', { symbol: 'h', internationalStandardCode: 'HUR' }],
  ],
  {
    fields: 'internationalStandardCode text 10, symbol text 10, lastModifiedDateTime dateTime',
    isSubscribable,
  },
);

export const itemCategories: EntitySet = codedSet(
  'itemCategories',
  'itemCategory',
  goods.map(([code, displayName]) => [code, displayName]),
  { isSubscribable },
);

const taxFields = { fields: 'taxType [Sales Tax|VAT] readonly, lastModifiedDateTime dateTime' };

export const taxAreas: EntitySet = codedSet(
  'taxAreas',
  'taxArea',
  [
    ['COAST', 'Coastal counties'],
    ['INLAND', 'Inland counties'],
    ['EXPORT', 'Export'],
  ],
  taxFields,
);

/** `percent` is not a field of the service. It is stored for the tax of order lines. */
export const taxGroups: EntitySet = codedSet(
  'taxGroups',
  'taxGroup',
  [
    ['FURNITURE', 'Furniture', { percent: 6 }],
    ['TEXTILES', 'Textiles', { percent: 7.5 }],
    ['LABOR', 'Labour', { percent: 0 }],
  ],
  taxFields,
);

/** Of the three places, goods leave from the first two. */
export const locations: EntitySet = codedSet(
  'locations',
  'location',
  [
    ['EAST', 'East Warehouse', { ...harbour, contact: 'Hana Okafor', phoneNumber: '+1 555 0171' }],
    ['WEST', 'West Warehouse', { ...harbour, addressLine1: '9 Foundry Row', contact: 'Paul Novak' }],
    ['SHOW', 'Showroom', { ...harbour, addressLine1: '1 Quay Side', addressLine2: 'Ground floor' }],
  ],
  {
    fields: `
      contact text 100, ${postalAddress}, phoneNumber text 30, email text 80, website text 90,
      lastModifiedDateTime dateTime
    `,
  },
);

/** The finishes that tables, chairs and cabinets come in. */
const finishes = [
  ['NATURAL', 'Natural oil finish'],
  ['BLACK', 'Black stain'],
] as const;

export const itemVariants: EntitySet = entitySet('itemVariants', 'itemVariant', {
  fields: fieldsOf(`
    id guid readonly, itemId guid, itemNumber code 20 readonly, code code 10, description text 100,
    lastModifiedDateTime dateTime
  `),
  navigations: [{ name: 'item', target: 'items', from: 'itemId' }],
  seed: {
    counts: [120 * finishes.length, 40 * finishes.length],
    record({ company }, index) {
      const item = seededRecords(company, 'items')[Math.floor(index / finishes.length)];
      if (!item || !['TABLE', 'CHAIR', 'STORAGE'].includes(String(item.values.itemCategoryCode)))
        return undefined;
      const [code, description] = elementAt(finishes, index);
      const itemNumber = item.values.number ?? '';
      return { values: { itemId: idOf(item), itemNumber, code, description, lastModifiedDateTime } };
    },
  },
});

/** Those whom customers, documents and purchases name by code. */
export const salespeoplePurchasers: EntitySet = codedSet(
  'salespeoplePurchasers',
  'salespersonPurchaser',
  [
    ['AB', 'Amara Bergström', { jobTitle: 'Key accounts', commisionPercent: 2.5, ...reachable('amara') }],
    ['JK', 'Jonas Kovac', { jobTitle: 'Sales', commisionPercent: 2, ...reachable('jonas') }],
    ['MO', 'Mireille Okafor', { jobTitle: 'Sales', commisionPercent: 2, email2: 'mo@home.example' }],
    ['RL', 'Rosa Lindqvist', { jobTitle: 'Purchasing', ...reachable('rosa') }],
    ['TP', 'Tamsin Pellegrini', { jobTitle: 'Purchasing', blocked: true, privacyBlocked: true }],
  ],
  {
    fields: `
      email text 80, email2 text 80, phoneNo text 30, jobTitle text 30, commisionPercent decimal,
      privacyBlocked boolean, blocked boolean, lastModifiedDateTime dateTime
    `,
  },
);

export const countriesRegions: EntitySet = codedSet(
  'countriesRegions',
  'countryRegion',
  [
    ['BE', 'Belgium'],
    ['DE', 'Germany'],
    ['DK', 'Denmark'],
    ['FI', 'Finland'],
    ['FR', 'France'],
    ['GB', 'United Kingdom', { addressFormat: 'City+Post Code' }],
    ['IE', 'Ireland', { addressFormat: 'City+County+Post Code' }],
    ['US', 'United States', { addressFormat: 'City+County+Post Code' }],
  ],
  {
    fields: `addressFormat
      [Post Code+City|City+Post Code|City+County+Post Code|Blank Line+Post Code+City|Custom],
      lastModifiedDateTime dateTime`,
    isSubscribable,
  },
);

export const generalProductPostingGroups: EntitySet = codedSet(
  'generalProductPostingGroups',
  'generalProductPostingGroup',
  [
    ['RETAIL', 'Goods for resale'],
    ['SERVICES', 'Services'],
  ],
  { hasAddress: false },
);

export const inventoryPostingGroups: EntitySet = codedSet(
  'inventoryPostingGroups',
  'inventoryPostingGroup',
  [['RESALE', 'Goods for resale']],
  { hasAddress: false },
);

/** The first two are those of `shortcutDimension1Code` and `shortcutDimension2Code`. */
export const dimensions: EntitySet = codedSet(
  'dimensions',
  'dimension',
  [
    ['DEPARTMENT', 'Department'],
    ['CUSTOMERGROUP', 'Customer Group'],
    ['AREA', 'Area', { consolidationCode: 'REGION' }],
  ],
  {
    fields: 'consolidationCode code 20, lastModifiedDateTime dateTime',
    navigations: [{ name: 'dimensionValues', target: 'dimensionValues', by: 'dimensionId' }],
    isSubscribable,
  },
);

const dimensionRows: readonly (readonly [dimension: string, code: string, displayName: string])[] = [
  ['DEPARTMENT', 'SALES', 'Sales'],
  ['DEPARTMENT', 'PROJECT', 'Projects'],
  ['DEPARTMENT', 'PROD', 'Production'],
  ['DEPARTMENT', 'ADM', 'Administration'],
  ['CUSTOMERGROUP', 'SMALL', 'Small business'],
  ['CUSTOMERGROUP', 'MEDIUM', 'Medium-sized business'],
  ['CUSTOMERGROUP', 'LARGE', 'Large business'],
  ['AREA', '30', 'Europe North'],
  ['AREA', '40', 'Europe South'],
  ['AREA', '70', 'America North'],
];

export const dimensionValues: EntitySet = entitySet('dimensionValues', 'dimensionValue', {
  fields: fieldsOf(`
    id guid readonly, code code 20, dimensionId guid, displayName text 50, consolidationCode code 20,
    lastModifiedDateTime dateTime
  `),
  navigations: [{ name: 'dimension', target: 'dimensions', from: 'dimensionId' }],
  seed: {
    counts: [dimensionRows.length, dimensionRows.length],
    record({ company }, index) {
      const [dimension = '', code = '', displayName = ''] = dimensionRows[index] ?? [];
      const owner = findRecord(company, 'dimensions', 'code', dimension);
      return owner && { values: { code, displayName, dimensionId: idOf(owner), lastModifiedDateTime } };
    },
  },
});

const consolidated = { consolidationDebitAccount: '93010', consolidationCreditAccount: '93020' };

/** Number, name, category and the other values that differ from the default. */
const accountRows: readonly (readonly [string, string, string, RecordValues?])[] = [
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

export const accounts: EntitySet = entitySet('accounts', 'account', {
  fields: fieldsOf(`
    id guid readonly, number code 20, displayName text 100,
    category [ |Assets|Liabilities|Equity|Income|Cost of Goods Sold|Expense], subCategory text 80,
    blocked boolean, accountType [Posting|Heading|Total|Begin-Total|End-Total], directPosting boolean,
    netChange decimal, consolidationTranslationMethod
      [Average Rate (Manual)|Closing Rate|Historical Rate|Composite Rate|Equity Rate],
    consolidationDebitAccount code 20, consolidationCreditAccount code 20,
    excludeFromConsolidation boolean, lastModifiedDateTime dateTime
  `),
  isSubscribable,
  seed: seedRows(
    'number',
    accountRows.map(([number, displayName, category, more]) => ({
      number,
      displayName,
      category,
      directPosting: true,
      ...more,
    })),
  ),
});
