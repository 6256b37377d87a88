import { badRequestError, businessRuleError } from '../../api-error.ts';
import type { EntitySet, FieldValue, OrderDocument, RecordValues } from '../entity-set.ts';
import { resolveReferences } from '../references.ts';
import type { Company, StoredRecord } from '../store.ts';
import { recordsOf } from '../store.ts';
import { blankValues } from '../writes/blank-values.ts';
import type { CreateContext } from '../writes/client-ids.ts';
import { newRecordId, writableOnCreate } from '../writes/client-ids.ts';
import { readFieldValues } from '../writes/field-values.ts';
import { checkManualNumber, nextNumber } from '../writes/number-series.ts';
import { createLines } from './order-lines.ts';
import type { DocumentParty } from './order-parties.ts';
import { copyPartyFields, copyPayerFields, partyOf } from './order-parties.ts';
import { calculateTotals, numberField, roundAmount, taxPercentFor } from './totals.ts';

/**
 * Creates an order or a quote with the lines of the body, or throws and creates nothing. Fields left out are
 * copied from the customer or vendor and the items (gap: see docs/upstream.md).
 */
export function createOrderDocument(
  context: CreateContext,
  set: EntitySet,
  document: OrderDocument,
  body: Readonly<Record<string, unknown>>,
): StoredRecord {
  const { store, company, dialect } = context;
  const namesOfLines = set.navigations
    .filter(({ target }) => target === document.lines.name)
    .map(({ name }) => name);
  const [name = '', another] = namesOfLines.filter((one) => body[one] !== undefined);
  if (another !== undefined) throw badRequestError(`Lines must be in ${name} or in ${another}, not in both.`);
  const given = name === '' ? [] : body[name];
  const rest = Object.fromEntries(Object.entries(body).filter(([one]) => !namesOfLines.includes(one)));
  if (!Array.isArray(given)) throw badRequestError('The lines of an order must be an array.');
  checkManualNumber(set, rest.number);

  const read = readFieldValues(set, rest, writableOnCreate(context, set));
  const header = createHeader(context, set, document, read);
  const lines = createLines(company, dialect, { ...document, header }, given);
  const totalled = calculateTotals(header, lines, document.party.priceField);
  checkAmounts(totalled);
  const numbered = { ...totalled.order, number: nextNumber(company, set) };
  return store.add(company, set.name, numbered, totalled.lines);
}

/**
 * Returns the values of an order after a change, and its lines (`held` by default) with recalculated amounts. The names,
 * addresses, terms and taxes of a new customer or vendor are copied, except for the fields of the change itself.
 */
export function updatedDocument(
  company: Company,
  set: EntitySet,
  record: StoredRecord,
  changes: RecordValues,
  held: readonly RecordValues[] = record.lines.map(({ values }) => values),
): { order: RecordValues; lines: RecordValues[] } {
  const { party } = documentOf(set);
  const resolved = resolveReferences(set, changes, company);
  const isNew = (field: string) => resolved[field] !== undefined && resolved[field] !== record.values[field];
  const hasNewParty = isNew(party.idField);
  const payer = isNew(party.payerIdField) ? { [party.payerIdField]: resolved[party.payerIdField] ?? '' } : {};
  const parties = partyFields(company, party, hasNewParty ? resolved : payer);
  const order = { ...record.values, ...parties, ...resolved };
  const owner = partyOf(company, party, order);
  const lines = held.map((values) =>
    hasNewParty ? { ...values, taxPercent: taxPercentFor(company, String(values.taxCode), owner) } : values,
  );
  const totalled = calculateTotals(order, lines, party.priceField);
  checkAmounts(totalled);
  return totalled;
}

function documentOf({ name, document }: EntitySet): OrderDocument {
  if (!document) throw new TypeError(`expected a set of documents, got '${name}'`);
  return document;
}

/** Names, addresses and terms of the customers or vendors that a change refers to. */
function partyFields(
  company: Company,
  party: DocumentParty,
  changes: RecordValues,
): Record<string, FieldValue> {
  const find = (field: string) => recordsOf(company, party.set).get(String(changes[field]))?.values;
  const owner = find(party.idField);
  const payer = find(party.payerIdField) ?? owner;
  return { ...(owner ? copyPartyFields(party, owner) : {}), ...(payer ? copyPayerFields(party, payer) : {}) };
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
  document: OrderDocument,
  given: RecordValues,
): RecordValues {
  const { company } = context;
  const { party } = document;
  const { id: chosen, ...fields } = given;
  if (fields[party.idField] === undefined && fields[party.numberField] === undefined) {
    throw businessRuleError(`A "${party.numberField}" or a "${party.idField}" must be provided.`);
  }
  const resolved = resolveReferences(set, fields, company);
  const now = new Date().toISOString();
  const header: RecordValues = {
    ...blankValues(set),
    ...document.defaults(now.slice(0, 10), company),
    ...partyFields(company, party, resolved),
    ...resolved,
    id: newRecordId(context, set, chosen),
    // States, rule 1: a created sales order has the status Draft.
    status: 'Draft',
    lastModifiedDateTime: now,
  };
  return { ...header, ...document.derive?.(header, company), ...resolved };
}
