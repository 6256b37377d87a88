import { InputError } from '../errors.ts';
import { waitForTurn } from '../runtime/cooperative-queue.ts';
import type { HealthEventRecord } from './event-record.ts';
import { toSortableTime } from './sortable-time.ts';

/** A filter as the graph's input type has it: operators by field, and `and`, `or`, `not`. */
export type EventFilter = Readonly<Record<string, unknown>>;

/** A value made ready for comparison: text in lower case, an instant as a sortable text, `null` where nothing is set. */
type FilterKey = string | number | boolean;

interface FilterField {
  readonly kind: 'text' | 'choice' | 'time' | 'plain';
  valuesOf(event: HealthEventRecord): readonly (FilterKey | null)[];
}

const filterColumns = {
  trackingId: 'text',
  title: 'text',
  eventType: 'choice',
  eventSource: 'choice',
  eventLevel: 'choice',
  level: 'choice',
  status: 'choice',
  isEventSensitive: 'plain',
  isHIR: 'plain',
  platformInitiated: 'plain',
  priority: 'plain',
  lastUpdateTime: 'time',
  // What `eqRaw` and its like compare.
  eventTypeRaw: 'text',
  eventSourceRaw: 'text',
  eventLevelRaw: 'text',
  levelRaw: 'text',
  statusRaw: 'text',
} as const;

/** The fields that a list contains of every event, sensitive or not. */
const filterFields: Readonly<Record<string, FilterField>> = {
  ...Object.fromEntries(
    Object.entries(filterColumns).map(([name, kind]): [string, FilterField] => [
      name,
      { kind, valuesOf: (event) => [event[name as keyof typeof filterColumns]] },
    ]),
  ),
  impactedService: {
    kind: 'text',
    valuesOf: ({ impact }) => impact?.map(({ impactedService }) => impactedService) ?? [],
  },
  impactedRegion: {
    kind: 'text',
    valuesOf: ({ impact }) =>
      (impact ?? [])
        .flatMap(({ impactedRegions }) => impactedRegions ?? [])
        .map(({ impactedRegion }) => impactedRegion),
  },
};

const maxFilterDepth = 16;
// How long the event loop may be blocked by the comparisons of one list.
const sliceMs = 5;

type EventPredicate = (event: HealthEventRecord) => boolean;

/** Filters in slices on the cooperative queue of a caller: a thousand comparisons of thousands of events take long. */
export async function filterEvents(
  events: readonly HealthEventRecord[],
  passes: EventPredicate,
  key: string,
): Promise<readonly HealthEventRecord[]> {
  const all: HealthEventRecord[] = [];
  let beganAt = performance.now();
  for (const event of events) {
    if (performance.now() - beganAt > sliceMs) {
      await waitForTurn(key);
      beganAt = performance.now();
    }
    if (passes(event)) all.push(event);
  }
  return all;
}

/** Compiles a filter; `not` is pushed down to the fields. Throws `InputError` for a filter that cannot be evaluated. */
export function compileEventFilter(filter: EventFilter | null | undefined): EventPredicate {
  return filter == null ? () => true : compileConditions(filter, false, 0);
}

function compileConditions(filter: EventFilter, isNegated: boolean, depth: number): EventPredicate {
  if (depth > maxFilterDepth) throw new InputError(`\`filter\` is nested more than ${maxFilterDepth} deep.`);
  const tests = Object.entries(filter).flatMap(([name, value]): EventPredicate[] => {
    if (value == null) return [];
    if (name === 'not') return [compileConditions(value as EventFilter, !isNegated, depth + 1)];
    if (name === 'and' || name === 'or') {
      const parts = (value as readonly EventFilter[]).map((one) =>
        compileConditions(one, isNegated, depth + 1),
      );
      return [(name === 'or') === isNegated ? allOf(parts) : anyOf(parts)];
    }
    const [plain, raw] = splitConditions(value as EventFilter);
    const plainTest = compileField(filterFields[name] as FilterField, plain, isNegated);
    if (!raw) return [plainTest];
    const rawTest = compileField(filterFields[`${name}Raw`] as FilterField, raw, isNegated);
    return Object.keys(plain).length > 0 ? [plainTest, rawTest] : [rawTest];
  });
  return isNegated ? anyOf(tests) : allOf(tests);
}

/** The conditions on a choice, and those on the service's own word, without `Raw` in their names; null if there are none. */
function splitConditions(conditions: EventFilter): readonly [plain: EventFilter, raw: EventFilter | null] {
  const isRaw = (operator: string) => operator.endsWith('Raw');
  const entries = Object.entries(conditions).filter(
    ([operator, operand]) => !isRaw(operator) || operand != null,
  );
  const raw = entries
    .filter(([operator]) => isRaw(operator))
    .map(([operator, operand]) => [operator.slice(0, -'Raw'.length), operand]);
  const plain = entries.filter(([operator]) => !isRaw(operator));
  return [Object.fromEntries(plain), raw.length > 0 ? Object.fromEntries(raw) : null];
}

/** Where a field has several values, one of them has to meet all conditions; below `not`, none may. */
function compileField(field: FilterField, conditions: EventFilter, isNegated: boolean): EventPredicate {
  const { kind } = field;
  const checks = Object.entries(conditions).flatMap(([operator, operand]) =>
    operand === undefined || (operand === null && operator !== 'eq' && operator !== 'ne')
      ? []
      : [compileOperator(kind, operator, operand, isNegated)],
  );
  return (event) => {
    const values = readFieldKeys(field, event);
    return isNegated
      ? values.every((value) => checks.some((passes) => passes(value)))
      : values.some((value) => checks.every((passes) => passes(value)));
  };
}

interface CachedKeys {
  readonly event: HealthEventRecord;
  readonly keys: readonly (FilterKey | null)[];
}

// The keys of the event that is filtered now, since a filter may compare each field hundreds of times.
const cachedKeys = new WeakMap<FilterField, CachedKeys>();

/** The keys of a field of an event; a single null where nothing is set. */
function readFieldKeys(field: FilterField, event: HealthEventRecord): readonly (FilterKey | null)[] {
  const last = cachedKeys.get(field);
  if (last?.event === event) return last.keys;
  const set = field
    .valuesOf(event)
    .map((value) => toFilterKey(field.kind, value))
    .filter((value) => value !== null);
  const keys = set.length > 0 ? set : [null];
  cachedKeys.set(field, { event, keys });
  return keys;
}

const allOf =
  (tests: readonly EventPredicate[]): EventPredicate =>
  (event) =>
    tests.every((passes) => passes(event));
const anyOf =
  (tests: readonly EventPredicate[]): EventPredicate =>
  (event) =>
    tests.some((passes) => passes(event));

/** Compiles one comparison. A value that is not set only equals null, or the empty text, which means the same. */
function compileOperator(
  kind: FilterField['kind'],
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

function toFilterKey(kind: FilterField['kind'], value: FilterKey | null): FilterKey | null {
  if (typeof value !== 'string') return value;
  if (kind === 'time') return toSortableTime(value);
  return kind === 'text' ? value.toLowerCase() || null : value;
}
