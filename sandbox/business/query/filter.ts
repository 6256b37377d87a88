import { ApiError, badRequestError } from '../../api-error.ts';
import { compareValues, parseNumber } from '../../json.ts';
import { type EntitySet, type FieldKind, isBlank, type SetField } from '../entity-set.ts';

/** The OData type of a literal. `null` is compatible with all types. */
type LiteralType = 'String' | 'Guid' | 'Boolean' | 'Decimal' | 'Date' | 'DateTimeOffset' | 'null';

interface Literal {
  readonly type: LiteralType;
  readonly value: unknown;
}

/** The syntax tree of a `$filter`: comparisons of a field with a literal, and their combinations. Names and types are not checked. */
export type Condition =
  | {
      readonly kind: 'compare';
      readonly field: string;
      readonly operator: Operator;
      readonly literal: Literal;
    }
  | { readonly kind: 'call'; readonly field: string; readonly name: string; readonly literal: Literal }
  | { readonly kind: 'not'; readonly operands: readonly [Condition] }
  | { readonly kind: 'and' | 'or'; readonly operands: readonly Condition[] };

/** Whether a record matches a filter. */
export type RecordPredicate = (values: Readonly<Record<string, unknown>>) => boolean;

const comparators = {
  eq: (order: number) => order === 0,
  ne: (order: number) => order !== 0,
  gt: (order: number) => order > 0,
  ge: (order: number) => order >= 0,
  lt: (order: number) => order < 0,
  le: (order: number) => order <= 0,
};
type Operator = keyof typeof comparators;

const textTests: Readonly<Record<string, (text: string, part: string) => boolean>> = {
  contains: (text, part) => text.includes(part),
  startswith: (text, part) => text.startsWith(part),
  endswith: (text, part) => text.endsWith(part),
};

/** Limits recursion, which would otherwise exhaust the stack. */
const maxFilterDepth = 100;

/**
 * Parses a `$filter`, by that part of OData's grammar that Tributary sends. Precedence: `not`, `and`, `or`. Throws an
 * `ApiError` for a syntax error or an unknown function (400 BadRequest_NotFound), and for `in` (501).
 */
export function parseFilter(filter: string): Condition {
  const tokens = tokenize(filter);
  let index = 0;
  let depth = 0;

  function peek(): Token {
    return tokens[index] ?? { kind: 'end', text: '', position: filter.length };
  }

  function accept(kind: TokenKind, text: string): boolean {
    const isIt = peek().kind === kind && peek().text === text;
    if (isIt) index += 1;
    return isIt;
  }

  function expect(text: string): void {
    if (!accept('mark', text)) throw syntaxError(filter, peek().position);
  }

  function parseOr(): Condition {
    const operands = [parseAnd()];
    while (accept('name', 'or')) operands.push(parseAnd());
    return combine('or', operands);
  }

  function parseAnd(): Condition {
    const operands = [parseCondition()];
    while (accept('name', 'and')) operands.push(parseCondition());
    return combine('and', operands);
  }

  function parseCondition(): Condition {
    depth += 1;
    if (depth > maxFilterDepth) throw badRequestError('The filter is nested too deeply.');
    const condition = parseNested();
    depth -= 1;
    return condition;
  }

  function parseNested(): Condition {
    if (accept('name', 'not')) {
      // It binds tighter than a comparison, so what follows is in parentheses or a call.
      if (![tokens[index], tokens[index + 1]].some((one) => one?.text === '('))
        throw badRequestError("The operand of 'not' must be a single boolean value.");
      return { kind: 'not', operands: [parseCondition()] };
    }
    if (accept('mark', '(')) {
      const inner = parseOr();
      expect(')');
      return inner;
    }
    const name = parseName();
    if (accept('mark', '(')) return parseArguments(name);
    const operator = parseName();
    if (operator === 'in')
      throw notImplementedError("The 'IN' operator is not supported on an OData filter.");
    if (!(operator in comparators)) throw syntaxError(filter, peek().position);
    return { kind: 'compare', field: name, operator: operator as Operator, literal: parseLiteral() };
  }

  function parseArguments(name: string): Condition {
    if (!Object.hasOwn(textTests, name))
      throw new ApiError(400, 'BadRequest_NotFound', `An unknown function with name '${name}' was found.`);
    const field = parseName();
    expect(',');
    const literal = parseLiteral();
    expect(')');
    return { kind: 'call', name, field, literal };
  }

  function parseName(): string {
    const { kind, text, position } = peek();
    if (kind !== 'name') throw syntaxError(filter, position);
    index += 1;
    return text;
  }

  function parseLiteral(): Literal {
    const { kind, text, position } = peek();
    index += 1;
    switch (kind) {
      case 'string':
        return { type: 'String', value: text };
      case 'guid':
        return { type: 'Guid', value: text.toLowerCase() };
      case 'number':
        return { type: 'Decimal', value: parseNumber(text.replace(/^(-?)0+(?=\d)/, '$1')) };
      case 'date':
        if (!isCalendarDate(text)) throw syntaxError(filter, position);
        return { type: 'Date', value: text };
      case 'dateTime':
        // Rejects dates that do not exist, such as 30 February.
        if (!isCalendarDate(text.slice(0, 10)) || Number.isNaN(Date.parse(text))) {
          throw syntaxError(filter, position);
        }
        return { type: 'DateTimeOffset', value: Date.parse(text) };
      case 'name':
        if (text === 'true' || text === 'false') return { type: 'Boolean', value: text === 'true' };
        if (text === 'null') return { type: 'null', value: null };
    }
    throw syntaxError(filter, position);
  }

  const condition = parseOr();
  if (peek().kind !== 'end') throw syntaxError(filter, peek().position);
  return condition;
}

