import { badRequestError } from '../../api-error.ts';
import { parseNumber } from '../../json.ts';
import type { Token, TokenKind } from './filter-tokens.ts';
import { syntaxError, tokenize } from './filter-tokens.ts';

/** The OData type of a literal. `null` is compatible with all types. */
export type LiteralType = 'String' | 'Guid' | 'Boolean' | 'Decimal' | 'Date' | 'DateTimeOffset' | 'null';

export type Operator = 'eq' | 'ne' | 'gt' | 'ge' | 'lt' | 'le';

/** The syntax tree of a `$filter`. Names and types are not checked. */
export type Expression =
  | { readonly kind: 'literal'; readonly type: LiteralType; readonly value: unknown }
  | { readonly kind: 'field'; readonly name: string }
  | {
      readonly kind: 'call';
      readonly name: string;
      readonly operands: readonly Expression[];
      readonly position: number;
    }
  | {
      readonly kind: 'compare';
      readonly operator: Operator;
      readonly left: Expression;
      readonly right: Expression;
    }
  | { readonly kind: 'in'; readonly left: Expression; readonly list: readonly Expression[] }
  | { readonly kind: 'not'; readonly operand: Expression }
  | { readonly kind: 'and' | 'or'; readonly operands: readonly Expression[] }
  | { readonly kind: 'lambda'; readonly path: string; readonly position: number };

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
    if (!isCall) return parseSingle(token);
    const { text: name, position } = token;
    if (/\/(any|all)$/.test(name)) return parseLambda(name, position);
    return { kind: 'call', name, operands: parseOperands(), position };
  }

  /** Parses `path/any(x:…)` or `path/any()`. The body is not kept. */
  function parseLambda(path: string, position: number): Expression {
    expect('(');
    if (!accept('mark', ')')) {
      if (advance().kind !== 'name') throw syntaxError(filter, position);
      expect(':');
      parseOr();
      expect(')');
    }
    return { kind: 'lambda', path, position };
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
