import { ApiError, badRequestError } from '../../api-error.ts';
import { parseNumber } from '../../json.ts';

/** The OData type of a literal. `null` is compatible with all types. */
export type LiteralType = 'String' | 'Guid' | 'Boolean' | 'Decimal' | 'Date' | 'DateTimeOffset' | 'null';

export type Operator = 'eq' | 'ne' | 'gt' | 'ge' | 'lt' | 'le';

/** The syntax tree of a `$filter`. Names and types are not checked. */
export type Expression =
  | { readonly kind: 'literal'; readonly type: LiteralType; readonly value: unknown }
  | { readonly kind: 'field'; readonly name: string }
  | { readonly kind: 'call'; readonly name: string; readonly operands: readonly Expression[] }
  | {
      readonly kind: 'compare';
      readonly operator: Operator;
      readonly left: Expression;
      readonly right: Expression;
    }
  | { readonly kind: 'in'; readonly left: Expression; readonly list: readonly Expression[] }
  | { readonly kind: 'not'; readonly operand: Expression }
  | { readonly kind: 'and' | 'or'; readonly operands: readonly Expression[] };

const operators: ReadonlySet<string> = new Set<Operator>(['eq', 'ne', 'gt', 'ge', 'lt', 'le']);

/** Limits recursion, which would otherwise exhaust the stack. */
const maxFilterDepth = 100;

/**
 * Parses a `$filter` by the grammar of OData. Precedence: `not`, comparisons and `in`, `and`, `or`. Throws an
 * `ApiError` (400 BadRequest_NotFound) for a syntax error.
 */
export function parseFilter(filter: string): Expression {
  const tokens = tokenize(filter);
  let index = 0;
  let depth = 0;

  function peek(): Token {
    return tokens[index] ?? { kind: 'end', text: '', position: filter.length };
  }

  function advance(): Token {
    const token = peek();
    index += 1;
    return token;
  }

  function accept(kind: TokenKind, text: string): boolean {
    const isIt = peek().kind === kind && peek().text === text;
    if (isIt) index += 1;
    return isIt;
  }

  function expect(text: string): void {
    if (!accept('mark', text)) throw syntaxError(filter, peek().position);
  }

  function parseOr(): Expression {
    const operands = [parseAnd()];
    while (accept('name', 'or')) operands.push(parseAnd());
    return combine('or', operands);
  }

  function parseAnd(): Expression {
    const operands = [parseComparison()];
    while (accept('name', 'and')) operands.push(parseComparison());
    return combine('and', operands);
  }

  function parseComparison(): Expression {
    const left = parseNot();
    if (accept('name', 'in')) return { kind: 'in', left, list: parseOperands() };
    const word = peek();
    if (word.kind !== 'name' || !operators.has(word.text)) return left;
    advance();
    return { kind: 'compare', operator: word.text as Operator, left, right: parseNot() };
  }

  function parseNot(): Expression {
    depth += 1;
    if (depth > maxFilterDepth) throw badRequestError('The filter is nested too deeply.');
    const expression: Expression = accept('name', 'not')
      ? { kind: 'not', operand: parseNot() }
      : parsePrimary();
    depth -= 1;
    return expression;
  }

  function parsePrimary(): Expression {
    if (accept('mark', '(')) {
      const inner = parseOr();
      expect(')');
      return inner;
    }
    const token = advance();
    const isCall = token.kind === 'name' && peek().kind === 'mark' && peek().text === '(';
    return isCall ? { kind: 'call', name: token.text, operands: parseOperands() } : parseSingle(token);
  }

  function parseOperands(): Expression[] {
    expect('(');
    const operands: Expression[] = [];
    do {
      operands.push(parseOr());
    } while (accept('mark', ','));
    expect(')');
    return operands;
  }

  function parseSingle({ kind, text, position }: Token): Expression {
    switch (kind) {
      case 'string':
        return literalOf('String', text);
      case 'guid':
        return literalOf('Guid', text.toLowerCase());
      case 'number':
        return literalOf('Decimal', parseNumber(text.replace(/^(-?)0+(?=\d)/, '$1')));
      case 'date':
        if (!isCalendarDate(text)) throw syntaxError(filter, position);
        return literalOf('Date', text);
      case 'dateTime':
        // Rejects dates that do not exist, such as 30 February.
        if (!isCalendarDate(text.slice(0, 10)) || Number.isNaN(Date.parse(text))) {
          throw syntaxError(filter, position);
        }
        return literalOf('DateTimeOffset', Date.parse(text));
      case 'name':
        if (text === 'true' || text === 'false') return literalOf('Boolean', text === 'true');
        return text === 'null' ? literalOf('null', null) : { kind: 'field', name: text };
      default:
        throw syntaxError(filter, position);
    }
  }

  const expression = parseOr();
  if (peek().kind !== 'end') throw syntaxError(filter, peek().position);
  return expression;
}

/** Yields an expression and all expressions within it. */
export function* expressionsOf(expression: Expression): Generator<Expression> {
  yield expression;
  for (const inner of childrenOf(expression)) yield* expressionsOf(inner);
}

function childrenOf(expression: Expression): readonly Expression[] {
  switch (expression.kind) {
    case 'and':
    case 'or':
    case 'call':
      return expression.operands;
    case 'compare':
      return [expression.left, expression.right];
    case 'in':
      return [expression.left, ...expression.list];
    case 'not':
      return [expression.operand];
    default:
      return [];
  }
}

/** True for a date `YYYY-MM-DD` that exists. */
export function isCalendarDate(text: string): boolean {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return false;
  const time = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}

function literalOf(type: LiteralType, value: unknown): Expression {
  return { kind: 'literal', type, value };
}

function combine(kind: 'and' | 'or', operands: readonly Expression[]): Expression {
  const [first] = operands;
  return operands.length === 1 && first ? first : { kind, operands };
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
