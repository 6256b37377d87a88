import { InputError } from '../../errors.ts';
import { isValidDate } from '../../graph/date-time.ts';
import { compileFilter, type FilterInput, type FilterTarget, isGiven } from '../../graph/filter-compiler.ts';
import { quoteString } from '../../odata/collection.ts';
import { getOrCompute } from '../../runtime/memo.ts';
import { columnName, parseColumnValue, unsetValues } from '../record-sets/columns.ts';
import { type Dialect, maxWordLength } from '../record-sets/dialect.ts';
import { type FieldKind, type FieldKinds, isWord, type RowShape } from '../record-sets/record-set.ts';
import { filterTooLong, maxQueryLength } from './pages.ts';

/** The filter and order of a list as query options of the upstream. */
export interface ListQuery {
  /** `$filter`; null for every row. */
  readonly filter: string | null;
  /** `$orderby`; null for the upstream's own order. */
  readonly orderBy: string | null;
  /** True if no row can match, such as `in` of an empty list. */
  readonly isEmpty: boolean;
  /** The columns that filter and order name. */
  readonly columns: readonly string[];
}

/** The arguments of a list as the schema types them. */
export interface ListArguments {
  readonly filter?: FilterInput | null | undefined;
  readonly orderBy?: readonly string[] | null | undefined;
}

/** A Boolean expression of OData with its columns; or a constant: `in: []` is false, `{}` is true. */
type Condition =
  | boolean
  | { readonly text: string; readonly columns: readonly string[]; readonly isJoined: boolean };

function createODataTarget(shape: RowShape, dialect: Dialect): FilterTarget<Condition> {
  const any = (parts: readonly Condition[], path: string): Condition => {
    const joined = joinConditions(parts, 'or');
    // If only one part remains, there is no `or`.
    const isOr = typeof joined === 'object' && !parts.includes(joined);
    if (isOr && !dialect.supportsOrAcrossFields) {
      const columns = [...new Set(joined.columns)];
      if (columns.length > 1) {
        const named = columns.map((column) => `\`${column}\``).join(' and ');
        throw new InputError(
          `\`${path}\` requires \`or\` between conditions on ${named}; this upstream supports \`or\` only between conditions on one field.`,
        );
      }
    }
    return joined;
  };

  const compileField = (column: string, tests: FilterInput, isNegated: boolean, path: string): Condition => {
    const upstreamName = columnName(shape, dialect, column);
    const kind = shape.fields[column] as FieldKind;
    const compare = (operator: string, operand: unknown, at: string): Condition => {
      if (isWord(kind) && String(operand).length > maxWordLength)
        throw new InputError(`\`${at}\` has more than ${maxWordLength} characters.`);
      const isNullable = shape.nullable?.has(column) === true;
      const terms = compileComparison(
        { field: column, column: upstreamName, kind, isNullable, operator, operand, isNegated, path: at },
        dialect,
      );
      return joinByAnd(terms.map((text) => ({ text, columns: [column], isJoined: false })));
    };
    const conditions: Condition[] = [];
    for (const [operator, operand] of Object.entries(tests)) {
      const at = `${path}.${operator}`;
      if (!isGiven(operator, operand)) continue;
      if (operator === 'in') {
        const values = [...new Set(operand as readonly unknown[])].map((value) => compare('eq', value, at));
        conditions.push(isNegated ? joinByAnd(values) : any(values, at));
      } else {
        conditions.push(compare(operator, operand, at));
      }
    }
    return isNegated ? any(conditions, path) : joinByAnd(conditions);
  };

  return { compileField, all: joinByAnd, any };
}

const joinByAnd = (parts: readonly Condition[]) => joinConditions(parts, 'and');

function joinConditions(parts: readonly Condition[], operator: 'and' | 'or'): Condition {
  // `true or x` is true, `false and x` is false.
  const dominant = operator === 'or';
  if (parts.includes(dominant)) return dominant;
  const expressions = parts.filter((part) => typeof part === 'object');
  const [first] = expressions;
  if (!first) return !dominant;
  if (expressions.length === 1) return first;
  return {
    text: expressions.map(({ text, isJoined }) => (isJoined ? `(${text})` : text)).join(` ${operator} `),
    columns: expressions.flatMap(({ columns }) => columns),
    isJoined: true,
  };
}

/** The members of a shape's enum of orders, each with its column and its suffix in `$orderby`. */
type OrderTerms = ReadonlyMap<string, readonly [column: string, suffix: string]>;

const knownOrderTerms = new WeakMap<FieldKinds, OrderTerms>();

function orderTermsOf(fields: FieldKinds): OrderTerms {
  const terms = new Map<string, readonly [string, string]>();
  for (const column of Object.keys(fields)) {
    const [ascending, descending] = toOrderMembers(column);
    terms.set(ascending, [column, '']).set(descending, [column, ' desc']);
  }
  return terms;
}

