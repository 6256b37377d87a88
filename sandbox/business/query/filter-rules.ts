import { ApiError, badRequestError } from '../../api-error.ts';
import type { EntitySet } from '../entity-set.ts';
import { type Expression, expressionsOf } from './filter.ts';

/** What a service supports in `$filter` and `$orderby`. */
export interface FilterRules {
  readonly allowsOrAcrossFields: boolean;
  readonly allowsNot: boolean;
  readonly allowsIn: boolean;
  readonly allowsNestedFunctions: boolean;
  /** Whether a filter with `any` or `all` is ignored as a whole. Otherwise it is an error. */
  readonly ignoresLambdaFilters: boolean;
  /** Whether computed fields can be filtered and sorted by. */
  readonly allowsComputedFields: boolean;
}

/** The document restricts nothing. */
export const documentFilterRules: FilterRules = {
  allowsOrAcrossFields: true,
  allowsNot: true,
  allowsIn: true,
  allowsNestedFunctions: true,
  ignoresLambdaFilters: false,
  allowsComputedFields: true,
};

/** The rules of the real service. Version 2.1 of its query schema adds `in` and nested functions. */
export function dynamicsFilterRules(schemaVersion: string | undefined): FilterRules {
  const isNewer = schemaVersion === '2.1';
  return {
    allowsOrAcrossFields: false,
    allowsNot: false,
    allowsIn: isNewer,
    allowsNestedFunctions: isNewer,
    ignoresLambdaFilters: true,
    allowsComputedFields: false,
  };
}

/**
 * Returns the filter, or undefined where the rules ignore it. Throws an `ApiError` for what the rules do not
 * support: 501 BadRequest_MethodNotImplemented, or 400 BadRequest for a computed field.
 */
export function applyFilterRules(
  filter: Expression,
  rules: FilterRules,
  set: EntitySet,
): Expression | undefined {
  const expressions = [...expressionsOf(filter)];
  if (rules.ignoresLambdaFilters && expressions.some(({ kind }) => kind === 'lambda')) return undefined;
  for (const expression of expressions) {
    if (expression.kind === 'or' && !rules.allowsOrAcrossFields && fieldNames(expression).size > 1) {
      throw notImplementedError(`The 'OR' operator is not supported on distinct fields on an OData filter.`);
    }
    if (expression.kind === 'not' && !rules.allowsNot) throw unsupportedOperatorError('NOT');
    if (expression.kind === 'in' && !rules.allowsIn) throw unsupportedOperatorError('IN');
    if (expression.kind === 'call' && !rules.allowsNestedFunctions && expression.operands.some(isCall)) {
      throw notImplementedError('Nested functions are not supported on an OData filter.');
    }
    if (expression.kind === 'field') checkFilterable(expression.name, rules, set);
  }
  return filter;
}

/** Throws an `ApiError` for a field that cannot be filtered or sorted by. */
export function checkFilterable(name: string, rules: FilterRules, set: EntitySet): void {
  if (rules.allowsComputedFields || !set.fields.some((field) => field.name === name && field.isComputed))
    return;
  throw badRequestError(
    `The property '${name}' on type 'Microsoft.NAV.${set.typeName}' is not bound directly to a table field, so it can be neither filtered nor sorted by.`,
  );
}

function fieldNames(filter: Expression): Set<string> {
  return new Set([...expressionsOf(filter)].flatMap((one) => (one.kind === 'field' ? [one.name] : [])));
}

const isCall = (expression: Expression) => expression.kind === 'call';

function unsupportedOperatorError(operator: string): ApiError {
  return notImplementedError(`The '${operator}' operator is not supported on an OData filter.`);
}

function notImplementedError(message: string): ApiError {
  return new ApiError(501, 'BadRequest_MethodNotImplemented', message);
}
