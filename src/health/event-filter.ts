import { InputError } from '../errors.ts';
import { ownRound } from '../rounds.ts';
import type { HealthEventRecord } from './event-record.ts';
import { timeKey } from './time-key.ts';

/** Conditions by field or by `and`, `or`, `not`: operators by field. */
export type EventFilter = Readonly<Record<string, unknown>>;

/** What is compared: texts without regard to case, instants to their last digit. */
type Key = string | number | boolean;

interface Field {
  readonly kind: 'text' | 'choice' | 'time' | 'plain';
  valuesOf(event: HealthEventRecord): readonly (Key | null)[];
}

const columns = {
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
} as const;

/** What a list holds of every event, sensitive or not. */
const fields: Readonly<Record<string, Field>> = {
  ...Object.fromEntries(
    Object.entries(columns).map(([name, kind]): [string, Field] => [
      name,
      { kind, valuesOf: (event) => [event[name as keyof typeof columns]] },
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

const maxDepth = 16;
// How long others wait for the comparisons of one list.
const sliceMs = 5;

type Test = (event: HealthEventRecord) => boolean;

/** The events that pass a test. A thousand comparisons of thousands of events take long, and are made in slices. */
export async function passing(
  events: readonly HealthEventRecord[],
  passes: Test,
): Promise<readonly HealthEventRecord[]> {
  const all: HealthEventRecord[] = [];
  let beganAt = performance.now();
  for (const event of events) {
    if (performance.now() - beganAt > sliceMs) {
      await ownRound();
      beganAt = performance.now();
    }
    if (passes(event)) all.push(event);
  }
  return all;
}

/** A test of events. Throws `InputError` for what can never be meant. `not` is pushed down to the leaves. */
export function compileEventFilter(filter: EventFilter | null | undefined): Test {
  return filter == null ? () => true : compile(filter, false, 'filter', 0);
}

function compile(filter: EventFilter, isNegated: boolean, path: string, depth: number): Test {
  if (depth > maxDepth) throw new InputError(`\`filter\` is nested more than ${maxDepth} deep.`);
  const tests = Object.entries(filter).flatMap(([name, value]): Test[] => {
    if (value == null) return [];
    const at = `${path}.${name}`;
    if (name === 'not') return [compile(value as EventFilter, !isNegated, at, depth + 1)];
    if (name === 'and' || name === 'or') {
      const parts = (value as readonly EventFilter[]).map((one) => compile(one, isNegated, at, depth + 1));
      return [(name === 'or') === isNegated ? all(parts) : any(parts)];
    }
    return [leaf(fields[name] as Field, value as EventFilter, isNegated, at)];
  });
  return isNegated ? any(tests) : all(tests);
}

/** Of several values one has to meet all conditions; below `not`, none may. */
function leaf(field: Field, conditions: EventFilter, isNegated: boolean, path: string): Test {
  const { kind } = field;
  const checks = Object.entries(conditions).flatMap(([operator, operand]) =>
    operand === undefined || (operand === null && operator !== 'eq' && operator !== 'ne')
      ? []
      : [compare(kind, operator, operand, isNegated, `${path}.${operator}`)],
  );
  return (event) => {
    const values = keysOf(field, event);
    return isNegated
      ? values.every((value) => checks.some((passes) => passes(value)))
      : values.some((value) => checks.every((passes) => passes(value)));
  };
}

interface Compared {
  readonly event: HealthEventRecord;
  readonly keys: readonly (Key | null)[];
}

// Of the event that is compared just now: a filter may compare each field hundreds of times.
const compared = new WeakMap<Field, Compared>();

/** What an event has in a field, made ready to be compared; null alone where nothing is set. */
function keysOf(field: Field, event: HealthEventRecord): readonly (Key | null)[] {
  const last = compared.get(field);
  if (last?.event === event) return last.keys;
  const set = field
    .valuesOf(event)
    .map((value) => keyOf(field.kind, value))
    .filter((value) => value !== null);
  const keys = set.length > 0 ? set : [null];
  compared.set(field, { event, keys });
  return keys;
}

const all =
  (tests: readonly Test[]): Test =>
  (event) =>
    tests.every((passes) => passes(event));
const any =
  (tests: readonly Test[]): Test =>
  (event) =>
    tests.some((passes) => passes(event));

/** A check of one value. What is not set passes `eq` of null alone, and of the empty text, which means the same. */
function compare(
  kind: Field['kind'],
  operator: string,
  operand: unknown,
  isNegated: boolean,
  path: string,
): (value: Key | null) => boolean {
  const operands = Array.isArray(operand) ? operand : [operand];
  if (kind === 'choice' && operands.includes('UNRECOGNIZED'))
    throw new InputError(
      `\`${path}\` cannot be UNRECOGNIZED: that only stands for words read from the upstream.`,
    );
  const keys = operands.map((one) => keyOf(kind, one as Key | null));
  if (operator === 'eq' || operator === 'ne' || operator === 'in') {
    const wanted = new Set(keys);
    // Nothing is one of no values.
    if (wanted.size === 0) return () => isNegated;
    return (operator === 'ne') === isNegated
      ? (value) => wanted.has(value)
      : (value) => value !== null && !wanted.has(value);
  }
  const wanted = keys[0] ?? '';
  return (value) => value !== null && holds(operator, value, wanted) !== isNegated;
}

function holds(operator: string, value: Key, wanted: Key): boolean {
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

function keyOf(kind: Field['kind'], value: Key | null): Key | null {
  if (typeof value !== 'string') return value;
  if (kind === 'time') return timeKey(value);
  return kind === 'text' ? value.toLowerCase() || null : value;
}