/** Compiles the terms of `$orderby`, by column. */
function compileOrder(shape: RowShape, dialect: Dialect, orderBy: readonly string[]): Map<string, string> {
  const { fields } = shape;
  const known = getOrCompute(knownOrderTerms, fields, () => orderTermsOf(fields));
  const terms = new Map<string, string>();
  for (const member of orderBy) {
    const [column, suffix] = known.get(member) as readonly [string, string];
    // OData rejects a column that is named twice. The second one has no effect on the order.
    if (!terms.has(column)) terms.set(column, columnName(shape, dialect, column) + suffix);
  }
  return terms;
}

/** The members of the schema's enums of orders for a column. */
export function toOrderMembers(column: string): readonly [ascending: string, descending: string] {
  const member = toEnumMember(column);
  return [`${member}_ASC`, `${member}_DESC`];
}

/** A column's name as a member of the schema's enums: `addressLine1` is ADDRESS_LINE_1. */
export function toEnumMember(column: string): string {
  return column.replace(/[A-Z]|\d+/g, '_$&').toUpperCase();
}

/** One operator of a filter on a column. */
interface Comparison {
  /** The field of the graph, for messages. */
  readonly field: string;
  /** The upstream's name of the column. */
  readonly column: string;
  readonly kind: FieldKind;
  /** Whether the unset value at the upstream is null. */
  readonly isNullable: boolean;
  readonly operator: string;
  /** Null stands for "not set". */
  readonly operand: unknown;
  readonly isNegated: boolean;
  /** The path in the arguments, for messages. */
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
 * Compiles a comparison to OData terms that must all hold. Unset values match only `eq` with null or with the unset value
 * itself; additional terms exclude them from other comparisons. Null is neither less nor greater than any value (OData 4.01
 * URL Conventions, 5.1.1.1).
 *
 * Throws `InputError` for null on a column that is always set, and for what the dialect cannot express.
 */
function compileComparison(comparison: Comparison, dialect: Dialect): readonly string[] {
  const { column, kind, isNullable, operand, isNegated, path } = comparison;
  const unsetValue = unsetValueOf(kind);
  const name = textFunctions[comparison.operator];
  if (name) {
    const test = `${name}(${column},${formatLiteral(kind, operand, dialect)})`;
    // Every text contains the empty text, also the unset value.
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

// The unset value is the least of its kind, so every greater value is set.
const excludesUnset = (operator: string, operand: unknown, unsetValue: string) =>
  (operator === 'gt' || operator === 'ge') && (operand as string) > unsetValue;

function unsetValueOf(kind: FieldKind): string | null {
  return kind in unsetValues ? unsetValues[kind as keyof typeof unsetValues] : null;
}

/** Formats a value as the OData literal of a column's kind. The schema's scalars have validated the value. */
function formatLiteral(kind: FieldKind, value: unknown, dialect: Dialect): string {
  if (kind === 'text' || kind === 'code') return quoteString(value as string);
  return isWord(kind) ? quoteString(dialect.encodeWord(value as string)) : String(value);
}

type OwnerValue = string | number | boolean | null;

/** The condition of an owned list: columns of its rows, and the owner's values that they equal. */
export type OwnerColumnValues = Readonly<Record<string, OwnerValue>>;

/**
 * Compiles the arguments of a list. `owner` restricts it to the rows of one record; if a value of the owner is unset, the
 * list is empty.
 *
 * Values become literals of their column's kind, so that no value can change the structure of the expression. `not` is
 * pushed down to the comparisons. Throws `InputError` for too long filters, and for what the dialect cannot express.
 */
export function compileListQuery(
  shape: RowShape,
  dialect: Dialect,
  { filter, orderBy }: ListArguments,
  owner: OwnerColumnValues = {},
): ListQuery {
  const given = compileFilter(filter ?? {}, createODataTarget(shape, dialect));
  if (typeof given === 'object' && given.text.length > maxQueryLength) throw new InputError(filterTooLong);
  const order = compileOrder(shape, dialect, orderBy ?? []);
  const owned = Object.entries(owner).map(([field, value]): Condition => {
    const literal = toLiteral(shape.fields[field], dialect, value);
    const text = `${columnName(shape, dialect, field)} eq ${literal}`;
    return literal !== null && { text, columns: [field], isJoined: false };
  });
  const condition = joinByAnd([...owned, given]);
  const filtered = typeof given === 'object' ? given.columns : [];
  return {
    filter: typeof condition === 'object' ? condition.text : null,
    orderBy: order.size === 0 ? null : [...order.values()].join(','),
    isEmpty: condition === false,
    columns: [...new Set([...Object.keys(owner), ...filtered, ...order.keys()])],
  };
}

/** Returns null for a value that does not fit the kind of the column: no row has it. */
function toLiteral(kind: FieldKind | undefined, { encodeWord }: Dialect, value: OwnerValue): string | null {
  if (value === null) return null;
  switch (kind) {
    case 'dateTime':
      return String(value);
    case 'date':
      return isValidDate(value) ? String(value) : null;
    case 'uuid':
    case 'int':
    case 'safeInt':
    case 'decimal':
    case 'boolean': {
      const parsed = parseColumnValue(kind, value);
      return parsed === null || parsed instanceof Error ? null : String(parsed);
    }
    default:
      return quoteString(isWord(kind) ? encodeWord(String(value)) : String(value));
  }
}
