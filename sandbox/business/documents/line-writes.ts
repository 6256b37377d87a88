import { badRequestError, businessRuleError } from '../../api-error.ts';
import { type CollectionAddress, findDocumentOfLine, type RecordAddress } from '../address.ts';
import type { Dialect } from '../dialect.ts';
import type { Company, EntitySet, OrderDocument, RecordValues, StoredRecord } from '../entity-set.ts';
import { setNamed } from '../entity-sets.ts';
import { resolveReferences } from '../references.ts';
import { nextInSeries, recordsOf, type Store } from '../store.ts';
import { readFieldValues } from '../writes/field-values.ts';
import { toDocumentNames, withBothNames } from './document-fields.ts';
import {
  checkTaxCode,
  createLine,
  documentOf,
  updatedDocument,
  withLineDiscount,
} from './order-documents.ts';
import { copyItemFields, partyOf } from './order-parties.ts';
import { numberField, taxPercentFor } from './totals.ts';

type LineBody = Readonly<Record<string, unknown>>;

/**
 * Adds a line to a document, or throws and adds nothing. Its id is always the service's own. The document gets new
 * totals and a new entity tag (gap: see docs/upstream.md).
 */
export function addLine(
  store: Store,
  dialect: Dialect,
  { company, set, documentId }: CollectionAddress,
  body: LineBody,
): StoredRecord {
  const { documentId: given, ...rest } = body;
  const owner = documentId ?? given;
  if (owner === undefined) throw businessRuleError('You must specify a document id to get the lines.');
  const document = recordsOf(company, set.linesOf ?? '').get(String(owner).toLowerCase());
  if (!document) throw businessRuleError('No document with the specified ID exists.');
  const values = document.lines.map((line) => line.values);
  const key = `added:${nextInSeries(company, `lines of ${owner}`)}`;
  const created = createLine(company, dialect, { ...ownerOf(set), header: document.values }, rest, key);
  const lineNo = numberField(created, 'lineNo') || highestLineNo(values) + 10_000;
  if (lineNo < 0) throw badRequestError(`A line cannot have the number ${lineNo}.`);
  if (values.some((line) => numberField(line, 'lineNo') === lineNo))
    throw businessRuleError('You cannot insert a line because a line already exists.');
  const added = withBothNames({ ...created, lineNo }, company);
  changeLines(store, company, set, document, [...values, added]);
  return document.lines.at(-1) as StoredRecord;
}

/** Changes a line, or throws and changes nothing; totals and tag of its document follow. */
export function updateLine(store: Store, dialect: Dialect, address: RecordAddress, body: LineBody): void {
  const { company, set, id } = address;
  const document = findDocumentOfLine(address) as StoredRecord;
  const next = document.lines.map(({ values }) =>
    values.id === id ? changedLine(company, dialect, set, document, values, body) : values,
  );
  changeLines(store, company, set, document, next);
}

/** Removes a line; totals and tag of its document follow. */
export function removeLine(store: Store, address: RecordAddress): void {
  const { company, set, id } = address;
  const document = findDocumentOfLine(address) as StoredRecord;
  const rest = document.lines.map(({ values }) => values).filter((line) => line.id !== id);
  changeLines(store, company, set, document, rest);
}

/** Values that the service does not change after a line was added, with its messages. */
const fixedFields: Readonly<Record<string, string>> = {
  lineNo: 'The value for lineNo cannot be modified. Delete and insert the line again.',
  sequence: 'The value for sequence cannot be modified. Delete and insert the line again.',
  itemNo: 'The value for "itemNo" cannot be modified.',
  lineObjectNumber: 'The value for "lineObjectNumber" cannot be modified.',
  documentId: 'The value for "documentId" cannot be modified.',
};

function changedLine(
  company: Company,
  dialect: Dialect,
  set: EntitySet,
  { values: header }: StoredRecord,
  line: RecordValues,
  body: LineBody,
): RecordValues {
  for (const [field, message] of Object.entries(fixedFields))
    if (body[field] !== undefined && String(body[field]).toUpperCase() !== String(line[field]).toUpperCase())
      throw businessRuleError(message);
  const rest = Object.fromEntries(Object.entries(body).filter(([name]) => !(name in fixedFields)));
  const document = ownerOf(set);
  const given = resolveReferences(
    document.lines,
    toDocumentNames(readFieldValues(dialect.set(set.name), rest), company),
    company,
  );
  if (given.itemId !== undefined && given.accountId !== undefined)
    throw businessRuleError('Both "itemId" and "accountId" are specified. Specify only one of them.');
  const { party } = document;
  checkTaxCode(company, party, given);
  const owner = partyOf(company, party, header);
  const item = recordsOf(company, 'items').get(String(given.itemId))?.values;
  const changed: Record<string, RecordValues[string]> = {
    ...line,
    ...(given.quantity === undefined ? {} : quantitiesOf(document.lineDefaults(header, given))),
    ...(item ? copyItemFields(company, party, item, owner) : {}),
    ...given,
  };
  changed.taxPercent = taxPercentFor(company, String(changed.taxCode), owner);
  return withBothNames(withLineDiscount(changed, party, given), company);
}

/** A new quantity is to be shipped and invoiced, where lines have such fields. */
const quantitiesOf = (defaults: RecordValues): RecordValues =>
  Object.fromEntries(Object.entries(defaults).filter(([name]) => name.endsWith('Quantity')));

function changeLines(
  store: Store,
  company: Company,
  set: EntitySet,
  document: StoredRecord,
  lines: readonly RecordValues[],
): void {
  const owner = setNamed(set.linesOf ?? '');
  const { values: order, lines: totalled } = updatedDocument(company, owner, document, {}, lines);
  store.change(company, owner.name, document, order, totalled);
}

/** How the documents of a set of lines are written. */
const ownerOf = (set: EntitySet): OrderDocument => documentOf(setNamed(set.linesOf ?? ''));

const highestLineNo = (lines: readonly RecordValues[]): number =>
  lines.reduce((highest, line) => Math.max(highest, numberField(line, 'lineNo')), 0);
