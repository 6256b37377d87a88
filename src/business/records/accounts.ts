import type { RecordFrom } from '../record-set.ts';
import type { RecordTypeDescriptor } from '../record-type.ts';

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
    category: 'wordOrBlank',
    subCategory: 'text',
    blocked: 'boolean',
    accountType: 'word',
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
  },
} as const satisfies RecordTypeDescriptor;

export type AccountRecord = RecordFrom<typeof accounts>;
