import { badRequestError, businessRuleError, invalidRelationError } from '../../api-error.ts';
import { isJsonObject } from '../../json-checks.ts';
import { derivedGuid } from '../../seeded.ts';
import { type Dialect, duplicateKeyError } from '../dialect.ts';
import {
  type Company,
  type DocumentParty,
  type EntitySet,
  type FieldValue,
  type OrderDocument,
  type RecordValues,
  type StoredRecord,
  unsetGuid,
} from '../entity-set.ts';
import { resolveReferences } from '../references.ts';
import { findRecord, idOf, recordsOf } from '../store.ts';
import { type CreateContext, newRecordId, writableOnCreate } from '../writes/client-ids.ts';
import { blankValues, readFieldValues } from '../writes/field-values.ts';
import { checkManualNumber, nextDraftNumber, nextNumber } from '../writes/number-series.ts';
import { toDocumentNames, withBothNames } from './document-fields.ts';
import { copyFields, copyItemFields, partyOf } from './order-parties.ts';
import { calculateTotals, isDraft, numberField, roundAmount, taxPercentFor } from './totals.ts';

/**
 * Creates a document with the lines of the body, or throws and creates nothing. Fields left out are
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
  const { draftPrefix } = document;
  const number = draftPrefix ? nextDraftNumber(company, set, draftPrefix) : nextNumber(company, set);
  const numbered = { ...totalled.values, number };
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
): { values: RecordValues; lines: RecordValues[] } {
  const document = documentOf(set);
  checkIsDraft(document, record.values);
  const { party } = document;
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

/** Throws an `ApiError` for an invoice or a credit memo that is posted. */
export function checkIsDraft({ caption, draftPrefix }: OrderDocument, values: RecordValues): void {
  if (draftPrefix === undefined || isDraft(values)) return;
  throw businessRuleError(`The ${caption} has been posted and can no longer be changed.`);
}

/** How documents of a set are written. */
export function documentOf({ name, document }: EntitySet): OrderDocument {
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
  return {
    ...(owner ? copyFields(owner, party.fields) : {}),
    ...(payer ? copyFields(payer, party.payerFields) : {}),
  };
}

/** Throws an `ApiError` when the discount is negative or exceeds the amount, or an amount overflows. */
function checkAmounts({ values: order, lines }: ReturnType<typeof calculateTotals>): void {
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

/** The type of a document, and the header of the one that new lines are created for. */
export type LineContext = OrderDocument & { readonly header: RecordValues };

/** Creates the lines of a deep insert. Throws an `ApiError` for the first invalid line. */
function createLines(
  company: Company,
  dialect: Dialect,
  owner: LineContext,
  given: readonly unknown[],
): RecordValues[] {
  const lines = given.map((line, index) => createLine(company, dialect, owner, line, String(index)));
  return assignLineNumbers(lines, dialect, owner.lines).map((line) => withBothNames(line, company));
}

/** Creates a line without a number, unless the body has one. `key` is part of its id, and unique in the document. */
export function createLine(
  company: Company,
  dialect: Dialect,
  { header, party, lines, lineDefaults: startOfLine }: LineContext,
  body: unknown,
  key: string,
): RecordValues {
  if (!isJsonObject(body)) throw badRequestError('A line of an order must be a JSON object.');
  const read = toDocumentNames(readFieldValues(dialect.set(lines.name), body), company);
  const given = resolveReferences(lines, read, company);
  const owner = partyOf(company, party, header);
  const item = recordsOf(company, 'items').get(String(given.itemId))?.values;
  const lineType = given.lineType ?? (given.accountId === undefined || item ? 'Item' : 'Account');
  checkLineObject(String(lineType), item, given);
  checkTaxCode(company, party, given);

  const line: Record<string, FieldValue> = {
    ...blankValues(lines),
    id: derivedGuid(`${idOf(company.record)}:${header.id}:line:${key}`),
    documentId: header.id ?? unsetGuid,
    ...startOfLine(header, given),
    ...(item ? copyItemFields(company, party, item, owner) : {}),
    ...given,
    lineType,
  };
  line.taxPercent = taxPercentFor(company, String(line.taxCode), owner);
  return withLineDiscount(line, party, given);
}

/** The object of a line must match its type. Only a comment has none. */
function checkLineObject(lineType: string, item: RecordValues | undefined, given: RecordValues): void {
  const hasAccount = given.accountId !== undefined && given.accountId !== unsetGuid;
  if (lineType === 'Item' && !item) throw businessRuleError('An "itemId" or an "itemNo" must be provided.');
  if (lineType === 'Account' && !hasAccount) throw businessRuleError('An "accountId" must be provided.');
  if ((lineType !== 'Item' && item) || (lineType !== 'Account' && hasAccount)) {
    throw businessRuleError(`The object of the line does not match the line type '${lineType}'.`);
  }
}

export function checkTaxCode(
  company: Company,
  { lineTable }: DocumentParty,
  { taxCode = '' }: RecordValues,
): void {
  if (taxCode === '' || findRecord(company, 'taxGroups', 'code', taxCode)) return;
  throw invalidRelationError('Tax Group Code', lineTable, String(taxCode), 'Tax Group');
}

/** Computes the discount percentage from the amount, or the amount from the percentage. */
export function withLineDiscount(
  line: Record<string, FieldValue>,
  { priceField }: DocumentParty,
  given: RecordValues,
): RecordValues {
  const gross = numberField(line, 'quantity') * numberField(line, priceField);
  if (given.discountAmount !== undefined) {
    const percent = gross === 0 ? 0 : roundAmount((numberField(line, 'discountAmount') / gross) * 100);
    return { ...line, discountPercent: percent };
  }
  return { ...line, discountAmount: roundAmount((gross * numberField(line, 'discountPercent')) / 100) };
}

/** Assigns numbers to lines without one: the highest so far plus 10000. */
function assignLineNumbers(lines: readonly RecordValues[], dialect: Dialect, set: EntitySet): RecordValues[] {
  const taken = new Set<number>();
  let highest = 0;
  return lines.map((line) => {
    const lineNo = numberField(line, 'lineNo') || highest + 10_000;
    if (lineNo < 0) throw badRequestError(`A line cannot have the number ${lineNo}.`);
    if (taken.has(lineNo)) throw duplicateKeyError(dialect, set, `Line No.='${lineNo}'`);
    taken.add(lineNo);
    highest = Math.max(highest, lineNo);
    return { ...line, lineNo };
  });
}