/** Yields a condition and all conditions within it. */
export function* conditionsOf(condition: Condition): Generator<Condition> {
  yield condition;
  if ('operands' in condition) for (const inner of condition.operands) yield* conditionsOf(inner);
}

function combine(kind: 'and' | 'or', operands: readonly Condition[]): Condition {
  const [first] = operands;
  return operands.length === 1 && first ? first : { kind, operands };
}

/** The error for what the real service does not support. */
export function notImplementedError(message: string): ApiError {
  return new ApiError(501, 'BadRequest_MethodNotImplemented', message);
}

const typeOfField: Readonly<Partial<Record<FieldKind, LiteralType>>> = {
  guid: 'Guid',
  text: 'String',
  code: 'String',
  choice: 'String',
  boolean: 'Boolean',
  integer: 'Decimal',
  decimal: 'Decimal',
  date: 'Date',
  dateTime: 'DateTimeOffset',
};

/**
 * Compiles a filter to a predicate. Throws an `ApiError` (400 BadRequest) for an unknown field or incompatible
 * types. Text comparison is case-sensitive. `null` means "unset".
 */
export function compileFilter(condition: Condition, set: EntitySet): RecordPredicate {
  if ('operands' in condition) {
    const parts = condition.operands.map((one) => compileFilter(one, set));
    if (condition.kind === 'and') return (values) => parts.every((part) => part(values));
    const isNegated = condition.kind === 'not';
    return (values) => parts.some((part) => part(values)) !== isNegated;
  }
  const { field: name, literal } = condition;
  const field = set.fields.find((one) => one.name === name);
  if (!field) throw unknownPropertyError(name, set);
  const type = typeOfField[field.kind];
  if (!type) throw badRequestError(`The property '${name}' cannot be filtered.`);
  if (condition.kind === 'compare') return compileComparison(condition.operator, field, type, literal);
  const test = textTests[condition.name];
  if (!test || type !== 'String' || isEnum(field) || literal.type !== 'String')
    throw badRequestError(`The arguments of '${condition.name}' must be two of type 'Edm.String'.`);
  return (values) => test(String(values[name]), String(literal.value));
}

