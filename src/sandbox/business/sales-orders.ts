import { badRequest, Refusal, refusedByRule } from '../refusal.ts';
import type { Dialect } from './dialect.ts';
import { isJsonObject, readFieldValues } from './field-values.ts';
import { documentNamed, withAllNames } from './line-names.ts';
import { billedTo, customerOf, shipmentDateOf, soldItem, soldTo } from './order-parties.ts';
import { salesOrderLines, salesOrders } from './order-sets.ts';
import type { Value, Values } from './records.ts';
import { blankValues, unsetGuid } from './records.ts';
import { withReferences } from './references.ts';
import type { Company, Store, StoredRecord } from './store.ts';
import { findRecord, newGuid, recordsOf } from './store.ts';
import { numberOf, rounded, taxPercentOf, withTotals } from './totals.ts';

type Input = Readonly<Record<string, unknown>>;

/**
 * Creates an order, with its lines if the body holds any, or nothing at all. What is left out
 * comes from the customer and the items; an `id` the caller chose is kept
 * (gap: see docs/upstream.md).
 */
export function createSalesOrder(
  store: Store,
  company: Company,
  dialect: Dialect,
  body: Input,
): StoredRecord {
  const set = dialect.set('salesOrders');
  const namesOfLines = set.navigations.filter(({ from }) => from === undefined).map(({ name }) => name);
  const [name = '', another] = namesOfLines.filter((one) => body[one] !== undefined);
  if (another !== undefined) throw badRequest(`Lines come either as ${name} or as ${another}, not as both.`);
  const given = body[name] ?? [];
  const header = Object.fromEntries(Object.entries(body).filter(([one]) => !namesOfLines.includes(one)));
  if (!Array.isArray(given)) throw badRequest('The lines of an order must be an array.');
  if (header.number !== undefined) {
    throw refusedByRule(
      'You may not enter numbers manually. If you want to enter numbers manually, please activate Manual Nos. in No. Series S-ORD.',
    );
  }

  const order = newOrder(company, readFieldValues(set, header, ['id']));
  const lines = given.map((line, index) => newLine(company, order, dialect, line, index));
  const named = numbered(lines).map((line) => withAllNames(line, company));
  const totalled = withTotals(order, named);
  checkDiscount(totalled.order);
  return store.add(company, salesOrders.name, totalled.order, totalled.lines);
}

/**
 * The values of an order after a change, and its lines with amounts to match. Another customer
 * brings their names, addresses and terms along, save what the change itself sets.
 */
export function changedOrder(
  company: Company,
  record: StoredRecord,
  changes: Values,
): { order: Values; lines: Values[] } {
  const resolved = withReferences(salesOrders, changes, company);
  const order = { ...record.values, ...partiesOf(company, resolved), ...resolved };
  const customer = customerOf(company, order);
  const lines = record.lines.map(({ values }) => ({
    ...values,
    taxPercent: taxPercentOf(company, String(values.taxCode), customer),
  }));
  const totalled = withTotals(order, lines);
  checkDiscount(totalled.order);
  return totalled;
}

function newOrder(company: Company, given: Values): Values {
  if (given.customerId === undefined && given.customerNumber === undefined) {
    throw refusedByRule('A "customerNumber" or a "customerId" must be provided.');
  }
  const { id = newGuid(company, salesOrders.name), ...rest } = given;
  if (recordsOf(company, salesOrders.name).has(String(id))) {
    throw new Refusal(
      409,
      'Internal_EntityWithSameKeyExists',
      'The record in table Sales Order already exists.',
    );
  }
  const resolved = withReferences(salesOrders, rest, company);
  const today = new Date().toISOString();
  return {
    ...blankValues(salesOrders),
    orderDate: today.slice(0, 10),
    postingDate: today.slice(0, 10),
    partialShipping: true,
    discountAppliedBeforeTax: true,
    ...partiesOf(company, resolved),
    ...resolved,
    id,
    number: nextNumber(company),
    // Rule 1 of States: a created sales order is a Draft.
    status: 'Draft',
    lastModifiedDateTime: today,
  };
}

