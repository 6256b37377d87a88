import { badRequest, invalidRelation, refusedByRule } from '../refusal.ts';
import { derivedGuid } from '../seeded.ts';
import type { Dialect } from './dialect.ts';
import { duplicateKey } from './dialect.ts';
import { isJsonObject, readFieldValues } from './field-values.ts';
import { documentNamed, withAllNames } from './line-names.ts';
import { customerOf, soldItem } from './order-parties.ts';
import type { RecordSet, Value, Values } from './records.ts';
import { blankValues, unsetGuid } from './records.ts';
import { withReferences } from './references.ts';
import type { Company } from './store.ts';
import { findRecord, idOf, recordsOf } from './store.ts';
import { numberOf, rounded, taxPercentOf } from './totals.ts';

/** What lines are made for: the header they belong to, and what a new line of its kind starts with. */
export interface LineOwner {
  readonly header: Values;
  readonly lines: RecordSet;
  readonly startOfLine: (header: Values, given: Values) => Values;
}

/** The lines that a deep insert asks for, or the refusal of the first that cannot be made. */
export function newLines(
  company: Company,
  dialect: Dialect,
  owner: LineOwner,
  given: readonly unknown[],
): Values[] {
  const lines = given.map((line, index) => newLine(company, dialect, owner, line, index));
  return numbered(lines, dialect, owner.lines).map((line) => withAllNames(line, company));
}

function newLine(
  company: Company,
  dialect: Dialect,
  { header, lines, startOfLine }: LineOwner,
  body: unknown,
  index: number,
): Values {
  if (!isJsonObject(body)) throw badRequest('A line of an order must be a JSON object.');
  const read = documentNamed(readFieldValues(dialect.set(lines.name), body), company);
  const given = withReferences(lines, read, company);
  const customer = customerOf(company, header);
  const item = recordsOf(company, 'items').get(String(given.itemId))?.values;
  const lineType = given.lineType ?? (given.accountId === undefined || item ? 'Item' : 'Account');
  checkObject(String(lineType), item, given);
  checkTaxCode(company, given);

  const line: Record<string, Value> = {
    ...blankValues(lines),
    id: derivedGuid(`${idOf(company.record)}:${header.id}:line:${index}`),
    documentId: header.id ?? unsetGuid,
    ...startOfLine(header, given),
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

function checkTaxCode(company: Company, { taxCode = '' }: Values): void {
  if (taxCode === '' || findRecord(company, 'taxGroups', 'code', taxCode)) return;
  throw invalidRelation('Tax Group Code', 'Sales Line', String(taxCode), 'Tax Group');
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
function numbered(lines: readonly Values[], dialect: Dialect, set: RecordSet): Values[] {
  const taken = new Set<number>();
  let highest = 0;
  return lines.map((line) => {
    const lineNo = numberOf(line, 'lineNo') || highest + 10_000;
    if (lineNo < 0) throw badRequest(`A line cannot have the number ${lineNo}.`);
    if (taken.has(lineNo)) throw duplicateKey(dialect, set, `Line No.='${lineNo}'`);
    taken.add(lineNo);
    highest = Math.max(highest, lineNo);
    return { ...line, lineNo };
  });
}
