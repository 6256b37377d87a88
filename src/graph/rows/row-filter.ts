import { waitForTurn } from '../../runtime/cooperative-queue.ts';
import { compileFilter, type FilterInput, isGiven } from '../filter-compiler.ts';
import { toSortableTime } from './row-order.ts';

/** A value prepared for comparison: text in lower case, an instant as sortable text, null if unset. */
type FilterKey = string | number | boolean;
type FilterKind = 'text' | 'time' | 'plain';

/** A field that rows are filtered by in memory. It may have several values in one row. */
export interface FilterField<Row> {
  readonly kind: FilterKind;
  valuesOf(row: Row): readonly (FilterKey | null)[];
}

/** Fields by their names in the filter. */
export type FilterFields<Row> = Readonly<Record<string, FilterField<Row>>>;

/** Filter fields for columns, which have one value per row. */
export const filterColumns = <Column extends string>(
  columns: Readonly<Record<Column, FilterKind>>,
): FilterFields<Readonly<Record<Column, FilterKey | null>>> =>
  Object.fromEntries(
    (Object.keys(columns) as Column[]).map((name) => [
      name,
      { kind: columns[name], valuesOf: (row) => [row[name]] },
    ]),
  );

// The maximum time that the filter of one list blocks the event loop.
const sliceMs = 5;

export type RowPredicate<Row> = (row: Row) => boolean;

/** Filters rows in slices on the cooperative queue of a caller, because a filter can have a thousand comparisons per row. */
export async function filterRows<Row>(
  rows: readonly Row[],
  passes: RowPredicate<Row>,
  key: string,
): Promise<readonly Row[]> {
  const passing: Row[] = [];
  let startedAt = performance.now();
  for (const row of rows) {
    if (performance.now() - startedAt > sliceMs) {
      await waitForTurn(key);
      startedAt = performance.now();
    }
    if (passes(row)) passing.push(row);
  }
  return passing;
}

/** Compiles a filter. Throws `InputError` for a filter that cannot be evaluated. */
export function compileRowFilter<Row>(
  fields: FilterFields<Row>,
  filter: FilterInput | null | undefined,
): RowPredicate<Row> {
  return compileFilter<RowPredicate<Row>>(filter ?? {}, {
    compileField: (name, tests, isNegated) =>
      compileConditions(fields[name] as FilterField<Row>, tests, isNegated),
    all: (tests) => (row) => tests.every((passes) => passes(row)),
    any: (tests) => (row) => tests.some((passes) => passes(row)),
  });
}

/** If a field has several values, one of them must meet all conditions; below `not`, none may. */
function compileConditions<Row>(
  field: FilterField<Row>,
  conditions: FilterInput,
  isNegated: boolean,
): RowPredicate<Row> {
  const { kind } = field;
  const checks = Object.entries(conditions).flatMap(([operator, operand]) =>
    isGiven(operator, operand) ? [compileOperator(kind, operator, operand, isNegated)] : [],
  );
  return (row) => {
    const values = readFieldKeys(field, row);
    return isNegated
      ? values.every((value) => checks.some((passes) => passes(value)))
      : values.some((value) => checks.every((passes) => passes(value)));
  };
}

/** The keys of a field of a row; a single null if no value is set. */
function readFieldKeys<Row>(field: FilterField<Row>, row: Row): readonly (FilterKey | null)[] {
  const set = field
    .valuesOf(row)
    .map((value) => toFilterKey(field.kind, value))
    .filter((value) => value !== null);
  return set.length > 0 ? set : [null];
}

/** Compiles one comparison. An unset value equals only null, and the empty text, which means the same. */
function compileOperator(
  kind: FilterKind,
  operator: string,
  operand: unknown,
  isNegated: boolean,
): (value: FilterKey | null) => boolean {
  const operands = Array.isArray(operand) ? operand : [operand];
  const keys = operands.map((one) => toFilterKey(kind, one as FilterKey | null));
  if (operator === 'eq' || operator === 'ne' || operator === 'in') {
    const keySet = new Set(keys);
    // No value is in an empty list.
    if (keySet.size === 0) return () => isNegated;
    return (operator === 'ne') === isNegated
      ? (value) => keySet.has(value)
      : (value) => value !== null && !keySet.has(value);
  }
  const operandKey = keys[0] ?? '';
  const compare = comparisons[operator] as Comparison;
  return (value) => value !== null && compare(value, operandKey) !== isNegated;
}

type Comparison = (value: FilterKey, operand: FilterKey) => boolean;

const comparisons: Readonly<Record<string, Comparison>> = {
  gt: (value, operand) => value > operand,
  ge: (value, operand) => value >= operand,
  lt: (value, operand) => value < operand,
  le: (value, operand) => value <= operand,
  contains: (value, operand) => String(value).includes(String(operand)),
  startsWith: (value, operand) => String(value).startsWith(String(operand)),
  endsWith: (value, operand) => String(value).endsWith(String(operand)),
};

function toFilterKey(kind: FilterKind, value: FilterKey | null): FilterKey | null {
  if (typeof value !== 'string') return value;
  if (kind === 'time') return toSortableTime(value);
  return kind === 'text' ? value.toLowerCase() || null : value;
}
