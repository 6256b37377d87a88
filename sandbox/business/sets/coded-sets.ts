import { goods } from '../../seed/words.ts';
import { codedSet } from '../coded-set.ts';
import { choiceField, type EntitySet, fieldsOf, readOnly } from '../entity-set.ts';

export const paymentMethods: EntitySet = codedSet(
  'paymentMethods',
  'paymentMethod',
  [
    ['BANK', 'Bank transfer'],
    ['CARD', 'Card payment'],
    ['CASH', 'Cash payment'],
  ],
  { isSubscribable: true },
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
    fields: fieldsOf(`
        dueDateCalculation text 32, discountDateCalculation text 32, discountPercent decimal,
        calculateDiscountOnCreditMemos boolean
      `),
    isSubscribable: true,
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
  { isSubscribable: true },
);

/** A company's local currency has no record. */
export const currencies: EntitySet = codedSet(
  'currencies',
  'currency',
  [
    ['EUR', 'Euro', { symbol: '€', amountDecimalPlaces: '2:2', amountRoundingPrecision: 0.01 }],
    ['GBP', 'Pound sterling', { symbol: '£', amountDecimalPlaces: '2:2', amountRoundingPrecision: 0.01 }],
    ['USD', 'US dollar', { symbol: '$', amountDecimalPlaces: '2:2', amountRoundingPrecision: 0.01 }],
    ['DKK', 'Danish krone', { symbol: 'kr', amountDecimalPlaces: '2:2', amountRoundingPrecision: 0.01 }],
  ],
  {
    fields: fieldsOf('symbol text 10, amountDecimalPlaces text 5, amountRoundingPrecision decimal'),
    isSubscribable: true,
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
  { fields: fieldsOf('internationalStandardCode text 10, symbol text 10'), isSubscribable: true },
);

export const itemCategories: EntitySet = codedSet(
  'itemCategories',
  'itemCategory',
  goods.map(([code, displayName]) => [code, displayName]),
  { isSubscribable: true },
);

export const taxAreas: EntitySet = codedSet(
  'taxAreas',
  'taxArea',
  [
    ['COAST', 'Coastal counties', { taxType: 'Sales Tax' }],
    ['INLAND', 'Inland counties', { taxType: 'Sales Tax' }],
    ['EXPORT', 'Export', { taxType: 'Sales Tax' }],
  ],
  { fields: [choiceField('taxType', ['Sales Tax', 'VAT'], readOnly)] },
);

/** `percent` is not a field of the service. It is stored for the tax of order lines. */
export const taxGroups: EntitySet = codedSet(
  'taxGroups',
  'taxGroup',
  [
    ['FURNITURE', 'Furniture', { taxType: 'Sales Tax', percent: 6 }],
    ['TEXTILES', 'Textiles', { taxType: 'Sales Tax', percent: 7.5 }],
    ['LABOR', 'Labour', { taxType: 'Sales Tax', percent: 0 }],
  ],
  { fields: [choiceField('taxType', ['Sales Tax', 'VAT'], readOnly)] },
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
