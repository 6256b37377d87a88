import { elementAt } from '../../seeded.ts';
import type { EntitySet, SeedContext, SeedRecord } from '../entity-set.ts';
import { entitySet, fieldsOf } from '../entity-set.ts';
import { seededTime } from '../seed/values.ts';
import { findRecord, idOf } from '../store.ts';

/** Entries of the general ledger, with the GUID as the key; entryNumber counts them. */
export const generalLedgerEntries: EntitySet = entitySet('generalLedgerEntries', 'generalLedgerEntry', {
  fields: fieldsOf(`
    id guid readonly, entryNumber integer readonly, postingDate date, documentNumber code 20,
    documentType [ |Payment|Invoice|Credit Memo|Finance Charge Memo|Reminder|Refund], accountId guid,
    accountNumber code 20, description text 100, debitAmount decimal, creditAmount decimal,
    additionalCurrencyDebitAmount decimal, additionalCurrencyCreditAmount decimal,
    lastModifiedDateTime dateTime
  `),
  navigations: [{ name: 'account', target: 'accounts', from: 'accountId' }],
  isSubscribable: true,
  seed: { counts: [120, 40], record: seedEntry },
});

/** Type, number of the document, debited and credited account. */
const postings: readonly (readonly [type: string, prefix: string, debit: string, credit: string])[] = [
  ['Invoice', 'PS-INV', '1210', '4010'],
  ['Invoice', 'PP-INV', '5010', '2310'],
  ['Payment', 'BANK', '2310', '1210'],
  ['Invoice', 'PS-INV', '1210', '4090'],
  [' ', 'GJ', '6810', '3010'],
];

/** Two entries for each posting, which add up to nothing: the debit, then the credit. */
function seedEntry({ company }: SeedContext, index: number): SeedRecord {
  const posting = Math.floor(index / 2);
  const isDebit = index % 2 === 0;
  const [documentType, prefix, debit, credit] = elementAt(postings, posting);
  const account = findRecord(company, 'accounts', 'number', isDebit ? debit : credit);
  if (!account) throw new TypeError(`expected the accounts ${debit} and ${credit}`);
  const amount = ((posting * 7_919) % 90_000) / 100 + 12.5;
  const values = {
    entryNumber: index + 1,
    postingDate: seededTime(posting * 60).slice(0, 10),
    documentNumber: `${prefix}${103_001 + posting}`,
    documentType,
    accountId: idOf(account),
    accountNumber: account.values.number ?? '',
    description: documentType === 'Payment' ? 'Payment' : `Posting ${103_001 + posting}`,
    debitAmount: isDebit ? amount : 0,
    creditAmount: isDebit ? 0 : amount,
    lastModifiedDateTime: seededTime(posting * 60 + 1),
  };
  return { values };
}
