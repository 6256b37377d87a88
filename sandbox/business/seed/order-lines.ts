import { derivedGuid, elementAt } from '../../seeded.ts';
import { withBothNames } from '../documents/document-fields.ts';
import { copyFields, copyItemFields, customerParty, vendorParty } from '../documents/order-parties.ts';
import { numberField, roundAmount } from '../documents/totals.ts';
import type { Company, DocumentParty, EntitySet, RecordValues, SeedContext } from '../entity-set.ts';
import { findRecord, idOf, recordsOf } from '../store.ts';
import { blankValues } from '../writes/field-values.ts';
import { seededRecords } from './values.ts';

/** The sell-to customer of an order or a quote, and what its header copies from the customer and who pays. */
export function seededParties(
  { company }: SeedContext,
  index: number,
): { customer: RecordValues; fields: RecordValues } {
  const customers = seededRecords(company, 'customers');
  const customer = elementAt(customers, index * 7 + 3).values;
  const payer = index % 20 === 9 ? elementAt(customers, index * 7 + 5).values : customer;
  const fields = {
    ...copyFields(customer, customerParty.fields),
    ...copyFields(payer, customerParty.payerFields),
  };
  return { customer, fields };
}

/**
 * A line of an order or a quote. The first sells an item. One in nine of the others is a comment or a G/L
 * account.
 */
export function seedLine(
  { company, random }: SeedContext,
  document: RecordValues,
  customer: RecordValues,
  set: EntitySet,
  index: number,
  lineIndex: number,
): RecordValues {
  const item = elementAt(seededRecords(company, 'items'), index * 5 + lineIndex * 11).values;
  const kind = lineIndex > 0 && random.oneIn(9) ? random.pick(['Comment', 'Account']) : 'Item';
  const isItem = kind === 'Item';
  const quantity = kind === 'Comment' ? 0 : random.between(1, 24);
  const values = {
    ...(isItem ? copyItemFields(company, customerParty, item, customer) : otherLine(company, kind)),
    ...(isItem ? formAndPlace(company, item, index + lineIndex) : {}),
    quantity,
    discountPercent: isItem && random.oneIn(6) ? random.pick([5, 10, 12.5]) : 0,
  };
  return completeLine(company, document, set, customerParty, lineIndex, values);
}

/** A line with its ids, its number and the amount of its discount. */
function completeLine(
  company: Company,
  document: RecordValues,
  set: EntitySet,
  { priceField }: DocumentParty,
  lineIndex: number,
  values: RecordValues,
): RecordValues {
  const gross = numberField(values, 'quantity') * numberField(values, priceField);
  const line = {
    ...blankValues(set),
    ...values,
    id: derivedGuid(`${document.id}:${lineIndex}`),
    documentId: String(document.id),
    lineNo: (lineIndex + 1) * 10_000,
    discountAmount: roundAmount((gross * numberField(values, 'discountPercent')) / 100),
  };
  return withBothNames(line, company);
}

/** The variant and the location of a line; most lines have none. */
function formAndPlace(company: Company, item: RecordValues, index: number): RecordValues {
  const variant = index % 7 === 5 ? findRecord(company, 'itemVariants', 'itemId', item.id ?? '') : undefined;
  const place = index % 9 === 4 ? elementAt(seededRecords(company, 'locations'), index) : undefined;
  return {
    ...(variant && { itemVariantId: idOf(variant), description2: variant.values.description ?? '' }),
    ...(place && { locationId: idOf(place) }),
  };
}

function otherLine(company: Company, kind: string): RecordValues {
  if (kind === 'Comment') return { lineType: kind, description: 'Please call before delivery' };
  const account = findRecord(company, 'accounts', 'number', '4090')?.values;
  return { lineType: kind, accountId: account?.id ?? '', description: 'Freight', unitPrice: 4.5 };
}

/** A line of a purchase order: of an item that sales orders sell. Of received orders, all is received and invoiced. */
export function seedPurchaseLine(
  { set, company, random }: SeedContext,
  order: RecordValues,
  vendor: RecordValues,
  index: number,
  lineIndex: number,
): RecordValues {
  const item = soldItem(company, index * 4 + lineIndex);
  const quantity = random.between(2, 60);
  const done = order.fullyReceived === true ? quantity : 0;
  const values = {
    ...copyItemFields(company, vendorParty, item, vendor),
    ...formAndPlace(company, item, index + lineIndex),
    quantity,
    receivedQuantity: done,
    invoicedQuantity: done,
    receiveQuantity: quantity - done,
    invoiceQuantity: quantity - done,
    discountPercent: random.oneIn(6) ? random.pick([5, 10]) : 0,
  };
  return completeLine(company, order, set, vendorParty, lineIndex, values);
}

/** The item of the first line of a sales order. */
function soldItem(company: Company, index: number): RecordValues {
  const orders = seededRecords(company, 'salesOrders');
  const itemId = orders.length === 0 ? undefined : elementAt(orders, index).lines[0]?.values.itemId;
  const item = recordsOf(company, 'items').get(String(itemId));
  return (item ?? elementAt(seededRecords(company, 'items'), index)).values;
}
