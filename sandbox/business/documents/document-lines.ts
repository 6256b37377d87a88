import { ApiError, businessRuleError } from '../../api-error.ts';
import type { EntitySet } from '../entity-set.ts';
import { type Expression, expressionsOf } from '../query/filter.ts';
import type { QueryOptions } from '../query/query.ts';
import { type Company, recordsOf, type StoredRecord } from '../store.ts';

/**
 * The lines that a collection of lines contains: those of one document, which the filter names by its id or by
 * the id of one of its lines; below a document (`ownerId`) its lines. Of several documents only the first is read, as on the real service. Throws an
 * `ApiError` (400) when the filter names none, or more than one line.
 */
export function findRequestedLines(
  company: Company,
  set: EntitySet,
  { filter }: QueryOptions,
  ownerId?: string,
): readonly StoredRecord[] {
  if (ownerId !== undefined) return recordsOf(company, set.linesOf ?? '').get(ownerId)?.lines ?? [];
  const [lineId, anotherLine] = filter ? comparedGuids(filter.expression, 'id') : [];
  const [documentId] = filter ? comparedGuids(filter.expression, 'documentId') : [];
  if (anotherLine !== undefined) {
    throw new ApiError(
      400,
      'Application_InvalidGUID',
      `The value '${lineId}|${anotherLine}' can't be evaluated into type Guid.`,
    );
  }
  if (lineId !== undefined) return findDocumentOfLine({ company, set, id: lineId })?.lines ?? [];
  if (documentId === undefined) {
    throw businessRuleError('You must specify an Id or a Document Id to get the lines.');
  }
  return recordsOf(company, set.linesOf ?? '').get(documentId)?.lines ?? [];
}

export interface LineAddress {
  readonly company: Company;
  readonly set: EntitySet;
  /** The document that the line must belong to; any document if left out. */
  readonly documentId?: string;
  readonly id: string;
}

/** Finds the document that a line belongs to. */
export function findDocumentOfLine({ company, set, documentId, id }: LineAddress): StoredRecord | undefined {
  const documents = recordsOf(company, set.linesOf ?? '');
  const candidates = documentId === undefined ? documents.values() : [documents.get(documentId)];
  for (const document of candidates) {
    if (document?.lines.some((line) => line.values.id === id)) return document;
  }
  return undefined;
}

/** The GUIDs that a filter compares a field with, in the order of the filter. */
function comparedGuids(filter: Expression, field: string): string[] {
  return [...expressionsOf(filter)].flatMap((one) => {
    if (one.kind === 'compare' && one.operator === 'eq') return guidsAmong(field, [one.left, one.right]);
    return one.kind === 'in' ? guidsAmong(field, [one.left, ...one.list]) : [];
  });
}

function guidsAmong(field: string, operands: readonly Expression[]): string[] {
  if (!operands.some((one) => one.kind === 'field' && one.name === field)) return [];
  return operands.flatMap((one) =>
    one.kind === 'literal' && one.type === 'Guid' ? [String(one.value)] : [],
  );
}
