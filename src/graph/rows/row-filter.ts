import { InputError } from '../../errors.ts';
import { waitForTurn } from '../../runtime/cooperative-queue.ts';
import { toSortableTime } from './sortable-time.ts';

/** A filter as the graph's input type has it: operators by field, and `and`, `or`, `not`. */
export type RowFilter = Readonly<Record<string, unknown>>;

/** A value made ready for comparison: text in lower case, an instant as a sortable text, `null` where nothing is set. */
type FilterKey = string | number | boolean;
type FilterKind = 'text' | 'choice' | 'time' | 'plain';

/** A field that rows are filtered by in memory. It may have several values in one row. */
export interface FilterField<Row> {
  readonly kind: FilterKind;
  valuesOf(row: Row): readonly (FilterKey | null)[];
}

/** Fields by their names in the filter; what `eqRaw` and its like compare has the name of the choice with `Raw`. */
export type FilterFields<Row> = Readonly<Record<string, FilterField<Row>>>;

/** The fields that are columns: one value in each row. */
export const filterColumns = <Column extends string>(
  columns: Readonly<Record<Column, FilterKind>>,
): FilterFields<Readonly<Record<Column, FilterKey | null>>> =>
  Object.fromEntries(
    (Object.keys(columns) as Column[]).map((name) => [
      name,
      { kind: columns[name], valuesOf: (row) => [row[name]] },
    ]),
  );

const maxFilterDepth = 16;
// How long the event loop may be blocked by the comparisons of one list.
const sliceMs = 5;

export type RowPredicate<Row> = (row: Row) => boolean;

/** Filters in slices on the cooperative queue of a caller: a thousand comparisons of thousands of rows take long. */
export async function filterRows<Row>(
  rows: readonly Row[],
  passes: RowPredicate<Row>,
  key: string,
): Promise<readonly Row[]> {
  const all: Row[] = [];
  let beganAt = performance.now();
  for (const row of rows) {
    if (performance.now() - beganAt > sliceMs) {
      await waitForTurn(key);
      beganAt = performance.now();
    }
    if (passes(row)) all.push(row);
  }
  return all;
}

/** Compiles a filter; `not` is pushed down to the fields. Throws `InputError` for a filter that cannot be evaluated. */
export function compileRowFilter<Row>(
  fields: FilterFields<Row>,
  filter: RowFilter | null | undefined,
): RowPredicate<Row> {
  return filter == null ? () => true : compileConditions(fields, filter, false, 0);
}

function compileConditions<Row>(
  fields: FilterFields<Row>,
  filter: RowFilter,
  isNegated: boolean,
  depth: number,
): RowPredicate<Row> {
  if (depth > maxFilterDepth) throw new InputError(`\`filter\` is nested more than ${maxFilterDepth} deep.`);
  const tests = Object.entries(filter).flatMap(([name, value]): RowPredicate<Row>[] => {
    if (value == null) return [];
    if (name === 'not') return [compileConditions(fields, value as RowFilter, !isNegated, depth + 1)];
    if (name === 'and' || name === 'or') {
      const parts = (value as readonly RowFilter[]).map((one) =>
        compileConditions(fields, one, isNegated, depth + 1),
      );
      return [(name === 'or') === isNegated ? allOf(parts) : anyOf(parts)];
    }
    const [plain, raw] = splitConditions(value as RowFilter);
    const plainTest = compileField(fields[name] as FilterField<Row>, plain, isNegated);
    if (!raw) return [plainTest];
    const rawTest = compileField(fields[`${name}Raw`] as FilterField<Row>, raw, isNegated);
    return Object.keys(plain).length > 0 ? [plainTest, rawTest] : [rawTest];
  });
  return isNegated ? anyOf(tests) : allOf(tests);
}

/** The conditions on a choice, and those on the service's own word, without `Raw` in their names; null if there are none. */
function splitConditions(conditions: RowFilter): readonly [plain: RowFilter, raw: RowFilter | null] {
  const isRaw = (operator: string) => operator.endsWith('Raw');
  const entries = Object.entries(conditions);
  const raw = entries
    .filter(([operator]) => isRaw(operator))
    .map(([operator, operand]) => [operator.slice(0, -'Raw'.length), operand] as const)
    .filter(([operator, operand]) => isGiven(operator, operand));
  const plain = entries.filter(([operator]) => !isRaw(operator));
  return [Object.fromEntries(plain), raw.length > 0 ? Object.fromEntries(raw) : null];
}

/** Null is a value to compare with for `eq` and `ne`, and no condition for the others. */
const isGiven = (operator: string, operand: unknown): boolean =>
  operand !== undefined && (operand !== null || operator === 'eq' || operator === 'ne');

/** Where a field has several values, one of them has to meet all conditions; below `not`, none may. */
function compileField<Row>(
  field: FilterField<Row>,
  conditions: RowFilter,
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

interface CachedKeys {
  readonly row: unknown;
  readonly keys: readonly (FilterKey | null)[];
}

// The keys of the row that is filtered now, since a filter may compare each field hundreds of times.
const cachedKeys = new WeakMap<object, CachedKeys>();

/** The keys of a field of a row; a single null where nothing is set. */
function readFieldKeys<Row>(field: FilterField<Row>, row: Row): readonly (FilterKey | null)[] {
  const last = cachedKeys.get(field);
  if (last?.row === row) return last.keys;
  const set = field
    .valuesOf(row)
    .map((value) => toFilterKey(field.kind, value))
    .filter((value) => value !== null);
  const keys = set.length > 0 ? set : [null];
  cachedKeys.set(field, { row, keys });
  return keys;
}

const allOf =
  <Row>(tests: readonly RowPredicate<Row>[]): RowPredicate<Row> =>
  (row) =>
    tests.every((passes) => passes(row));
const anyOf =
  <Row>(tests: readonly RowPredicate<Row>[]): RowPredicate<Row> =>
  (row) =>
    tests.some((passes) => passes(row));

/** Compiles one comparison. A value that is not set only equals null, or the empty text, which means the same. */
function compileOperator(
  kind: FilterKind,
  operator: string,
  operand: unknown,
  isNegated: boolean,
): (value: FilterKey | null) => boolean {
  const operands = Array.isArray(operand) ? operand : [operand];
  const keys = operands.map((one) => toFilterKey(kind, one as FilterKey | null));
  if (operator === 'eq' || operator === 'ne' || operator === 'in') {
    const wanted = new Set(keys);
    // No value is in an empty list.
    if (wanted.size === 0) return () => isNegated;
    return (operator === 'ne') === isNegated
      ? (value) => wanted.has(value)
      : (value) => value !== null && !wanted.has(value);
  }
  const wanted = keys[0] ?? '';
  return (value) => value !== null && applyOperator(operator, value, wanted) !== isNegated;
}

function applyOperator(operator: string, value: FilterKey, wanted: FilterKey): boolean {
  switch (operator) {
    case 'gt':
      return value > wanted;
    case 'ge':
      return value >= wanted;
    case 'lt':
      return value < wanted;
    case 'le':
      return value <= wanted;
    case 'contains':
      return String(value).includes(String(wanted));
    case 'startsWith':
      return String(value).startsWith(String(wanted));
    case 'endsWith':
      return String(value).endsWith(String(wanted));
    default:
      throw new TypeError(`expected an operator, got ${operator}`);
  }
}

function toFilterKey(kind: FilterKind, value: FilterKey | null): FilterKey | null {
  if (typeof value !== 'string') return value;
  if (kind === 'time') return toSortableTime(value);
  return kind === 'text' ? value.toLowerCase() || null : value;
}
