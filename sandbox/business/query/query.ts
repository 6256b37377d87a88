import { ApiError, badRequestError } from '../../api-error.ts';
import type { Dialect } from '../dialect.ts';
import type { EntitySet, Navigation, SetField } from '../entity-set.ts';
import {
  type Condition,
  compileFilter,
  conditionsOf,
  notImplementedError,
  parseFilter,
  type RecordPredicate,
  unknownPropertyError,
} from './filter.ts';

/** The validated query options of one entity set. */
export interface QueryOptions {
  /** Selected fields; undefined selects all. */
  readonly select: ReadonlySet<string> | undefined;
  readonly expand: readonly ExpandOption[];
  readonly filter: RecordPredicate | undefined;
  readonly orderBy: readonly OrderTerm[];
  readonly top: number | undefined;
  readonly skip: number;
  readonly isCounted: boolean;
}

/** An expanded navigation with the options of its target. */
export interface ExpandOption {
  readonly navigation: Navigation;
  readonly target: EntitySet;
  readonly options: QueryOptions;
}

export interface OrderTerm {
  readonly field: SetField;
  readonly isDescending: boolean;
}

export const defaultOptions: QueryOptions = {
  select: undefined,
  expand: [],
  filter: undefined,
  orderBy: [],
  top: undefined,
  skip: 0,
  isCounted: false,
};

const collectionOnlyOptions = ['$filter', '$orderby', '$top', '$skip', '$count'];

/**
 * Reads the options of a collection. Unknown options are ignored, as on the real service (gap: see
 * docs/upstream.md).
 */
export function readQueryOptions(
  parameters: ReadonlyMap<string, string>,
  set: EntitySet,
  dialect: Dialect,
): QueryOptions {
  const filter = parameters.get('$filter');
  const top = parameters.get('$top');
  const select = parameters.get('$select');
  return {
    select: select === undefined ? undefined : readSelect(select, set),
    expand: readExpand(parameters, set, dialect),
    filter: filter === undefined ? undefined : readFilter(filter, set, dialect),
    orderBy: readOrderBy(parameters.get('$orderby'), set, dialect),
    top: top === undefined ? undefined : readCount('$top', top),
    skip: readCount('$skip', parameters.get('$skip') ?? '0'),
    isCounted: readBoolean('$count', parameters.get('$count') ?? 'false'),
  };
}

/** Reads the options of a single record. Throws an `ApiError` for options of collections. */
export function readEntityOptions(
  parameters: ReadonlyMap<string, string>,
  set: EntitySet,
  dialect: Dialect,
): QueryOptions {
  const misplaced = collectionOnlyOptions.find((name) => parameters.has(name));
  if (misplaced !== undefined) {
    throw badRequestError(`The query option ${misplaced} can be applied only to collections.`);
  }
  return readQueryOptions(parameters, set, dialect);
}

function readFilter(text: string, set: EntitySet, { restrictsFilters }: Dialect): RecordPredicate {
  const filter = parseFilter(text);
  if (restrictsFilters) checkFilter(filter, set);
  return compileFilter(filter, set);
}

/**
 * Throws an `ApiError` for what the real service does not support: 501 BadRequest_MethodNotImplemented, or 400 BadRequest
 * for a computed field.
 */
function checkFilter(filter: Condition, set: EntitySet): void {
  for (const condition of conditionsOf(filter)) {
    if (condition.kind === 'or' && fieldNames(condition).size > 1)
      throw notImplementedError("The 'OR' operator is not supported on distinct fields on an OData filter.");
    if (condition.kind === 'not')
      throw notImplementedError("The 'NOT' operator is not supported on an OData filter.");
    if ('field' in condition) checkNotComputed(condition.field, set);
  }
}

/** Throws an `ApiError` for a field that the real service cannot filter or sort by. */
function checkNotComputed(name: string, set: EntitySet): void {
  if (!set.fields.some((field) => field.name === name && field.isComputed)) return;
  throw badRequestError(
    `The property '${name}' on type 'Microsoft.NAV.${set.typeName}' is not bound directly to a table field, so it can be neither filtered nor sorted by.`,
  );
}

function fieldNames(filter: Condition): Set<string> {
  return new Set([...conditionsOf(filter)].flatMap((one) => ('field' in one ? [one.field] : [])));
}

/** Splits at a separator outside parentheses and quotes. */
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
    if (depth < 0) throw malformedOptionError(text);
    if (character === separator && depth === 0) {
      parts.push(text.slice(start, index));
      start = index + 1;
    }
  }
  if (depth !== 0 || isQuoted) throw malformedOptionError(text);
  return [...parts, text.slice(start)];
}

function readSelect(text: string, set: EntitySet): ReadonlySet<string> | undefined {
  const names = text.split(',').map((name) => name.trim());
  if (names.includes('*')) return undefined;
  const selected = new Set<string>();
  for (const name of names) {
    // Only names in $select are case-insensitive.
    const found = [...set.fields, ...set.navigations].find(
      (one) => one.name.toLowerCase() === name.toLowerCase(),
    );
    if (!found) throw unknownPropertyError(name, set);
    selected.add(found.name);
  }
  return selected;
}

function readExpand(
  parameters: ReadonlyMap<string, string>,
  set: EntitySet,
  dialect: Dialect,
): ExpandOption[] {
  const text = parameters.get('$expand');
  if (text === undefined || text.trim() === '') return [];
  return splitOutside(text, ',').map((part) => {
    const [, name = '', nested] = /^\s*([\w*]+)\s*(?:\((.*)\)\s*)?$/s.exec(part) ?? [];
    if (name === '') throw malformedOptionError(part);
    const navigation = set.navigations.find((one) => one.name === name);
    if (!navigation) throw unknownPropertyError(name, set);
    const target = dialect.set(navigation.target);
    const inner = readNested(nested ?? '');
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
    if (equals < 0) throw malformedOptionError(text);
    parameters.set(option.slice(0, equals).trim(), option.slice(equals + 1));
  }
  return parameters;
}

function readOrderBy(text: string | undefined, set: EntitySet, dialect: Dialect): OrderTerm[] {
  if (text === undefined) return [];
  return text.split(',').map((part) => {
    const [, name = '', direction = 'asc'] = /^\s*(\S+)(?:\s+(asc|desc))?\s*$/.exec(part) ?? [];
    if (name === '') throw malformedOptionError(text);
    const field = set.fields.find((one) => one.name === name);
    if (!field || field.kind === 'lines' || field.kind === 'object') throw unknownPropertyError(name, set);
    if (dialect.restrictsFilters) checkNotComputed(name, set);
    return { field, isDescending: direction === 'desc' };
  });
}

function readCount(name: string, text: string): number {
  if (!/^\d{1,9}$/.test(text)) {
    throw badRequestError(
      `Invalid value '${text}' for ${name} query option found. It must be a non-negative integer.`,
    );
  }
  return Number(text);
}

function readBoolean(name: string, text: string): boolean {
  if (text !== 'true' && text !== 'false')
    throw badRequestError(`Invalid value '${text}' for ${name} query option found.`);
  return text === 'true';
}

function malformedOptionError(text: string): ApiError {
  return new ApiError(400, 'BadRequest_NotFound', `Syntax error in '${text.slice(0, 200)}'.`);
}
