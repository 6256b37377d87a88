import { businessRuleError } from '../../api-error.ts';
import { setNamed } from '../entity-sets.ts';
import type { Company, Store, StoredRecord } from '../store.ts';
import { idOf, newRecordGuid } from '../store.ts';
import type { RecordValues } from '../values.ts';
import { nextNumber } from '../writes/number-series.ts';
import { updatedDocument } from './order-documents.ts';
import type { PostedLine } from './posted-documents.ts';
import { postAmounts, postShipment } from './posted-documents.ts';
import type { ActionResult } from './posting-checks.ts';
import { checkNotBlocked, takeFromInventory } from './posting-checks.ts';
import { numberField } from './totals.ts';

/**
 * Posts what the lines of an order say is to be shipped and invoiced. An order that is shipped and invoiced in full is
 * removed, as by the real service.
 */
export function shipAndInvoice(store: Store, company: Company, order: StoredRecord): ActionResult {
  const lines = order.lines.map(({ values }) => values);
  const shipped = linesToPost(lines, 'shipQuantity');
  const invoiced = linesToPost(lines, 'invoiceQuantity');
  if (shipped.length === 0 && invoiced.length === 0) throw businessRuleError('There is nothing to post.');
  checkNotBlocked(company, order.values);
  lines.forEach(checkInvoicedIsShipped);
  takeFromInventory(store, company, shipped);
  if (shipped.length > 0) addShipment(store, company, order.values, shipped);
  const invoice = invoiced.length > 0 ? addInvoice(store, company, order.values, invoiced) : undefined;
  const rest = lines.map(postedLine);
  if (rest.every((line) => numberField(line, 'invoicedQuantity') === numberField(line, 'quantity')))
    store.remove(company, 'salesOrders', order);
  else {
    const fullyShipped = rest.every(
      (line) => numberField(line, 'shippedQuantity') === numberField(line, 'quantity'),
    );
    const changed = updatedDocument(company, setNamed('salesOrders'), order, {}, rest);
    store.change(order, { ...changed.order, fullyShipped }, changed.lines);
  }
  return invoice ? { set: 'salesInvoices', id: idOf(invoice) } : { set: 'salesOrders', id: idOf(order) };
}

/** The lines with units to post; the comments among them only if there are any. */
function linesToPost(
  lines: readonly RecordValues[],
  field: 'shipQuantity' | 'invoiceQuantity',
): readonly PostedLine[] {
  const posted = lines.map((line) => ({ line, quantity: numberField(line, field) }));
  if (!posted.some(({ quantity }) => quantity > 0)) return [];
  return posted.filter(({ line, quantity }) => quantity > 0 || line.lineType === 'Comment');
}

function checkInvoicedIsShipped(line: RecordValues): void {
  const left = numberField(line, 'shippedQuantity') - numberField(line, 'invoicedQuantity');
  if (numberField(line, 'invoiceQuantity') <= left + numberField(line, 'shipQuantity')) return;
  throw businessRuleError('You cannot invoice more than is shipped.');
}

function postedLine(line: RecordValues): RecordValues {
  const shippedQuantity = numberField(line, 'shippedQuantity') + numberField(line, 'shipQuantity');
  const invoicedQuantity = numberField(line, 'invoicedQuantity') + numberField(line, 'invoiceQuantity');
  const quantity = numberField(line, 'quantity');
  return {
    ...line,
    shippedQuantity,
    invoicedQuantity,
    shipQuantity: quantity - shippedQuantity,
    invoiceQuantity: quantity - invoicedQuantity,
  };
}

const today = () => new Date().toISOString().slice(0, 10);

function addShipment(
  store: Store,
  company: Company,
  order: RecordValues,
  shipped: readonly PostedLine[],
): void {
  const set = setNamed('salesShipments');
  const sets = { set, lines: setNamed('salesShipmentLines') };
  const { values, lines } = postShipment(company, sets, order, shipped, {
    id: newRecordGuid(company, set.name),
    number: nextNumber(company, set),
    date: today(),
  });
  store.add(company, set.name, { ...values, ...now(), orderNumber: order.number ?? '' }, lines);
}

function addInvoice(
  store: Store,
  company: Company,
  order: RecordValues,
  invoiced: readonly PostedLine[],
): StoredRecord {
  const set = setNamed('salesInvoices');
  const sets = { set, lines: setNamed('salesInvoiceLines') };
  const { values, lines } = postAmounts(company, sets, order, invoiced, {
    id: newRecordGuid(company, set.name),
    number: nextNumber(company, set),
    date: today(),
    status: 'Open',
  });
  const remainingAmount = values.totalAmountIncludingTax ?? 0;
  const origin = { orderId: order.id ?? '', orderNumber: order.number ?? '' };
  return store.add(company, set.name, { ...values, ...now(), ...origin, remainingAmount }, lines);
}

const now = () => ({ lastModifiedDateTime: new Date().toISOString() });
