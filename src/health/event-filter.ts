import { InputError } from '../errors.ts';
import type { HealthEventRecord } from './event-record.ts';

/** Conditions by field or by `and`, `or`, `not`: operators by field. */
export type EventFilter = Readonly<Record<string, unknown>>;

type Value = string | number | boolean;

/** What a list holds of every event, sensitive or not; a field with several values passes when one of them does. */
const fields: Readonly<Record<string, (event: HealthEventRecord) => readonly (Value | null)[]>> = {
  trackingId: (event) => [event.trackingId],
  title: (event) => [event.title],
  eventType: (event) => [event.eventType],
  eventLevel: (event) => [event.eventLevel],
  status: (event) => [event.status],
  isEventSensitive: (event) => [event.isEventSensitive],
  isHIR: (event) => [event.isHIR],
  priority: (event) => [event.priority],
  lastUpdateTime: (event) => [event.lastUpdateTime],
  impactedService: ({ impact }) => impact?.map(({ impactedService }) => impactedService) ?? [],
  impactedRegion: ({ impact }) =>
    impact
      ?.flatMap(({ impactedRegions }) => impactedRegions ?? [])
      .map(({ impactedRegion }) => impactedRegion) ?? [],
};

const opposites: Readonly<Record<string, string>> = {
  eq: 'ne',
  ne: 'eq',
  gt: 'le',
  ge: 'lt',
  lt: 'ge',
  le: 'gt',
};

const maxDepth = 16;

/** A test of events. Throws `InputError` for what can never be meant. `not` is pushed down to the leaves. */
export function compileEventFilter(
  filter: EventFilter | null | undefined,
): (event: HealthEventRecord) => boolean {
  return filter == null ? () => true : compile(filter, false, 'filter', 0);
}

type Test = (event: HealthEventRecord) => boolean;

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
    const valuesOf = fields[name] as (event: HealthEventRecord) => readonly (Value | null)[];
    const leaves = Object.entries(value).map(([operator, operand]): Test => {
      const passes = compare(operator, operand, isNegated, `${at}.${operator}`);
      return (event) => {
        const values = valuesOf(event);
        return values.length === 0 ? passes(null) : values.some(passes);
      };
    });
    return [isNegated ? any(leaves) : all(leaves)];
  });
  return isNegated ? any(tests) : all(tests);
}

const all =
  (tests: readonly Test[]): Test =>
  (event) =>
    tests.every((passes) => passes(event));
const any =
  (tests: readonly Test[]): Test =>
  (event) =>
    tests.some((passes) => passes(event));

function compare(
  operator: string,
  operand: unknown,
  isNegated: boolean,
  path: string,
): (value: Value | null) => boolean {
  const operands = Array.isArray(operand) ? operand : [operand];
  if (operands.includes('UNRECOGNIZED'))
    throw new InputError(`\`${path}\` cannot be UNRECOGNIZED: it stands for many words.`);
  if (operator === 'in') {
    const wanted = new Set(operands.map(comparable));
    return (value) => value !== null && wanted.has(comparable(value)) !== isNegated;
  }
  const name = isNegated ? (opposites[operator] ?? operator) : operator;
  if (operand === null) {
    if (name === 'eq') return (value) => value === null;
    if (name === 'ne') return (value) => value !== null;
    return () => true;
  }
  const wanted = comparable(operand as Value);
  const isOpposed = isNegated && opposites[operator] === undefined;
  return (value) => value !== null && holds(name, comparable(value), wanted) !== isOpposed;
}

function holds(
  operator: string,
  value: string | number | boolean,
  wanted: string | number | boolean,
): boolean {
  switch (operator) {
    case 'eq':
      return value === wanted;
    case 'ne':
      return value !== wanted;
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

const instant = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?Z$/;

// Instants compare as texts once their fractions have the same length.
function comparable(value: Value): Value {
  if (typeof value !== 'string') return value;
  const match = instant.exec(value);
  if (!match) return value.toLowerCase();
  const fraction = (match[1] ?? '').slice(1).padEnd(9, '0');
  return value.replace(/(\.\d+)?Z$/, `.${fraction}Z`);
}
