import { withAllNames } from '../business/line-names.ts';
import { billedTo, shipmentDateOf, soldItem, soldTo } from '../business/order-parties.ts';
import { salesOrderLines, salesOrders } from '../business/order-sets.ts';
import { items } from '../business/record-sets.ts';
import type { RecordSet, Value, Values } from '../business/records.ts';
import { blankValues, unsetDate } from '../business/records.ts';
import { withReferences } from '../business/references.ts';
import type { Company, Store } from '../business/store.ts';
import { findRecord, idOf } from '../business/store.ts';
import { numberOf, rounded, withTotals } from '../business/totals.ts';
import type { Random } from '../seeded.ts';
import { at, derivedGuid } from '../seeded.ts';
import { seededRecords, seededTime } from './people.ts';
import { goods, woods } from './words.ts';

/** One item of the number series, 1000 first. Every type occurs, and every twelfth item is blocked. */
export function seedItem(store: Store, company: Company, index: number, random: Random): void {
  const [category, , kinds] = at(goods, index);
  const isService = category === 'SERVICE';
  const type = isService
    ? 'Service'
    : category === 'PARTS' && index % 2 === 0
      ? 'Non-Inventory'
      : 'Inventory';
  const kind = at<string>(kinds, Math.floor(index / goods.length));
  const unitCost = rounded(random.between(500, 80_000) / 100);
  const given: Values = {
    itemCategoryCode: index % 17 === 16 ? '' : category,
    taxGroupCode: isService ? 'LABOR' : category === 'TEXTILE' ? 'TEXTILES' : 'FURNITURE',
    baseUnitOfMeasureCode: isService
      ? 'HOUR'
      : category === 'PARTS'
        ? at(['BOX', 'KG', 'SET'], index)
        : 'PCS',
    generalProductPostingGroupCode: isService ? 'SERVICES' : 'RETAIL',
    inventoryPostingGroupCode: type === 'Inventory' ? 'RESALE' : '',
  };
  store.add(company, items.name, {
    ...blankValues(items),
    ...withReferences(items, given, company),
    id: derivedGuid(`${idOf(company.record)}:items:${index}`),
    number: `${1000 + index * 4}${random.oneIn(3) ? '-S' : ''}`,
    displayName: isService
      ? `${kind}, ${at(['standard', 'express', 'on site'], index)}`
      : `${at(woods, index)} ${kind}`,
    displayName2: random.oneIn(6) ? 'Made to order' : '',
    type,
    blocked: index % 12 === 11,
    gtin: type === 'Inventory' && random.oneIn(2) ? `40${String(11_000_000_000 + index * 9_173)}` : '',
    inventory: type === 'Inventory' ? random.between(0, 250) : 0,
    unitPrice: rounded(unitCost * 1.4),
    priceIncludesTax: random.oneIn(20),
    unitCost,
    lastModifiedDateTime: seededTime(index * 2),
  });
}

/** One order of the number series, S-ORD101001 first, with one to five lines. */
export function seedOrder(store: Store, company: Company, index: number, random: Random): void {
  const id = derivedGuid(`${idOf(company.record)}:salesOrders:${index}`);
  const { customer, payer } = seededParties(company, index);
  const orderDate = seededTime(index * 15).slice(0, 10);
  const header: Values = {
    ...blankValues(salesOrders),
    ...soldTo(customer),
    ...billedTo(payer),
    id,
    number: `S-ORD${101_001 + index}`,
    externalDocumentNumber: random.oneIn(2) ? `PO-${random.between(1000, 9999)}` : '',
    orderDate,
    postingDate: orderDate,
    requestedDeliveryDate: random.oneIn(3) ? unsetDate : seededTime(index * 15 + 160).slice(0, 10),
    shipToContact: random.oneIn(2) ? 'Goods inward' : '',
    shortcutDimension1Code: random.pick(['', 'SALES', 'PROJECT']),
    shortcutDimension2Code: random.pick(['', 'SMALL', 'MEDIUM', 'LARGE']),
    pricesIncludeTax: index % 25 === 24,
    partialShipping: !random.oneIn(5),
    discountAmount: index % 10 === 6 ? random.between(1, 5) : 0,
    discountAppliedBeforeTax: true,
    fullyShipped: index % 16 === 15,
    status: at(['Draft', 'Open', 'Draft', 'In Review', 'Open'], index),
    lastModifiedDateTime: seededTime(index * 4),
  };
  const count = 1 + (index % 5);
  const lines = Array.from({ length: count }, (_, place) =>
    seedOrderLine(company, header, customer, index, place, random),
  );
  const totalled = withTotals(header, lines);
  store.add(company, salesOrders.name, totalled.order, totalled.lines);
}

function seedOrderLine(
  company: Company,
  order: Values,
  customer: Values,
  index: number,
  place: number,
  random: Random,
): Values {
  const line = seedLine(company, order, customer, salesOrderLines, index, place, random);
  const quantity = numberOf(line, 'quantity');
  const isShipped = order.fullyShipped === true;
  return {
    ...line,
    shipmentDate: shipmentDateOf(order),
    shippedQuantity: isShipped ? quantity : 0,
    shipQuantity: isShipped ? 0 : quantity,
    invoiceQuantity: quantity,
  };
}

/**
 * A line of an order or a quote. The first always sells an item; of the others one in nine is a
 * comment or an amount of an account.
 */
export function seedLine(
  company: Company,
  document: Values,
  customer: Values,
  set: RecordSet,
  index: number,
  place: number,
  random: Random,
): Values {
  const stock = seededRecords(company, 'items');
  const item = at(stock, index * 5 + place * 11).values;
  const kind = place > 0 && random.oneIn(9) ? random.pick(['Comment', 'Account']) : 'Item';
  const quantity = kind === 'Comment' ? 0 : random.between(1, 24);
  const line: Record<string, Value> = {
    ...blankValues(set),
    ...(kind === 'Item' ? soldItem(company, item, customer) : otherLine(company, kind)),
    id: derivedGuid(`${document.id}:${place}`),
    documentId: String(document.id),
    lineNo: (place + 1) * 10_000,
    quantity,
    ...(kind === 'Item' ? variantOf(index + place) : {}),
  };
  const percent = kind === 'Item' && random.oneIn(6) ? random.pick([5, 10, 12.5]) : 0;
  line.discountPercent = percent;
  line.discountAmount = rounded((quantity * numberOf(line, 'unitPrice') * percent) / 100);
  return withAllNames(line, company);
}

/** Who an order or a quote is for, and who pays. */
export function seededParties(company: Company, index: number): { customer: Values; payer: Values } {
  const customers = seededRecords(company, 'customers');
  const customer = at(customers, index * 7 + 3).values;
  return { customer, payer: index % 20 === 9 ? at(customers, index * 7 + 5).values : customer };
}

/** Some lines sell a variant, or from a certain place; the sandbox has no records of either. */
function variantOf(index: number): Values {
  return {
    ...(index % 7 === 5
      ? { itemVariantId: derivedGuid('variant:0'), description2: 'Left-hand version' }
      : {}),
    ...(index % 9 === 4 ? { locationId: derivedGuid('location:0') } : {}),
  };
}

function otherLine(company: Company, kind: string): Values {
  if (kind === 'Comment') return { lineType: kind, description: 'Please call before delivery' };
  const account = findRecord(company, 'accounts', 'number', '4090')?.values;
  return { lineType: kind, accountId: account?.id ?? '', description: 'Freight', unitPrice: 4.5 };
}
