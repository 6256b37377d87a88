import type { Creation } from './chosen-ids.ts';
import { customerOf, shipmentDateOf } from './order-parties.ts';
import { salesOrderLines, salesOrders } from './order-sets.ts';
import type { Values } from './records.ts';
import { withReferences } from './references.ts';
import type { DocumentKind } from './sales-documents.ts';
import { checkAmounts, createDocument, partiesOf } from './sales-documents.ts';
import type { Company, StoredRecord } from './store.ts';
import { taxPercentOf, withTotals } from './totals.ts';

const orders: DocumentKind = {
  set: salesOrders,
  lines: salesOrderLines,
  startOn: (today) => ({
    orderDate: today,
    postingDate: today,
    partialShipping: true,
    discountAppliedBeforeTax: true,
  }),
  startOfLine: (order, { quantity = 0 }) => ({
    shipmentDate: shipmentDateOf(order),
    invoiceQuantity: quantity,
    shipQuantity: quantity,
  }),
};

/** Creates an order, with its lines if the body holds any, or nothing at all. */
export function createSalesOrder(creation: Creation, body: Readonly<Record<string, unknown>>): StoredRecord {
  return createDocument(creation, orders, body);
}

/**
 * The values of an order after a change, and its lines with amounts to match. Another customer
 * brings their names, addresses, terms and taxes along, save what the change itself sets.
 */
export function changedOrder(
  company: Company,
  record: StoredRecord,
  changes: Values,
): { order: Values; lines: Values[] } {
  const resolved = withReferences(salesOrders, changes, company);
  const { customerId, billToCustomerId } = resolved;
  const isSoldToAnother = customerId !== undefined && customerId !== record.values.customerId;
  const isPaidByAnother =
    billToCustomerId !== undefined && billToCustomerId !== record.values.billToCustomerId;
  const parties = isSoldToAnother
    ? partiesOf(company, resolved)
    : partiesOf(company, isPaidByAnother ? { billToCustomerId } : {});
  const order = { ...record.values, ...parties, ...resolved };
  const customer = customerOf(company, order);
  const lines = record.lines.map(({ values }) =>
    isSoldToAnother
      ? { ...values, taxPercent: taxPercentOf(company, String(values.taxCode), customer) }
      : values,
  );
  const totalled = withTotals(order, lines);
  checkAmounts(totalled);
  return totalled;
}