/** Names, addresses and terms of the customers that a change names. */
function partiesOf(company: Company, changes: Values): Record<string, Value> {
  const customer = recordsOf(company, 'customers').get(String(changes.customerId))?.values;
  const payer = recordsOf(company, 'customers').get(String(changes.billToCustomerId))?.values ?? customer;
  return { ...(customer ? soldTo(customer) : {}), ...(payer ? billedTo(payer) : {}) };
}

function newLine(company: Company, order: Values, dialect: Dialect, body: unknown, index: number): Values {
  if (!isJsonObject(body)) throw badRequest('A line of an order must be a JSON object.');
  const read = documentNamed(readFieldValues(dialect.set('salesOrderLines'), body), company);
  const given = withReferences(salesOrderLines, read, company);
  const customer = customerOf(company, order);
  const item = recordsOf(company, 'items').get(String(given.itemId))?.values;
  const lineType = given.lineType ?? (given.accountId === undefined || item ? 'Item' : 'Account');
  checkObject(String(lineType), item, given);

  const line: Record<string, Value> = {
    ...blankValues(salesOrderLines),
    id: newGuid(company, `${order.id}:line:${index}`),
    documentId: order.id ?? unsetGuid,
    shipmentDate: shipmentDateOf(order),
    invoiceQuantity: given.quantity ?? 0,
    shipQuantity: given.quantity ?? 0,
    ...(item ? soldItem(company, item, customer) : {}),
    ...given,
    lineType,
  };
  line.taxPercent = taxPercentOf(company, String(line.taxCode), customer);
  return withLineDiscount(line, given);
}

/** The object of a line must be of its type; without one only a comment makes sense. */
function checkObject(lineType: string, item: Values | undefined, given: Values): void {
  const hasAccount = given.accountId !== undefined && given.accountId !== unsetGuid;
  if (lineType === 'Item' && !item) throw refusedByRule('An "itemId" or an "itemNo" must be provided.');
  if (lineType === 'Account' && !hasAccount) throw refusedByRule('An "accountId" must be provided.');
  if ((lineType !== 'Item' && item) || (lineType !== 'Account' && hasAccount)) {
    throw refusedByRule(`The object of the line does not match the line type '${lineType}'.`);
  }
}

/** A discount given as an amount fills the percentage, and the other way round. */
function withLineDiscount(line: Record<string, Value>, given: Values): Values {
  const gross = numberOf(line, 'quantity') * numberOf(line, 'unitPrice');
  if (given.discountAmount !== undefined) {
    const percent = gross === 0 ? 0 : rounded((numberOf(line, 'discountAmount') / gross) * 100);
    return { ...line, discountPercent: percent };
  }
  return { ...line, discountAmount: rounded((gross * numberOf(line, 'discountPercent')) / 100) };
}

/** Lines without a number follow the highest one in steps of 10000. */
function numbered(lines: readonly Values[]): Values[] {
  const taken = new Set<number>();
  let highest = 0;
  return lines.map((line) => {
    const lineNo = numberOf(line, 'lineNo') || highest + 10_000;
    if (lineNo < 0) throw badRequest(`A line cannot have the number ${lineNo}.`);
    if (taken.has(lineNo)) {
      throw new Refusal(409, 'Internal_EntityWithSameKeyExists', `The line ${lineNo} already exists.`);
    }
    taken.add(lineNo);
    highest = Math.max(highest, lineNo);
    return { ...line, lineNo };
  });
}

function checkDiscount(order: Values): void {
  if (numberOf(order, 'discountAmount') < 0 || numberOf(order, 'totalAmountExcludingTax') < 0) {
    throw refusedByRule('The discount cannot be negative or exceed the amount of the order.');
  }
}

function nextNumber(company: Company): string {
  let number = 101_001 + recordsOf(company, salesOrders.name).size;
  while (findRecord(company, salesOrders.name, 'number', `S-ORD${number}`)) number += 1;
  return `S-ORD${number}`;
}
