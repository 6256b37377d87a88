import { InputError } from '../errors.ts';
import { comparesNull, termsOf } from './comparisons.ts';
import type { Dialect } from './dialect.ts';
import type { Fields, Kind, Shape } from './records.ts';

/** Which rows a list has, and in which order, as the upstream is asked for them. */
export interface ListQuery {
  /** `$filter`; null takes every row. */
  readonly filter: string | null;
  /** `$orderby`; null is the upstream's own order. */
  readonly orderBy: string | null;
  /** True when no row can pass: `in` of an empty list. */
  readonly isEmpty: boolean;
  /** The columns that filter and order name. */
  readonly columns: readonly string[];
}

/** The arguments of a list as the schema types them. */
export interface ListArguments {
  readonly filter?: FilterInput | null | undefined;
  readonly orderBy?: readonly OrderInput[] | null | undefined;
}

type FilterInput = Readonly<Record<string, unknown>>;
type OrderInput = { readonly field: string; readonly direction: 'ASC' | 'DESC' };

/** OData text with the columns in it, or a plain truth: `in` of nothing holds for no row, `{}` for every one. */
type Condition =
  | boolean
  | { readonly text: string; readonly columns: readonly string[]; readonly isJoined: boolean };

// Deeper than anybody writes by hand, and shallow enough for whoever parses it.
const maxDepth = 16;

/** The arguments of a list as the upstream is asked for them, whatever record the list belongs to. */
export interface CompiledList extends Pick<ListQuery, 'orderBy' | 'columns'> {
  readonly condition: Condition;
}

/**
 * Compiles the arguments of a list.
 *
 * Values become literals of their columns' kinds, so that none can change the shape of the expression. `not` is
 * pushed down to the comparisons. Throws `InputError` for what the dialect cannot express.
 */
export function compileList(
  { fields }: Shape,
  dialect: Dialect,
  { filter, orderBy }: ListArguments,
): CompiledList {
  const condition = createFilterCompiler(fields, dialect)(filter ?? {}, false, 'filter', 0);
  const order = orderOf(fields, orderBy ?? []);
  const filtered = typeof condition === 'object' ? condition.columns : [];
  return {
    condition,
    orderBy: order.length === 0 ? null : order.map(({ text }) => text).join(','),
    columns: [...new Set([...filtered, ...order.map(({ column }) => column)])],
  };
}

/** A compiled list of one record; `owner` holds the columns by which the list belongs to it. */
export function queryOf(
  { condition: own, orderBy, columns }: CompiledList,
  owner: Readonly<Record<string, string>> = {},
): ListQuery {
  const owned = Object.entries(owner).map(
    ([column, id]): Condition => ({ text: `${column} eq ${id}`, columns: [column], isJoined: false }),
  );
  const condition = all([...owned, own]);
  return {
    filter: typeof condition === 'object' ? condition.text : null,
    orderBy,
    isEmpty: condition === false,
    columns: [...Object.keys(owner), ...columns],
  };
}

function createFilterCompiler(fields: Fields, dialect: Dialect) {
  const any = (parts: readonly Condition[], path: string): Condition => {
    const joined = join(parts, 'or');
    // A choice that came down to one of its parts is none.
    const isChoice = typeof joined === 'object' && !parts.includes(joined);
    if (isChoice && !dialect.joinsFieldsByOr) {
      const columns = [...new Set(joined.columns)];
      if (columns.length > 1) {
        const named = columns.map((column) => `\`${column}\``).join(' and ');
        throw new InputError(
          `\`${path}\` offers a choice between ${named}; this upstream can only offer one between values of the same field.`,
        );
      }
    }
    return joined;
  };

  const leaf = (column: string, tests: FilterInput, isNegated: boolean, path: string): Condition => {
    const compare = (operator: string, operand: unknown, at: string): Condition => {
      const kind = fields[column] as Kind;
      const terms = termsOf({ column, kind, operator, operand, isNegated, path: at }, dialect);
      return all(terms.map((text) => ({ text, columns: [column], isJoined: false })));
    };
    const conditions: Condition[] = [];
    for (const [operator, operand] of Object.entries(tests)) {
      if (operand === undefined || (operand === null && !comparesNull(operator))) continue;
      const at = `${path}.${operator}`;
      if (operator === 'in') {
        const values = [...new Set(operand as readonly unknown[])].map((value) => compare('eq', value, at));
        conditions.push(isNegated ? all(values) : any(values, at));
      } else {
        conditions.push(compare(operator, operand, at));
      }
    }
    return isNegated ? any(conditions, path) : all(conditions);
  };

  const compile = (filter: FilterInput, isNegated: boolean, path: string, depth: number): Condition => {
    if (depth > maxDepth) throw new InputError(`\`filter\` is nested more than ${maxDepth} deep.`);
    const conditions: Condition[] = [];
    for (const [name, value] of Object.entries(filter)) {
      if (value == null) continue;
      const at = `${path}.${name}`;
      if (name === 'not') {
        conditions.push(compile(value as FilterInput, !isNegated, at, depth + 1));
      } else if (name === 'and' || name === 'or') {
        const parts = (value as readonly FilterInput[]).map((one) => compile(one, isNegated, at, depth + 1));
        conditions.push((name === 'or') === isNegated ? all(parts) : any(parts, at));
      } else {
        conditions.push(leaf(name, value as FilterInput, isNegated, at));
      }
    }
    return isNegated ? any(conditions, path) : all(conditions);
  };

  return compile;
}

const all = (parts: readonly Condition[]) => join(parts, 'and');

function join(parts: readonly Condition[], joint: 'and' | 'or'): Condition {
  const deciding = joint === 'or';
  if (parts.includes(deciding)) return deciding;
  const texts = parts.filter((part) => typeof part === 'object');
  const [first] = texts;
  if (!first) return !deciding;
  if (texts.length === 1) return first;
  return {
    text: texts.map(({ text, isJoined }) => (isJoined ? `(${text})` : text)).join(` ${joint} `),
    columns: texts.flatMap(({ columns }) => columns),
    isJoined: true,
  };
}

const columnsByMember = new WeakMap<Fields, ReadonlyMap<string, string>>();

function columnsOf(fields: Fields): ReadonlyMap<string, string> {
  const known = columnsByMember.get(fields);
  if (known) return known;
  const columns = new Map(Object.keys(fields).map((column) => [memberOf(column), column]));
  columnsByMember.set(fields, columns);
  return columns;
}

function orderOf(fields: Fields, orderBy: readonly OrderInput[]) {
  const columns = columnsOf(fields);
  const terms = new Map<string, { text: string; column: string }>();
  for (const { field, direction } of orderBy) {
    const column = columns.get(field) as string;
    // OData refuses a field named twice; the second could decide nothing anyway.
    if (!terms.has(column))
      terms.set(column, { column, text: direction === 'DESC' ? `${column} desc` : column });
  }
  return [...terms.values()];
}

/** A column's name as a member of the schema's enums: `addressLine1` is ADDRESS_LINE_1. */
export function memberOf(column: string): string {
  return column.replace(/[A-Z]|\d+/g, '_$&').toUpperCase();
}
