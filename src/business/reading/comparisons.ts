import { InputError } from '../../errors.ts';
import { toUpstreamValue } from '../../graph/enum-mapping.ts';
import { quoteString } from '../../odata/collection.ts';
import { unsetValues } from '../columns.ts';
import type { Dialect } from '../dialect.ts';
import type { FieldKind } from '../record-set.ts';

/** One operator of a leaf filter on a column, for an upstream to test. */
export interface Comparison {
  /** The field of the graph, for messages. */
  readonly field: string;
  /** The upstream's name of it. */
  readonly column: string;
  readonly kind: FieldKind;
  /** Whether the upstream has null in rows where it is not set. */
  readonly isNullable: boolean;
  readonly operator: string;
  /** Null stands for "not set". */
  readonly operand: unknown;
  readonly isNegated: boolean;
  /** Its path in the arguments, for messages. */
  readonly path: string;
}

const negatedOperators: Readonly<Record<string, string>> = {
  eq: 'ne',
  ne: 'eq',
  gt: 'le',
  ge: 'lt',
  lt: 'ge',
  le: 'gt',
};
const textFunctions: Readonly<Record<string, string>> = {
  contains: 'contains',
  startsWith: 'startswith',
  endsWith: 'endswith',
};

/**
 * A comparison as OData terms that must all hold. Unset values match only `eq` with null or with the unset value itself.
 * Further terms exclude them from other comparisons. Null is less or greater than nothing (OData, URL conventions, 5.1.1.1).
 *
 * Throws `InputError` for comparisons that can never be meant, and for those that the dialect cannot express.
 */
export function compileComparison(comparison: Comparison, dialect: Dialect): readonly string[] {
  const { column, kind, isNullable, operand, isNegated, path } = comparison;
  const unsetValue = unsetValueOf(kind);
  const name = textFunctions[comparison.operator];
  if (name) {
    const test = `${name}(${column},${formatLiteral(kind, operand, dialect)})`;
    // Every text contains the empty text, and so does the unset value.
    if (!isNegated) return operand === '' ? [test, `${column} ne ''`] : [test];
    if (dialect.supportsNegatedFunctions) return [`not ${test}`, `${column} ne ''`];
    throw new InputError(
      `\`${path}\`: this upstream cannot negate \`contains\`, \`startsWith\` or \`endsWith\`.`,
    );
  }
  const operator = isNegated ? (negatedOperators[comparison.operator] as string) : comparison.operator;
  if (operand === null) {
    if (unsetValue === null && !isNullable)
      throw new InputError(`\`${path}\` is null, but \`${comparison.field}\` always has a value.`);
    const tests = [
      ...(isNullable ? [`${column} ${operator} null`] : []),
      ...(unsetValue === null ? [] : [`${column} ${operator} ${formatLiteral(kind, unsetValue, dialect)}`]),
    ];
    return operator === 'ne' || tests.length === 1 ? tests : [`(${tests.join(' or ')})`];
  }
  const term = `${column} ${operator} ${formatLiteral(kind, operand, dialect)}`;
  const isExcluded = operator === 'ne' && operand === unsetValue;
  const isSet =
    unsetValue === null || operator === 'eq' || isExcluded || excludesUnset(operator, operand, unsetValue);
  return [
    term,
    ...(isSet ? [] : [`${column} ne ${formatLiteral(kind, unsetValue, dialect)}`]),
    // Null is not equal to any value.
    ...(isNullable && operator === 'ne' ? [`${column} ne null`] : []),
  ];
}

// The unset value is the least of its kind, so whatever is greater is set.
const excludesUnset = (operator: string, operand: unknown, unsetValue: string) =>
  (operator === 'gt' || operator === 'ge') && (operand as string) > unsetValue;

function unsetValueOf(kind: FieldKind): string | null {
  return typeof kind === 'string' && kind in unsetValues
    ? unsetValues[kind as keyof typeof unsetValues]
    : null;
}

/** A value as the OData literal of a column's kind. The schema's scalars have checked its form. */
function formatLiteral(kind: FieldKind, value: unknown, dialect: Dialect): string {
  if (kind === 'text' || kind === 'code') return quoteString(value as string);
  if (kind === 'word') return quoteString(dialect.encodeWord(value as string));
  if (typeof kind !== 'object') return String(value);
  return quoteString(dialect.encodeWord(toUpstreamValue(kind, value) as string));
}
