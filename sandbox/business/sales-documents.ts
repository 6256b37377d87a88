import { badRequestError, businessRuleError } from '../api-error.ts';
import type { CreateContext } from './client-ids.ts';
import { newRecordId, writableOnCreate } from './client-ids.ts';
import type { EntitySet, SalesDocument } from './entity-set.ts';
import { blankValues } from './entity-set.ts';
import { readFieldValues } from './field-values.ts';
import { checkManualNumber, nextNumber } from './number-series.ts';
import { copyBillToFields, copySellToFields, sellToCustomer } from './order-parties.ts';
import { resolveReferences } from './references.ts';
import { createLines } from './sales-lines.ts';
import type { Company, StoredRecord } from './store.ts';
import { recordsOf } from './store.ts';
import { calculateTotals, numberField, roundAmount, taxPercentFor } from './totals.ts';
import type { FieldValue, RecordValues } from './values.ts';

/**
 * Creates an order or a quote with the lines of the body, or throws and creates nothing. Fields left out are
 * copied from the customer and the items (gap: see docs/upstream.md).
 */
export function createSalesDocument(
  context: CreateContext,
  set: EntitySet,
  document: SalesDocument,
  body: Readonly<Record<string, unknown>>,
): StoredRecord {
  const { store, company, dialect } = context;
  const namesOfLines = set.navigations.filter(({ from }) => from === undefined).map(({ name }) => name);
  const [name = '', another] = namesOfLines.filter((one) => body[one] !== undefined);
  if (another !== undefined) throw badRequestError(`Lines must be in ${name} or in ${another}, not in both.`);
  const given = name === '' ? [] : body[name];
  const rest = Object.fromEntries(Object.entries(body).filter(([one]) => !namesOfLines.includes(one)));
  if (!Array.isArray(given)) throw badRequestError('The lines of an order must be an array.');
  checkManualNumber(set, rest.number);

  const read = readFieldValues(set, rest, writableOnCreate(context, set));
  const header = createHeader(context, set, document, read);
  const totalled = calculateTotals(header, createLines(company, dialect, { ...document, header }, given));
  checkAmounts(totalled);
  const numbered = { ...totalled.order, number: nextNumber(company, set) };
  return store.add(company, set.name, numbered, totalled.lines);
}

/**
 * Returns the values of an order after a change, and its lines (`held` by default) with recalculated amounts. A new customer's
 * names, addresses, terms and taxes are copied, except for the fields of the change itself.
 */
export function updatedDocument(
  company: Company,
  set: EntitySet,
  record: StoredRecord,
  changes: RecordValues,
  held: readonly RecordValues[] = record.lines.map(({ values }) => values),
): { order: RecordValues; lines: RecordValues[] } {
  const resolved = resolveReferences(set, changes, company);
  const { customerId, billToCustomerId } = resolved;
  const isSoldToAnother = customerId !== undefined && customerId !== record.values.customerId;
  const isPaidByAnother =
    billToCustomerId !== undefined && billToCustomerId !== record.values.billToCustomerId;
  const parties = isSoldToAnother
    ? partyFields(company, resolved)
    : partyFields(company, isPaidByAnother ? { billToCustomerId } : {});
  const order = { ...record.values, ...parties, ...resolved };
  const customer = sellToCustomer(company, order);
  const lines = held.map((values) =>
    isSoldToAnother
      ? { ...values, taxPercent: taxPercentFor(company, String(values.taxCode), customer) }
      : values,
  );
  const totalled = calculateTotals(order, lines);
  checkAmounts(totalled);
  return totalled;
}

/** Names, addresses and terms of the customers that a change refers to. */
function partyFields(company: Company, changes: RecordValues): Record<string, FieldValue> {
  const customer = recordsOf(company, 'customers').get(String(changes.customerId))?.values;
  const payer = recordsOf(company, 'customers').get(String(changes.billToCustomerId))?.values ?? customer;
  return { ...(customer ? copySellToFields(customer) : {}), ...(payer ? copyBillToFields(payer) : {}) };
}

/** Throws an `ApiError` when the discount is negative or exceeds the amount, or an amount overflows. */
function checkAmounts({ order, lines }: ReturnType<typeof calculateTotals>): void {
  const discount = numberField(order, 'discountAmount');
  const amount = lines.reduce((sum, line) => sum + numberField(line, 'amountExcludingTax'), 0);
  if (!Number.isFinite(numberField(order, 'totalAmountIncludingTax'))) {
    throw businessRuleError('The amount of the order is too large.');
  }
  if (discount < 0 || discount > Math.max(roundAmount(amount), 0)) {
    throw businessRuleError('The discount cannot be negative or exceed the amount of the order.');
  }
}

function createHeader(
  context: CreateContext,
  set: EntitySet,
  document: SalesDocument,
  given: RecordValues,
): RecordValues {
  const { company } = context;
  const { id: chosen, ...fields } = given;
  if (fields.customerId === undefined && fields.customerNumber === undefined) {
    throw businessRuleError('A "customerNumber" or a "customerId" must be provided.');
  }
  const resolved = resolveReferences(set, fields, company);
  const now = new Date().toISOString();
  const header: RecordValues = {
    ...blankValues(set),
    ...document.defaults(now.slice(0, 10)),
    ...partyFields(company, resolved),
    ...resolved,
    id: newRecordId(context, set, chosen),
    // States, rule 1: a created sales order has the status Draft.
    status: 'Draft',
    lastModifiedDateTime: now,
  };
  return { ...header, ...document.derive?.(header, company), ...resolved };
}
