import { numberFrom } from '../json.ts';
import { badRequest } from '../refusal.ts';
import type { Token, TokenKind } from './filter-tokens.ts';
import { syntaxError, tokenize } from './filter-tokens.ts';

/** What a literal is, as OData names its type; `null` goes with all. */
export type LiteralType = 'String' | 'Guid' | 'Boolean' | 'Decimal' | 'Date' | 'DateTimeOffset' | 'null';

/** The comparing operators. */
export type Operator = 'eq' | 'ne' | 'gt' | 'ge' | 'lt' | 'le';

/** A `$filter` by its grammar alone: its names may not exist, its types may not fit. */
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

/** Deeper nesting is refused: no honest filter needs it, and it would exhaust the stack. */
const maxDepth = 100;

/**
 * Reads a `$filter` by the grammar of OData: `not` binds first, then comparisons and `in`, then `and`,
 * then `or`. Throws a `Refusal` (400 BadRequest_NotFound) for what is not written so.
 */
export function parseFilter(filter: string): Expression {
  const tokens = tokenize(filter);
  let index = 0;
  let depth = 0;

  function peek(): Token {
    return tokens[index] ?? { kind: 'end', text: '', position: filter.length };
  }

  function next(): Token {
    const token = peek();
    index += 1;
    return token;
  }

  function skip(kind: TokenKind, text: string): boolean {
    const isIt = peek().kind === kind && peek().text === text;
    if (isIt) index += 1;
    return isIt;
  }

  function expect(text: string): void {
    if (!skip('mark', text)) throw syntaxError(filter, peek().position);
  }

  function parseOr(): Expression {
    const operands = [parseAnd()];
    while (skip('name', 'or')) operands.push(parseAnd());
    return joined('or', operands);
  }

  function parseAnd(): Expression {
    const operands = [parseComparison()];
    while (skip('name', 'and')) operands.push(parseComparison());
    return joined('and', operands);
  }

  function parseComparison(): Expression {
    const left = parseNot();
    if (skip('name', 'in')) return { kind: 'in', left, list: parseOperands() };
    const word = peek();
    if (word.kind !== 'name' || !operators.has(word.text)) return left;
    next();
    return { kind: 'compare', operator: word.text as Operator, left, right: parseNot() };
  }

  function parseNot(): Expression {
    depth += 1;
    if (depth > maxDepth) throw badRequest('The filter is nested too deeply.');
    const expression: Expression = skip('name', 'not')
      ? { kind: 'not', operand: parseNot() }
      : parsePrimary();
    depth -= 1;
    return expression;
  }

  function parsePrimary(): Expression {
    if (skip('mark', '(')) {
      const inner = parseOr();
      expect(')');
      return inner;
    }
    const token = next();
    const isCall = token.kind === 'name' && peek().kind === 'mark' && peek().text === '(';
    if (!isCall) return parseSingle(token);
    const { text: name, position } = token;
    if (/\/(any|all)$/.test(name)) return parseLambda(name, position);
    return { kind: 'call', name, operands: parseOperands(), position };
  }

  /** `path/any(x:…)`, or `path/any()`, of which nobody needs more than that it was asked. */
  function parseLambda(path: string, position: number): Expression {
    expect('(');
    if (!skip('mark', ')')) {
      if (next().kind !== 'name') throw syntaxError(filter, position);
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
    } while (skip('mark', ','));
    expect(')');
    return operands;
  }

  function parseSingle({ kind, text, position }: Token): Expression {
    switch (kind) {
      case 'string':
        return literal('String', text);
      case 'guid':
        return literal('Guid', text.toLowerCase());
      case 'number':
        return literal('Decimal', numberFrom(text.replace(/^(-?)0+(?=\d)/, '$1')));
      case 'date':
        if (!isCalendarDate(text)) throw syntaxError(filter, position);
        return literal('Date', text);
      case 'dateTime':
        // What looks like a date but is on no calendar is no date.
        if (!isCalendarDate(text.slice(0, 10)) || Number.isNaN(Date.parse(text))) {
          throw syntaxError(filter, position);
        }
        return literal('DateTimeOffset', Date.parse(text));
      case 'name':
        if (text === 'true' || text === 'false') return literal('Boolean', text === 'true');
        return text === 'null' ? literal('null', null) : { kind: 'field', name: text };
      default:
        throw syntaxError(filter, position);
    }
  }

  const expression = parseOr();
  if (peek().kind !== 'end') throw syntaxError(filter, peek().position);
  return expression;
}

/** Every expression within one, itself included. */
export function* expressionsOf(expression: Expression): Generator<Expression> {
  yield expression;
  for (const inner of innerOf(expression)) yield* expressionsOf(inner);
}

function innerOf(expression: Expression): readonly Expression[] {
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

/** True for a `YYYY-MM-DD` that exists. */
export function isCalendarDate(text: string): boolean {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return false;
  const time = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}

function literal(type: LiteralType, value: unknown): Expression {
  return { kind: 'literal', type, value };
}

function joined(kind: 'and' | 'or', operands: readonly Expression[]): Expression {
  const [first] = operands;
  return operands.length === 1 && first ? first : { kind, operands };
}
