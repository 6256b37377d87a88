import { badRequest, refusedByRule } from '../refusal.ts';
import type { Creation } from './chosen-ids.ts';
import { idOfNew, writableOnCreate } from './chosen-ids.ts';
import { readFieldValues } from './field-values.ts';
import { expectNoNumber, nextNumber } from './number-series.ts';
import { billedTo, soldTo } from './order-parties.ts';
import type { RecordSet, Value, Values } from './records.ts';
import { blankValues } from './records.ts';
import { withReferences } from './references.ts';
import type { LineOwner } from './sales-lines.ts';
import { newLines } from './sales-lines.ts';
import type { Company, StoredRecord } from './store.ts';
import { recordsOf } from './store.ts';
import { numberOf, rounded, withTotals } from './totals.ts';

type Body = Readonly<Record<string, unknown>>;

/** A kind of sales document, under the names of the document. */
export interface DocumentKind extends Pick<LineOwner, 'lines' | 'startOfLine'> {
  readonly set: RecordSet;
  /** What one starts with on a day, before its customer and its caller have their say. */
  readonly startOn: (today: string) => Values;
  /** What follows from the rest where the caller leaves it out. */
  readonly follows?: (header: Values, company: Company) => Values;
}

/**
 * Creates an order or a quote, with its lines if the body holds any, or nothing at all. What is left
 * out comes from the customer and the items (gap: see docs/upstream.md).
 */
export function createDocument(creation: Creation, kind: DocumentKind, body: Body): StoredRecord {
  const { store, company, dialect } = creation;
  const set = dialect.set(kind.set.name);
  const namesOfLines = set.navigations.filter(({ from }) => from === undefined).map(({ name }) => name);
  const [name = '', another] = namesOfLines.filter((one) => body[one] !== undefined);
  if (another !== undefined) throw badRequest(`Lines come either as ${name} or as ${another}, not as both.`);
  const given = name === '' ? [] : body[name];
  const rest = Object.fromEntries(Object.entries(body).filter(([one]) => !namesOfLines.includes(one)));
  if (!Array.isArray(given)) throw badRequest('The lines of an order must be an array.');
  expectNoNumber(set.name, rest.number);

  const read = readFieldValues(set, rest, writableOnCreate(creation, set));
  const header = newHeader(creation, kind, read);
  const totalled = withTotals(header, newLines(company, dialect, { ...kind, header }, given));
  checkAmounts(totalled);
  const numbered = { ...totalled.order, number: nextNumber(company, set.name) };
  return store.add(company, set.name, numbered, totalled.lines);
}

/** Names, addresses and terms of the customers that a change names. */
export function partiesOf(company: Company, changes: Values): Record<string, Value> {
  const customer = recordsOf(company, 'customers').get(String(changes.customerId))?.values;
  const payer = recordsOf(company, 'customers').get(String(changes.billToCustomerId))?.values ?? customer;
  return { ...(customer ? soldTo(customer) : {}), ...(payer ? billedTo(payer) : {}) };
}

/** Refuses a discount that is negative or takes more than there is, and amounts too large to be reckoned with. */
export function checkAmounts({ order, lines }: ReturnType<typeof withTotals>): void {
  const discount = numberOf(order, 'discountAmount');
  const amount = lines.reduce((sum, line) => sum + numberOf(line, 'amountExcludingTax'), 0);
  if (!Number.isFinite(numberOf(order, 'totalAmountIncludingTax'))) {
    throw refusedByRule('The amount of the order is too large.');
  }
  if (discount < 0 || discount > Math.max(rounded(amount), 0)) {
    throw refusedByRule('The discount cannot be negative or exceed the amount of the order.');
  }
}

function newHeader(creation: Creation, kind: DocumentKind, given: Values): Values {
  const { company } = creation;
  const { id: chosen, ...fields } = given;
  if (fields.customerId === undefined && fields.customerNumber === undefined) {
    throw refusedByRule('A "customerNumber" or a "customerId" must be provided.');
  }
  const resolved = withReferences(kind.set, fields, company);
  const now = new Date().toISOString();
  const header: Values = {
    ...blankValues(kind.set),
    ...kind.startOn(now.slice(0, 10)),
    ...partiesOf(company, resolved),
    ...resolved,
    id: idOfNew(creation, kind.set, chosen),
    // Rule 1 of States: a created sales order is a Draft.
    status: 'Draft',
    lastModifiedDateTime: now,
  };
  return { ...header, ...kind.follows?.(header, company), ...resolved };
}
