import type { Choice } from '../graph/choice.ts';
import type { RecordOf, RecordSet } from './records.ts';
import { recordResolvers } from './resolvers.ts';

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
} satisfies Choice;

const accountType = {
  names: {
    Posting: 'POSTING',
    Heading: 'HEADING',
    Total: 'TOTAL',
    'Begin-Total': 'BEGIN_TOTAL',
    'End-Total': 'END_TOTAL',
  },
} satisfies Choice;

/** The document reaches accounts by `$expand` of lines alone; their fields are the real service's (docs/upstream.md). */
export const accounts = {
  type: 'Account',
  entitySet: 'accounts',
  apiVersion: 'v2.0',
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
} as const satisfies RecordSet;

export type AccountRecord = RecordOf<(typeof accounts)['fields']>;

export const accountResolvers = recordResolvers(accounts, 'account', 'accounts');
