import { InputError } from '../errors.ts';
import { wordOf } from '../graph/choice.ts';
import { quote } from '../upstream/odata.ts';
import type { Dialect } from './dialect.ts';
import { type Kind, standIns } from './records.ts';

/** One operator of a leaf filter on a column, for an upstream to test. */
export interface Comparison {
  readonly column: string;
  readonly kind: Kind;
  readonly operator: string;
  /** Null stands for "not set". */
  readonly operand: unknown;
  readonly isNegated: boolean;
  /** Where it stands in the arguments, for messages. */
  readonly path: string;
}

const opposites: Readonly<Record<string, string>> = {
  eq: 'ne',
  ne: 'eq',
  gt: 'le',
  ge: 'lt',
  lt: 'ge',
  le: 'gt',
};
const functions: Readonly<Record<string, string>> = {
  contains: 'contains',
  startsWith: 'startswith',
  endsWith: 'endswith',
};

/** Whether `null` means something to an operator; to the others it is as if left out. */
export const comparesNull = (operator: string): boolean => operator === 'eq' || operator === 'ne';

/**
 * A comparison as the OData terms that must all hold. What is not set passes `eq` of null and of the stand-in
 * that an upstream writes for it; the other comparisons, which would let the stand-in pass, leave it out.
 *
 * Throws `InputError` for what can never be meant, and for what the dialect cannot express.
 */
export function termsOf(comparison: Comparison, dialect: Dialect): readonly string[] {
  const { column, kind, operand, isNegated, path } = comparison;
  const standIn = standInOf(kind);
  const name = functions[comparison.operator];
  if (name) {
    const test = `${name}(${column},${literal(kind, operand, dialect, path)})`;
    // The empty text is part of every text, of the stand-in too.
    if (!isNegated) return operand === '' ? [test, `${column} ne ''`] : [test];
    if (dialect.negatesFunctions) return [`not ${test}`, `${column} ne ''`];
    throw new InputError(
      `\`${path}\` stands below \`not\`, which this upstream cannot do to texts that match.`,
    );
  }
  const operator = isNegated ? (opposites[comparison.operator] as string) : comparison.operator;
  if (operand === null) {
    if (standIn === null) throw new InputError(`\`${path}\` is null, but \`${column}\` always has a value.`);
    return [`${column} ${operator} ${literal(kind, standIn, dialect, path)}`];
  }
  const term = `${column} ${operator} ${literal(kind, operand, dialect, path)}`;
  const isExcluded = operator === 'ne' && operand === standIn;
  const isSet = standIn === null || operator === 'eq' || isExcluded || isAbove(operator, operand, standIn);
  return isSet ? [term] : [term, `${column} ne ${literal(kind, standIn, dialect, path)}`];
}

// Greater than a stand-in, which is the least of its kind, already means that it is set.
const isAbove = (operator: string, operand: unknown, standIn: string) =>
  (operator === 'gt' || operator === 'ge') && (operand as string) > standIn;

function standInOf(kind: Kind): string | null {
  return typeof kind === 'string' && kind in standIns ? standIns[kind as keyof typeof standIns] : null;
}

/** A value as the OData literal of a column's kind. The schema's scalars have checked its form. */
function literal(kind: Kind, value: unknown, dialect: Dialect, path: string): string {
  if (kind === 'text' || kind === 'code') return quote(value as string);
  if (typeof kind !== 'object') return String(value);
  const word = wordOf(kind, value);
  if (word === undefined)
    throw new InputError(
      `\`${path}\` cannot be UNRECOGNIZED: that only stands for words read from the upstream.`,
    );
  return quote(dialect.encodeWord(word));
}
