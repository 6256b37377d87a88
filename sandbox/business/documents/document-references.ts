import type { EntitySet, FieldValue, RecordValues } from '../entity-set.ts';
import { entitySets } from '../entity-sets.ts';
import { type Company, idOf, recordsOf, type Store, type StoredRecord } from '../store.ts';

const documentSets = entitySets.filter(({ document }) => document !== undefined);

/** Name, in messages, of a type of order or quote that refers to a record; undefined when none does. */
export function findReferringDocument(
  company: Company,
  { inDocuments }: EntitySet,
  record: StoredRecord,
): string | undefined {
  if (!inDocuments) return undefined;
  const idFields = Object.keys(inDocuments.numberFields);
  const refers = ({ values }: Pick<StoredRecord, 'values'>) =>
    idFields.some((field) => values[field] === idOf(record));
  const hasReference = (document: StoredRecord) =>
    inDocuments.location === 'header' ? refers(document) : document.lines.some(refers);
  const found = documentSets.find(({ name }) => [...recordsOf(company, name).values()].some(hasReference));
  return found?.document?.caption;
}

/** Copies a record's new number to the orders and quotes that contain it. */
export function updateNumberInDocuments(
  store: Store,
  company: Company,
  { inDocuments }: EntitySet,
  renamed: RecordValues,
): void {
  if (!inDocuments) return;
  const { location, numberFields } = inDocuments;
  for (const document of documentSets.flatMap(({ name }) => [...recordsOf(company, name).values()])) {
    const values =
      location === 'header' ? replaceNumber(document.values, renamed, numberFields) : document.values;
    const lines = document.lines.map((line) =>
      location === 'lines' ? replaceNumber(line.values, renamed, numberFields) : line.values,
    );
    const isChanged =
      values !== document.values || lines.some((line, index) => line !== document.lines[index]?.values);
    if (isChanged) store.change(document, values, lines);
  }
}

/** The same object when it does not refer to the renamed record. */
function replaceNumber(
  values: RecordValues,
  { id, number }: RecordValues,
  numberFields: Readonly<Record<string, readonly string[]>>,
): RecordValues {
  const fields = Object.entries(numberFields).flatMap(([idField, names]) =>
    values[idField] === id ? names : [],
  );
  if (number === undefined || fields.length === 0) return values;
  return { ...values, ...Object.fromEntries(fields.map((name): [string, FieldValue] => [name, number])) };
}
