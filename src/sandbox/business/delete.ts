import { refusedByRule } from '../refusal.ts';
import type { RecordSet } from './records.ts';
import type { Company, Store, StoredRecord } from './store.ts';
import { idOf, recordsOf } from './store.ts';

/** The sales documents that name customers and items, and how a sentence names them. */
const documents = { salesOrders: 'Sales Order', salesQuotes: 'Sales Quote' } as const;

/**
 * Deletes a record, an order or quote with its lines. Refuses a customer or an item that an order or
 * a quote refers to, and then deletes nothing (gap: see docs/upstream.md).
 */
export function deleteRecord(store: Store, company: Company, set: RecordSet, record: StoredRecord): void {
  for (const [name, caption] of Object.entries(documents)) {
    for (const document of recordsOf(company, name).values()) {
      if (refersTo(document, set, idOf(record))) throw stillReferred(set, record, caption);
    }
  }
  store.remove(company, set.name, record);
}

function refersTo({ values, lines }: StoredRecord, set: RecordSet, id: string): boolean {
  if (set.name === 'customers') return values.customerId === id || values.billToCustomerId === id;
  return set.name === 'items' && lines.some((line) => line.values.itemId === id);
}

function stillReferred(set: RecordSet, { values }: StoredRecord, caption: string) {
  const [table, relation] =
    set.name === 'customers' ? ['Customer', 'for this customer'] : ['Item', 'that includes this item'];
  return refusedByRule(
    `You cannot delete ${table} ${values.number} because there is at least one outstanding ${caption} ${relation}.`,
  );
}
