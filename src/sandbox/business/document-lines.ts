import { Refusal, refusedByRule } from '../refusal.ts';
import type { Expression } from './filter.ts';
import { expressionsOf } from './filter.ts';
import type { QueryOptions } from './query.ts';
import type { RecordSet } from './records.ts';
import type { Company, StoredRecord } from './store.ts';
import { recordsOf } from './store.ts';

/**
 * The lines that a listing of lines starts from: those of one document, which the filter names by its
 * id or by the id of one of its lines. Of several documents only the first is read, as the real service
 * does. Throws a `Refusal` (400) when none is named, or more than one line.
 */
export function linesAsked(
  company: Company,
  set: RecordSet,
  { filter }: QueryOptions,
): readonly StoredRecord[] {
  const [lineId, anotherLine] = filter ? keysIn(filter.expression, 'id') : [];
  const [documentId] = filter ? keysIn(filter.expression, 'documentId') : [];
  if (anotherLine !== undefined) {
    throw new Refusal(
      400,
      'Application_InvalidGUID',
      `The value '${lineId}|${anotherLine}' can't be evaluated into type Guid.`,
    );
  }
  if (lineId !== undefined) return documentWith(company, set, lineId)?.lines ?? [];
  if (documentId === undefined) {
    throw refusedByRule('You must specify an Id or a Document Id to get the lines.');
  }
  return recordsOf(company, set.linesOf ?? '').get(documentId)?.lines ?? [];
}

/** The line of an id, in whatever document it is. */
export function findLine(company: Company, set: RecordSet, id: string): StoredRecord | undefined {
  return documentWith(company, set, id)?.lines.find((line) => line.values.id === id);
}

function documentWith(company: Company, set: RecordSet, lineId: string): StoredRecord | undefined {
  for (const document of recordsOf(company, set.linesOf ?? '').values()) {
    if (document.lines.some((line) => line.values.id === lineId)) return document;
  }
  return undefined;
}

/** The GUIDs that a filter compares a field with, in the order they are written. */
function keysIn(filter: Expression, field: string): string[] {
  return [...expressionsOf(filter)].flatMap((one) => {
    if (one.kind === 'compare' && one.operator === 'eq') return keysAmong(field, [one.left, one.right]);
    return one.kind === 'in' ? keysAmong(field, [one.left, ...one.list]) : [];
  });
}

function keysAmong(field: string, operands: readonly Expression[]): string[] {
  if (!operands.some((one) => one.kind === 'field' && one.name === field)) return [];
  return operands.flatMap((one) =>
    one.kind === 'literal' && one.type === 'Guid' ? [String(one.value)] : [],
  );
}
