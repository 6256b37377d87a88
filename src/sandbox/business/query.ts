import { badRequest, Refusal } from '../refusal.ts';
import type { Dialect } from './dialect.ts';
import type { Expression } from './filter.ts';
import { parseFilter } from './filter.ts';
import type { Predicate } from './filter-evaluation.ts';
import { predicateOf, unknownProperty } from './filter-evaluation.ts';
import type { FilterRules } from './filter-rules.ts';
import { expectFindable, permitted } from './filter-rules.ts';
import type { Field, Navigation, RecordSet } from './records.ts';

/** What a caller asked of one record set, checked against its fields. */
export interface QueryOptions {
  /** Names of the fields to show; undefined shows all. */
  readonly select: ReadonlySet<string> | undefined;
  readonly expand: readonly Expansion[];
  readonly filter: Filter | undefined;
  readonly orderBy: readonly OrderTerm[];
  readonly top: number | undefined;
  readonly skip: number;
  readonly isCounted: boolean;
}

interface Filter {
  readonly expression: Expression;
  readonly passes: Predicate;
}

/** A navigation to follow, and what is asked of the records behind it. */
export interface Expansion {
  readonly navigation: Navigation;
  readonly target: RecordSet;
  readonly options: QueryOptions;
}

export interface OrderTerm {
  readonly field: Field;
  readonly isDescending: boolean;
}

/** What is asked where nothing is: everything. */
export const everything: QueryOptions = {
  select: undefined,
  expand: [],
  filter: undefined,
  orderBy: [],
  top: undefined,
  skip: 0,
  isCounted: false,
};

const collectionOnly = ['$filter', '$orderby', '$top', '$skip', '$count'];

/**
 * Reads the options of a collection. Options the service does not know are ignored with an
 * ordinary answer, as the real one does (gap: see docs/upstream.md).
 */
export function readQueryOptions(
  parameters: ReadonlyMap<string, string>,
  set: RecordSet,
  dialect: Dialect,
): QueryOptions {
  const rules = dialect.filterRules(parameters.get('$schemaversion'));
  const filter = parameters.get('$filter');
  const top = parameters.get('$top');
  const select = parameters.get('$select');
  return {
    select: select === undefined ? undefined : readSelect(select, set),
    expand: readExpand(parameters, set, dialect),
    filter: filter === undefined ? undefined : readFilter(filter, set, rules),
    orderBy: readOrderBy(parameters.get('$orderby'), set, rules),
    top: top === undefined ? undefined : readCount('$top', top),
    skip: readCount('$skip', parameters.get('$skip') ?? '0'),
    isCounted: readBoolean('$count', parameters.get('$count') ?? 'false'),
  };
}

/** Reads the options of a single record, which has nothing to filter, sort or count. */
export function readEntityOptions(
  parameters: ReadonlyMap<string, string>,
  set: RecordSet,
  dialect: Dialect,
): QueryOptions {
  const misplaced = collectionOnly.find((name) => parameters.has(name));
  if (misplaced !== undefined) {
    throw badRequest(`The query option ${misplaced} can be applied only to collections.`);
  }
  return readQueryOptions(parameters, set, dialect);
}

function readFilter(text: string, set: RecordSet, rules: FilterRules): Filter | undefined {
  const expression = permitted(parseFilter(text), rules, set);
  return expression && { expression, passes: predicateOf(expression, set) };
}

/** Splits at a separator that stands outside parentheses and quotes. */
function splitOutside(text: string, separator: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let isQuoted = false;
  let start = 0;
  for (let index = 0; index < text.length; index += 1) {
    const character = text[index];
    if (character === "'") isQuoted = !isQuoted;
    if (isQuoted) continue;
    if (character === '(') depth += 1;
    if (character === ')') depth -= 1;
    if (depth < 0) throw malformed(text);
    if (character === separator && depth === 0) {
      parts.push(text.slice(start, index));
      start = index + 1;
    }
  }
  if (depth !== 0 || isQuoted) throw malformed(text);
  return [...parts, text.slice(start)];
}

function readSelect(text: string, set: RecordSet): ReadonlySet<string> | undefined {
  const names = text.split(',').map((name) => name.trim());
  if (names.includes('*')) return undefined;
  const selected = new Set<string>();
  for (const name of names) {
    // Names in $select are the only ones read without regard to case.
    const found = [...set.fields, ...set.navigations].find(
      (one) => one.name.toLowerCase() === name.toLowerCase(),
    );
    if (!found) throw unknownProperty(name, set);
    selected.add(found.name);
  }
  return selected;
}

function readExpand(parameters: ReadonlyMap<string, string>, set: RecordSet, dialect: Dialect): Expansion[] {
  const text = parameters.get('$expand');
  if (text === undefined || text.trim() === '') return [];
  return splitOutside(text, ',').map((part) => {
    const [, name = '', nested] = /^\s*([\w*]+)\s*(?:\((.*)\)\s*)?$/s.exec(part) ?? [];
    if (name === '') throw malformed(part);
    const navigation = set.navigations.find((one) => one.name === name);
    if (!navigation) throw unknownProperty(name, set);
    const target = dialect.set(navigation.target);
    const inner = readNested(nested ?? '');
    const version = parameters.get('$schemaversion');
    if (version !== undefined) inner.set('$schemaversion', version);
    const isToOne = navigation.from !== undefined;
    return {
      navigation,
      target,
      options: isToOne ? readEntityOptions(inner, target, dialect) : readQueryOptions(inner, target, dialect),
    };
  });
}

function readNested(text: string): Map<string, string> {
  const parameters = new Map<string, string>();
  for (const option of splitOutside(text, ';')) {
    if (option.trim() === '') continue;
    const equals = option.indexOf('=');
    if (equals < 0) throw malformed(text);
    parameters.set(option.slice(0, equals).trim(), option.slice(equals + 1));
  }
  return parameters;
}

function readOrderBy(text: string | undefined, set: RecordSet, rules: FilterRules): OrderTerm[] {
  if (text === undefined) return [];
  return text.split(',').map((part) => {
    const [, name = '', direction = 'asc'] = /^\s*(\S+)(?:\s+(asc|desc))?\s*$/.exec(part) ?? [];
    if (name === '') throw malformed(text);
    const field = set.fields.find((one) => one.name === name);
    if (!field || field.kind === 'lines' || field.kind === 'object') throw unknownProperty(name, set);
    expectFindable(name, rules, set);
    return { field, isDescending: direction === 'desc' };
  });
}

function readCount(name: string, text: string): number {
  if (!/^\d{1,9}$/.test(text)) {
    throw badRequest(
      `Invalid value '${text}' for ${name} query option found. It must be a non-negative integer.`,
    );
  }
  return Number(text);
}

function readBoolean(name: string, text: string): boolean {
  if (text !== 'true' && text !== 'false')
    throw badRequest(`Invalid value '${text}' for ${name} query option found.`);
  return text === 'true';
}

function malformed(text: string): Refusal {
  return new Refusal(400, 'BadRequest_NotFound', `Syntax error in '${text.slice(0, 200)}'.`);
}