function compileComparison(
  operator: Operator,
  field: SetField,
  type: LiteralType,
  literal: Literal,
): RecordPredicate {
  const { name, choices = [], toWire } = field;
  const holds = comparators[operator];
  if (literal.type === 'null') {
    if (operator !== 'eq' && operator !== 'ne') return () => false;
    // The service has no null. A comparison with it tests whether the field is unset.
    return (values) => isBlank(values[name]) === (operator === 'eq');
  }
  if (literal.type !== type)
    throw badRequestError(
      `A binary operator with incompatible types was detected. Found operand types 'Edm.${type}' and 'Edm.${literal.type}' for operator kind '${operator}'.`,
    );
  if (isEnum(field)) {
    // Members are ordered by their declaration. Literals have the form of the dialect.
    const ordinal = choices.findIndex((choice) => toWire?.(choice) === literal.value);
    if (ordinal < 0)
      throw badRequestError(`The string '${literal.value}' is not a valid enumeration type constant.`);
    return (values) => holds(choices.indexOf(String(values[name])) - ordinal);
  }
  const isTime = type === 'DateTimeOffset';
  const read: (value: unknown) => unknown = isTime ? (value) => Date.parse(String(value)) : (value) => value;
  return (values) => holds(compareValues(read(values[name]), literal.value));
}

/** True for a choice in a dialect that has enumerations. */
const isEnum = ({ kind, toWire }: SetField): boolean => kind === 'choice' && toWire !== undefined;

/** The error for an unknown field, with the text of the real service. */
export function unknownPropertyError(name: string, set: EntitySet): ApiError {
  return badRequestError(
    `Could not find a property named '${name}' on type 'Microsoft.NAV.${set.typeName}'.`,
  );
}

/** True for a date `YYYY-MM-DD` that exists. */
export function isCalendarDate(text: string): boolean {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return false;
  const time = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}

/** The kinds of tokens of a `$filter`. The tokenizer treats keywords as names. */
type TokenKind = 'string' | 'guid' | 'dateTime' | 'date' | 'number' | 'name' | 'mark' | 'end';

/** A token. The `text` of a string is its value, without quotes and escapes. */
interface Token {
  readonly kind: TokenKind;
  readonly text: string;
  readonly position: number;
}

const patterns: readonly (readonly [TokenKind, RegExp])[] = [
  ['string', /'(?:[^']|'')*'/y],
  ['guid', /[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}(?![\w-])/iy],
  ['dateTime', /\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)(?![\w-])/y],
  ['date', /\d{4}-\d\d-\d\d(?![\w-])/y],
  ['number', /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.-])/y],
  ['name', /[A-Za-z_$@][\w$@./]*/y],
  ['mark', /[(),]/y],
];

/**
 * Splits a filter into tokens, of which the last is `end`. Throws an `ApiError` for words or literals without
 * a blank between them.
 */
function tokenize(filter: string): Token[] {
  const tokens: Token[] = [];
  let position = skipBlanks(filter, 0);
  while (position < filter.length) {
    const token = tokenAt(filter, position);
    const former = tokens.at(-1);
    const isJoined = former && former.kind !== 'mark' && !/[ \t]/.test(filter[position - 1] ?? '');
    if (!token || (isJoined && token.token.kind !== 'mark')) throw syntaxError(filter, position);
    tokens.push(token.token);
    position = skipBlanks(filter, token.next);
  }
  tokens.push({ kind: 'end', text: '', position });
  return tokens;
}

/** The error for a filter with invalid syntax. */
function syntaxError(filter: string, position: number): ApiError {
  return new ApiError(
    400,
    'BadRequest_NotFound',
    `Syntax error at position ${position} in '${filter.slice(0, 200)}'.`,
  );
}

function tokenAt(filter: string, position: number): { token: Token; next: number } | undefined {
  for (const [kind, pattern] of patterns) {
    pattern.lastIndex = position;
    const found = pattern.exec(filter)?.[0];
    if (found === undefined) continue;
    const text = kind === 'string' ? found.slice(1, -1).replaceAll("''", "'") : found;
    return { token: { kind, text, position }, next: pattern.lastIndex };
  }
  return undefined;
}

function skipBlanks(filter: string, from: number): number {
  let position = from;
  while (filter[position] === ' ' || filter[position] === '\t') position += 1;
  return position;
}
