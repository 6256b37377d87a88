import type { EnumMapping } from '../../graph/enum-mapping.ts';
import type { RecordFrom } from '../record-set.ts';
import type { RecordTypeDescriptor } from '../record-type.ts';

const category = {
  names: {
    ' ': 'NONE',
    Assets: 'ASSETS',
    Liabilities: 'LIABILITIES',
    Equity: 'EQUITY',
    Income: 'INCOME',
    'Cost of Goods Sold': 'COST_OF_GOODS_SOLD',
    Expense: 'EXPENSE',
  },
  unset: ' ',
} satisfies EnumMapping;

const accountType = {
  names: {
    Posting: 'POSTING',
    Heading: 'HEADING',
    Total: 'TOTAL',
    'Begin-Total': 'BEGIN_TOTAL',
    'End-Total': 'END_TOTAL',
  },
} satisfies EnumMapping;

/** The document reaches accounts by `$expand` of lines alone; their fields are the real service's (docs/upstream.md). */
export const accounts = {
  type: 'Account',
  names: { one: 'account', many: 'accounts', byNumber: 'accountByNumber' },
  entitySet: 'accounts',
  route: 'v2.0',
  fields: {
    id: 'uuid',
    number: 'text',
    displayName: 'text',
    category,
    subCategory: 'text',
    blocked: 'boolean',
    accountType,
    directPosting: 'boolean',
    netChange: 'decimal',
    consolidationTranslationMethod: 'word',
    consolidationDebitAccount: 'text',
    consolidationCreditAccount: 'text',
    excludeFromConsolidation: 'boolean',
    lastModifiedDateTime: 'dateTime',
  },
  list: {
    one: 'a ledger account',
    many: 'ledger accounts',
    unfilterable: ['consolidationTranslationMethod'],
    conditions: {
      category: 'where an account counts in the books',
      accountType: 'what an account does in the chart',
    },
  },
} as const satisfies RecordTypeDescriptor;

export type AccountRecord = RecordFrom<typeof accounts>;
