import { badRequest } from '../refusal.ts';
import type { Token, TokenKind } from './filter-tokens.ts';
import { syntaxError, tokenize } from './filter-tokens.ts';
import type { FieldKind, RecordSet } from './records.ts';
import { isBlank } from './records.ts';

/** Whether a record passes a filter. */
export type Predicate = (values: Readonly<Record<string, unknown>>) => boolean;

/** Two operands compare only when they are of one class; `null` compares with all. */
type OperandClass = 'String' | 'Guid' | 'Boolean' | 'Decimal' | 'Date' | 'DateTimeOffset' | 'null';

interface Operand {
  readonly class: OperandClass;
  read(values: Readonly<Record<string, unknown>>): unknown;
}

const classOfField: Readonly<Partial<Record<FieldKind, OperandClass>>> = {
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

const comparisons: Readonly<Record<string, (order: number) => boolean>> = {
  eq: (order) => order === 0,
  ne: (order) => order !== 0,
  gt: (order) => order > 0,
  ge: (order) => order >= 0,
  lt: (order) => order < 0,
  le: (order) => order <= 0,
};

const functions: Readonly<Record<string, (text: string, part: string) => boolean>> = {
  contains: (text, part) => text.includes(part),
  startswith: (text, part) => text.startsWith(part),
  endswith: (text, part) => text.endsWith(part),
};

/** Deeper nesting is refused: no honest filter needs it, and it would exhaust the stack. */
const maxDepth = 100;

/**
 * Compiles a `$filter` over the fields of a record set. Throws a `Refusal` for an unknown field
 * (400 BadRequest), operands of different types (400 BadRequest) or bad syntax
 * (400 BadRequest_NotFound). Text is compared exactly, case included.
 */
export function parseFilter(filter: string, set: RecordSet): Predicate {
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

  function parseOr(): Predicate {
    const parts = [parseAnd()];
    while (skip('name', 'or')) parts.push(parseAnd());
    return single(parts) ?? ((values) => parts.some((part) => part(values)));
  }

  function parseAnd(): Predicate {
    const parts = [parseNot()];
    while (skip('name', 'and')) parts.push(parseNot());
    return single(parts) ?? ((values) => parts.every((part) => part(values)));
  }

  function parseNot(): Predicate {
    depth += 1;
    if (depth > maxDepth) throw badRequest('The filter is nested too deeply.');
    const predicate = skip('name', 'not') ? negated(parseNot()) : parseTerm();
    depth -= 1;
    return predicate;
  }

  function parseTerm(): Predicate {
    if (skip('mark', '(')) {
      const inner = parseOr();
      expect(')');
      return inner;
    }
    const start = peek();
    const following = tokens[index + 1];
    if (start.kind === 'name' && following?.kind === 'mark' && following.text === '(') return parseFunction();

    const left = parseOperand();
    if (skip('name', 'in')) return parseList(left);
    const word = peek();
    const compare = word.kind === 'name' && Object.hasOwn(comparisons, word.text) && comparisons[word.text];
    if (compare) {
      next();
      return comparison(word.text, left, parseOperand(), compare);
    }
    if (left.class !== 'Boolean') throw syntaxError(filter, word.position);
    return (values) => left.read(values) === true;
  }

  function parseFunction(): Predicate {
    const name = next();
    const test = Object.hasOwn(functions, name.text) && functions[name.text];
    if (!test) {
      throw syntaxErrorWith(`An unknown function with name '${name.text}' was found.`, filter, name.position);
    }
    expect('(');
    const text = parseOperand();
    expect(',');
    const part = parseOperand();
    expect(')');
    if (text.class !== 'String' || part.class !== 'String') {
      throw badRequest(`The arguments of '${name.text}' must be of type 'Edm.String'.`);
    }
    return (values) => test(String(text.read(values)), String(part.read(values)));
  }

  function parseList(left: Operand): Predicate {
    expect('(');
    const alternatives: Predicate[] = [];
    do {
      alternatives.push(comparison('eq', left, parseOperand(), (order) => order === 0));
    } while (skip('mark', ','));
    expect(')');
    return (values) => alternatives.some((alternative) => alternative(values));
  }

  function parseOperand(): Operand {
    const token = next();
    switch (token.kind) {
      case 'string':
        return constant('String', token.text);
      case 'guid':
        return constant('Guid', token.text.toLowerCase());
      case 'number':
        return constant('Decimal', Number(token.text));
      case 'date':
        return constant('Date', realDate(token, token.text));
      case 'dateTime':
        realDate(token, token.text.slice(0, 10));
        return constant('DateTimeOffset', Date.parse(token.text));
      case 'name':
        return parseName(token);
      default:
        throw syntaxError(filter, token.position);
    }
  }

  function parseName({ text, position }: Token): Operand {
    if (text === 'true' || text === 'false') return constant('Boolean', text === 'true');
    if (text === 'null') return constant('null', null);
    const field = set.fields.find((one) => one.name === text);
    const fieldClass = field && classOfField[field.kind];
    if (!field) throw unknownProperty(text, set);
    if (!fieldClass) throw syntaxErrorWith(`The property '${text}' cannot be filtered.`, filter, position);
    if (fieldClass !== 'DateTimeOffset') return { class: fieldClass, read: (values) => values[text] };
    return { class: fieldClass, read: (values) => Date.parse(String(values[text])) };
  }

  /** A date that looks right but is not in the calendar is as wrong as any other text. */
  function realDate(token: Token, text: string): string {
    if (!isCalendarDate(text)) throw syntaxError(filter, token.position);
    return text;
  }

  const predicate = parseOr();
  if (peek().kind !== 'end') throw syntaxError(filter, peek().position);
  return predicate;
}

/** The refusal of a name that is no field of a record set, in the words of the real service. */
export function unknownProperty(name: string, set: RecordSet) {
  return badRequest(`Could not find a property named '${name}' on type 'Microsoft.NAV.${set.typeName}'.`);
}

/** True for a `YYYY-MM-DD` that exists. */
export function isCalendarDate(text: string): boolean {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return false;
  const time = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}

function comparison(
  word: string,
  left: Operand,
  right: Operand,
  holds: (order: number) => boolean,
): Predicate {
  if (left.class === 'null' || right.class === 'null') {
    const operand = left.class === 'null' ? right : left;
    if (word !== 'eq' && word !== 'ne') return () => false;
    // The service has no null: comparing with it asks whether the field is unset.
    return (values) => (operand.class === 'null' || isBlankOperand(operand, values)) === (word === 'eq');
  }
  if (left.class !== right.class) {
    throw badRequest(
      `A binary operator with incompatible types was detected. Found operand types 'Edm.${left.class}' and 'Edm.${right.class}' for operator kind '${word}'.`,
    );
  }
  return (values) => holds(order(left.read(values), right.read(values)));
}

const unsetInstant = Date.parse('0001-01-01T00:00:00Z');

function isBlankOperand(operand: Operand, values: Readonly<Record<string, unknown>>): boolean {
  const value = operand.read(values);
  return operand.class === 'DateTimeOffset' ? value === unsetInstant : isBlank(value);
}

function order(left: unknown, right: unknown): number {
  if (left === right) return 0;
  return (left as string) < (right as string) ? -1 : 1;
}

function constant(operandClass: OperandClass, value: unknown): Operand {
  return { class: operandClass, read: () => value };
}

function negated(predicate: Predicate): Predicate {
  return (values) => !predicate(values);
}

function single(parts: readonly Predicate[]): Predicate | undefined {
  return parts.length === 1 ? parts[0] : undefined;
}

function syntaxErrorWith(reason: string, filter: string, position: number) {
  const refusal = syntaxError(filter, position);
  refusal.message = `${reason} ${refusal.message}`;
  return refusal;
}
