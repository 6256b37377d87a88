import { businessRuleError } from '../../api-error.ts';
import type { Company, Store } from '../store.ts';
import { recordsOf } from '../store.ts';
import type { RecordValues } from '../values.ts';
import type { PostedLine } from './posted-documents.ts';
import { numberField } from './totals.ts';

/** A document that an action has created or changed. */
export interface ActionResult {
  readonly set: string;
  readonly id: string;
}

/** Throws an `ApiError` if a customer of a document may not be sent goods or invoices. */
export function checkNotBlocked(company: Company, document: RecordValues): void {
  const customers = recordsOf(company, 'customers');
  for (const id of [document.customerId, document.billToCustomerId]) {
    const customer = customers.get(String(id))?.values;
    if (!customer || customer.blocked === ' ') continue;
    throw businessRuleError(
      `You cannot post this type of document when Customer ${customer.number} is blocked with type ${customer.blocked}`,
    );
  }
}

/** Takes what is shipped from the inventory. Throws an `ApiError`, and takes nothing, where that has too few. */
export function takeFromInventory(store: Store, company: Company, shipped: readonly PostedLine[]): void {
  const items = recordsOf(company, 'items');
  const needed = new Map<string, number>();
  for (const { line, quantity } of shipped) {
    const id = String(line.itemId);
    if (items.get(id)?.values.type === 'Inventory') needed.set(id, (needed.get(id) ?? 0) + quantity);
  }
  const left = [...needed].flatMap(([id, quantity]) => {
    const item = items.get(id);
    return item ? [{ item, inventory: numberField(item.values, 'inventory') - quantity }] : [];
  });
  const short = left.find(({ inventory }) => inventory < 0);
  if (short)
    throw businessRuleError(
      `You have insufficient quantity of Item ${short.item.values.number} on inventory.`,
    );
  for (const { item, inventory } of left) store.compute(item, { inventory });
}
