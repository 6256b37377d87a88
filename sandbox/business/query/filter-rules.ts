import { ApiError, badRequestError } from '../../api-error.ts';
import type { EntitySet } from '../entity-set.ts';
import { type Expression, expressionsOf } from './filter.ts';

/**
 * Throws an `ApiError` for what the real service does not support: 501 BadRequest_MethodNotImplemented, or 400 BadRequest
 * for a computed field.
 */
export function checkFilter(filter: Expression, set: EntitySet): void {
  for (const expression of expressionsOf(filter)) {
    if (expression.kind === 'or' && fieldNames(expression).size > 1)
      throw notImplementedError(`The 'OR' operator is not supported on distinct fields on an OData filter.`);
    if (expression.kind === 'not' || expression.kind === 'in') {
      const operator = expression.kind.toUpperCase();
      throw notImplementedError(`The '${operator}' operator is not supported on an OData filter.`);
    }
    if (expression.kind === 'field') checkNotComputed(expression.name, set);
  }
}

/** Throws an `ApiError` for a field that the real service cannot filter or sort by. */
export function checkNotComputed(name: string, set: EntitySet): void {
  if (!set.fields.some((field) => field.name === name && field.isComputed)) return;
  throw badRequestError(
    `The property '${name}' on type 'Microsoft.NAV.${set.typeName}' is not bound directly to a table field, so it can be neither filtered nor sorted by.`,
  );
}

function fieldNames(filter: Expression): Set<string> {
  return new Set([...expressionsOf(filter)].flatMap((one) => (one.kind === 'field' ? [one.name] : [])));
}

function notImplementedError(message: string): ApiError {
  return new ApiError(501, 'BadRequest_MethodNotImplemented', message);
}
