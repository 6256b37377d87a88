import { businessRuleError } from '../../api-error.ts';
import { setNamed } from '../entity-sets.ts';
import type { Company, Store, StoredRecord } from '../store.ts';
import { idOf } from '../store.ts';
import { nextNumber } from '../writes/number-series.ts';
import type { ActionResult } from './posting-checks.ts';
import { checkNotBlocked, takeFromInventory } from './posting-checks.ts';
import { numberField } from './totals.ts';

/** Posts the draft of an invoice: it keeps its id, and gets the number of a posted one. */
export function postInvoice(store: Store, company: Company, invoice: StoredRecord): ActionResult {
  const { status } = invoice.values;
  if (status !== 'Draft' && status !== 'In Review')
    throw businessRuleError('The action can be applied to a draft invoice only.');
  const lines = invoice.lines.map(({ values: line }) => ({ line, quantity: numberField(line, 'quantity') }));
  if (!lines.some(({ quantity }) => quantity > 0)) throw businessRuleError('There is nothing to post.');
  checkNotBlocked(company, invoice.values);
  takeFromInventory(store, company, lines);
  store.change(invoice, {
    ...invoice.values,
    status: 'Open',
    number: nextNumber(company, setNamed('salesInvoices')),
    postingDate: new Date().toISOString().slice(0, 10),
  });
  return { set: 'salesInvoices', id: idOf(invoice) };
}

/** Sends an invoice to its customer: the sandbox sends no e-mail, and nothing changes. */
export const sendInvoice = (_store: Store, _company: Company, invoice: StoredRecord): ActionResult => ({
  set: 'salesInvoices',
  id: idOf(invoice),
});
