import { badRequestError, businessRuleError, invalidRelationError } from '../../api-error.ts';
import { isJsonObject } from '../../json-checks.ts';
import { derivedGuid } from '../../seeded.ts';
import type { Dialect } from '../dialect.ts';
import { duplicateKeyError } from '../dialect.ts';
import type { EntitySet, FieldValue, RecordValues } from '../entity-set.ts';
import { unsetGuid } from '../entity-set.ts';
import { resolveReferences } from '../references.ts';
import type { Company } from '../store.ts';
import { findRecord, idOf, recordsOf } from '../store.ts';
import { blankValues } from '../writes/blank-values.ts';
import { readFieldValues } from '../writes/field-values.ts';
import { toDocumentNames, withBothNames } from './document-fields.ts';
import type { DocumentParty } from './order-parties.ts';
import { copyItemFields, partyOf } from './order-parties.ts';
import { numberField, roundAmount, taxPercentFor } from './totals.ts';

/** What new lines are created for. */
export interface LineContext {
  readonly header: RecordValues;
  readonly party: DocumentParty;
  readonly lines: EntitySet;
  readonly lineDefaults: (header: RecordValues, given: RecordValues) => RecordValues;
}

/** Creates the lines of a deep insert. Throws an `ApiError` for the first invalid line. */
export function createLines(
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
