import { seedRows } from '../coded-set.ts';
import { choiceField, type EntitySet, entitySet, fieldsOf, type RecordValues } from '../entity-set.ts';

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

export const accounts: EntitySet = entitySet(
  'accounts',
  'account',
  [
    ...fieldsOf('id guid readonly, number code 20, displayName text 100'),
    choiceField('category', [
      ' ',
      'Assets',
      'Liabilities',
      'Equity',
      'Income',
      'Cost of Goods Sold',
      'Expense',
    ]),
    ...fieldsOf('subCategory text 80, blocked boolean'),
    choiceField('accountType', ['Posting', 'Heading', 'Total', 'Begin-Total', 'End-Total']),
    ...fieldsOf('directPosting boolean, netChange decimal'),
    choiceField('consolidationTranslationMethod', [
      'Average Rate (Manual)',
      'Closing Rate',
      'Historical Rate',
      'Composite Rate',
      'Equity Rate',
    ]),
    ...fieldsOf(`
      consolidationDebitAccount code 20, consolidationCreditAccount code 20,
      excludeFromConsolidation boolean, lastModifiedDateTime dateTime
    `),
  ],
  {
    isSubscribable: true,
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
  },
);
