import { withBothNames } from '../business/documents/document-fields.ts';
import { copyItemFields, customerParty, vendorParty } from '../business/documents/order-parties.ts';
import { numberField, roundAmount } from '../business/documents/totals.ts';
import type { EntitySet, FieldValue, RecordValues } from '../business/entity-set.ts';
import { type Company, findRecord, recordsOf } from '../business/store.ts';
import { blankValues } from '../business/writes/field-values.ts';
import { derivedGuid, elementAt, type Random } from '../seeded.ts';
import { seededRecords } from './values.ts';

/**
 * A line of an order or a quote. The first sells an item. One in nine of the others is a comment or a G/L
 * account.
 */
export function seedLine(
  company: Company,
  document: RecordValues,
  customer: RecordValues,
  set: EntitySet,
  index: number,
  lineIndex: number,
  random: Random,
): RecordValues {
  const stock = seededRecords(company, 'items');
  const item = elementAt(stock, index * 5 + lineIndex * 11).values;
  const kind = lineIndex > 0 && random.oneIn(9) ? random.pick(['Comment', 'Account']) : 'Item';
  const quantity = kind === 'Comment' ? 0 : random.between(1, 24);
  const line: Record<string, FieldValue> = {
    ...blankValues(set),
    ...(kind === 'Item' ? copyItemFields(company, customerParty, item, customer) : otherLine(company, kind)),
    id: derivedGuid(`${document.id}:${lineIndex}`),
    documentId: String(document.id),
    lineNo: (lineIndex + 1) * 10_000,
    quantity,
    ...(kind === 'Item' ? variantOf(index + lineIndex) : {}),
  };
  const percent = kind === 'Item' && random.oneIn(6) ? random.pick([5, 10, 12.5]) : 0;
  line.discountPercent = percent;
  line.discountAmount = roundAmount((quantity * numberField(line, 'unitPrice') * percent) / 100);
  return withBothNames(line, company);
}

/** The sell-to and bill-to customers of an order or a quote. */
export function seededParties(
  company: Company,
  index: number,
): { customer: RecordValues; payer: RecordValues } {
  const customers = seededRecords(company, 'customers');
  const customer = elementAt(customers, index * 7 + 3).values;
  return { customer, payer: index % 20 === 9 ? elementAt(customers, index * 7 + 5).values : customer };
}

/** Some lines have a variant or a location. The sandbox has no records of these. */
function variantOf(index: number): RecordValues {
  return {
    ...(index % 7 === 5
      ? { itemVariantId: derivedGuid('variant:0'), description2: 'Left-hand version' }
      : {}),
    ...(index % 9 === 4 ? { locationId: derivedGuid('location:0') } : {}),
  };
}

function otherLine(company: Company, kind: string): RecordValues {
  if (kind === 'Comment') return { lineType: kind, description: 'Please call before delivery' };
  const account = findRecord(company, 'accounts', 'number', '4090')?.values;
  return { lineType: kind, accountId: account?.id ?? '', description: 'Freight', unitPrice: 4.5 };
}

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
