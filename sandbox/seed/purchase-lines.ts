import { withBothNames } from '../business/documents/document-fields.ts';
import { copyItemFields, vendorParty } from '../business/documents/order-parties.ts';
import { roundAmount } from '../business/documents/totals.ts';
import type { EntitySet, FieldValue, RecordValues } from '../business/entity-set.ts';
import type { Company } from '../business/store.ts';
import { recordsOf } from '../business/store.ts';
import { blankValues } from '../business/writes/blank-values.ts';
import type { Random } from '../seeded.ts';
import { derivedGuid, elementAt } from '../seeded.ts';
import { seededRecords } from './values.ts';

/** A line of a purchase order: of an item that sales orders sell. Of received orders, all is received and invoiced. */
export function seedPurchaseLine(
  company: Company,
  order: RecordValues,
  vendor: RecordValues,
  set: EntitySet,
  index: number,
  lineIndex: number,
  random: Random,
): RecordValues {
  const item = soldItem(company, index * 4 + lineIndex);
  const quantity = random.between(2, 60);
  const done = order.fullyReceived === true ? quantity : 0;
  const line: Record<string, FieldValue> = {
    ...blankValues(set),
    ...copyItemFields(company, vendorParty, item, vendor),
    id: derivedGuid(`${order.id}:${lineIndex}`),
    documentId: String(order.id),
    lineNo: (lineIndex + 1) * 10_000,
    quantity,
    receivedQuantity: done,
    invoicedQuantity: done,
    receiveQuantity: quantity - done,
    invoiceQuantity: quantity - done,
  };
  const percent = random.oneIn(6) ? random.pick([5, 10]) : 0;
  line.discountPercent = percent;
  line.discountAmount = roundAmount((quantity * Number(line.directUnitCost) * percent) / 100);
  return withBothNames(line, company);
}

/** The item of the first line of a sales order. */
function soldItem(company: Company, index: number): RecordValues {
  const orders = seededRecords(company, 'salesOrders');
  const itemId = orders.length === 0 ? undefined : elementAt(orders, index).lines[0]?.values.itemId;
  const item = recordsOf(company, 'items').get(String(itemId));
  return (item ?? elementAt(seededRecords(company, 'items'), index)).values;
}
