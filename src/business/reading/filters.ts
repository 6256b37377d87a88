import { InputError } from '../../errors.ts';
import { compileFilter, type FilterInput, type FilterTarget, isGiven } from '../../graph/filter-compiler.ts';
import { columnName } from '../columns.ts';
import { type Dialect, maxWordLength } from '../dialect.ts';
import type { FieldKind, FieldKinds, RowShape } from '../record-set.ts';
import { compileComparison } from './comparisons.ts';

/** Which rows a list has and in which order, as query options of the upstream. */
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

type OrderInput = { readonly field: string; readonly direction: 'ASC' | 'DESC' };

/** OData text with the columns in it, or a plain truth: `in` of nothing holds for no row, `{}` for every one. */
type Condition =
  | boolean
  | { readonly text: string; readonly columns: readonly string[]; readonly isJoined: boolean };

/** The compiled arguments of a list, without the condition of the record that the list belongs to. */
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
  shape: RowShape,
  dialect: Dialect,
  { filter, orderBy }: ListArguments,
): CompiledList {
  const condition = compileFilter(filter ?? {}, createODataTarget(shape, dialect));
  const order = compileOrder(shape, dialect, orderBy ?? []);
  const filtered = typeof condition === 'object' ? condition.columns : [];
  return {
    condition,
    orderBy: order.length === 0 ? null : order.map(({ text }) => text).join(','),
    columns: [...new Set([...filtered, ...order.map(({ column }) => column)])],
  };
}

/** The columns by which a list belongs to a record, each with what it equals there. */
export type OwnerValues = Readonly<Record<string, string | null>>;

/** A compiled list of one record; `owner` holds literals. A list that belongs to an unset value has no rows. */
export function buildListQuery(
  { condition: own, orderBy, columns }: CompiledList,
  owner: OwnerValues = {},
): ListQuery {
  const owned = Object.entries(owner).map(
    ([column, literal]): Condition =>
      literal !== null && { text: `${column} eq ${literal}`, columns: [column], isJoined: false },
  );
  const condition = joinByAnd([...owned, own]);
  return {
    filter: typeof condition === 'object' ? condition.text : null,
    orderBy,
    isEmpty: condition === false,
    columns: [...Object.keys(owner), ...columns],
  };
}

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
    const compare = (operator: string, operand: unknown, at: string, isRaw: boolean): Condition => {
      if (isRaw && typeof operand === 'string' && operand.length > maxWordLength)
        throw new InputError(`\`${at}\` has more than ${maxWordLength} characters.`);
      const kind = isRaw && operand !== null ? 'word' : (shape.fields[column] as FieldKind);
      const isNullable = shape.nullable?.has(column) === true;
      const terms = compileComparison(
        { field: column, column: upstreamName, kind, isNullable, operator, operand, isNegated, path: at },
        dialect,
      );
      return joinByAnd(terms.map((text) => ({ text, columns: [column], isJoined: false })));
    };
    const conditions: Condition[] = [];
    for (const [name, operand] of Object.entries(tests)) {
      const at = `${path}.${name}`;
      // `eqRaw` and its like compare a choice with the upstream's own word.
      const isRaw = name.endsWith('Raw');
      const operator = isRaw ? name.slice(0, -'Raw'.length) : name;
      if (!isGiven(operator, operand)) continue;
      if (operator === 'in') {
        const values = [...new Set(operand as readonly unknown[])].map((value) =>
          compare('eq', value, at, isRaw),
        );
        conditions.push(isNegated ? joinByAnd(values) : any(values, at));
      } else {
        conditions.push(compare(operator, operand, at, isRaw));
      }
    }
    return isNegated ? any(conditions, path) : joinByAnd(conditions);
  };

  return { compileField, all: joinByAnd, any };
}

const joinByAnd = (parts: readonly Condition[]) => joinConditions(parts, 'and');

function joinConditions(parts: readonly Condition[], joint: 'and' | 'or'): Condition {
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

const enumMemberCache = new WeakMap<FieldKinds, ReadonlyMap<string, string>>();

function columnsByEnumMember(fields: FieldKinds): ReadonlyMap<string, string> {
  const known = enumMemberCache.get(fields);
  if (known) return known;
  const columns = new Map(Object.keys(fields).map((column) => [toEnumMember(column), column]));
  enumMemberCache.set(fields, columns);
  return columns;
}

function compileOrder(shape: RowShape, dialect: Dialect, orderBy: readonly OrderInput[]) {
  const columns = columnsByEnumMember(shape.fields);
  const terms = new Map<string, { text: string; column: string }>();
  for (const { field, direction } of orderBy) {
    const column = columns.get(field) as string;
    // OData rejects a field named twice, and the second has no effect on the order.
    if (terms.has(column)) continue;
    const name = columnName(shape, dialect, column);
    terms.set(column, { column, text: direction === 'DESC' ? `${name} desc` : name });
  }
  return [...terms.values()];
}

/** A column's name as a member of the schema's enums: `addressLine1` is ADDRESS_LINE_1. */
export function toEnumMember(column: string): string {
  return column.replace(/[A-Z]|\d+/g, '_$&').toUpperCase();
}
