import { compareValues } from '../json.ts';
import { badRequest, Refusal } from '../refusal.ts';
import type { Expression, LiteralType, Operator } from './filter.ts';
import type { Field, FieldKind, RecordSet } from './records.ts';
import { isBlank } from './records.ts';

type Row = Readonly<Record<string, unknown>>;

/** Whether a record passes a filter. */
export type Predicate = (values: Row) => boolean;

/** Two operands compare only when they are of one type; an enumeration only with a word of its own. */
interface Operand {
  readonly type: LiteralType | 'Enum';
  readonly field?: Field;
  read(values: Row): unknown;
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

const holds: Readonly<Record<Operator, (order: number) => boolean>> = {
  eq: (order) => order === 0,
  ne: (order) => order !== 0,
  gt: (order) => order > 0,
  ge: (order) => order >= 0,
  lt: (order) => order < 0,
  le: (order) => order <= 0,
};

const textTests: Readonly<Record<string, (text: string, part: string) => boolean>> = {
  contains: (text, part) => text.includes(part),
  startswith: (text, part) => text.startsWith(part),
  endswith: (text, part) => text.endsWith(part),
};

const conversions: Readonly<Record<string, (text: string) => string>> = {
  tolower: (text) => text.toLowerCase(),
  toupper: (text) => text.toUpperCase(),
};

/**
 * Turns a filter into a test of the records of a set. Throws a `Refusal` for an unknown field or types
 * that do not fit (400 BadRequest) and for an unknown function (400 BadRequest_NotFound). Text is
 * compared exactly, case included; `null` stands for "unset".
 */
export function predicateOf(expression: Expression, set: RecordSet): Predicate {
  const { type, read } = operandOf(expression, set);
  if (type !== 'Boolean') throw badRequest('The $filter expression must evaluate to a single boolean value.');
  return (values) => read(values) === true;
}

/** The refusal of a name that is no field of a record set, in the words of the real service. */
export function unknownProperty(name: string, set: RecordSet): Refusal {
  return badRequest(`Could not find a property named '${name}' on type 'Microsoft.NAV.${set.typeName}'.`);
}

function operandOf(expression: Expression, set: RecordSet): Operand {
  switch (expression.kind) {
    case 'literal':
      return { type: expression.type, read: () => expression.value };
    case 'field':
      return fieldOf(expression.name, set);
    case 'call':
      return resultOf(expression, set);
    case 'lambda':
      throw unknownFunction(expression.path);
    case 'compare': {
      const [left, right] = [operandOf(expression.left, set), operandOf(expression.right, set)];
      return test(comparison(expression.operator, left, right));
    }
    case 'in': {
      const left = operandOf(expression.left, set);
      const alternatives = expression.list.map((one) => comparison('eq', left, operandOf(one, set)));
      return test((values) => alternatives.some((alternative) => alternative(values)));
    }
    case 'not': {
      const inner = predicateOf(expression.operand, set);
      return test((values) => !inner(values));
    }
    case 'and': {
      const parts = expression.operands.map((one) => predicateOf(one, set));
      return test((values) => parts.every((part) => part(values)));
    }
    default: {
      const parts = expression.operands.map((one) => predicateOf(one, set));
      return test((values) => parts.some((part) => part(values)));
    }
  }
}

function fieldOf(name: string, set: RecordSet): Operand {
  const field = set.fields.find((one) => one.name === name);
  if (!field) throw unknownProperty(name, set);
  const type = typeOfField[field.kind];
  if (!type) throw badRequest(`The property '${name}' cannot be filtered.`);
  if (type === 'DateTimeOffset') return { type, read: (values) => Date.parse(String(values[name])) };
  const isEnum = field.kind === 'choice' && field.toWire !== undefined;
  return { type: isEnum ? 'Enum' : type, field, read: (values) => values[name] };
}

function resultOf({ name, operands }: Extract<Expression, { kind: 'call' }>, set: RecordSet): Operand {
  const convert = Object.hasOwn(conversions, name) ? conversions[name] : undefined;
  const check = Object.hasOwn(textTests, name) ? textTests[name] : undefined;
  if (!convert && !check) throw unknownFunction(name);
  const texts = operands.map((one) => operandOf(one, set));
  if (texts.length !== (convert ? 1 : 2) || texts.some(({ type }) => type !== 'String')) {
    throw badRequest(`The arguments of '${name}' must be ${convert ? 'one' : 'two'} of type 'Edm.String'.`);
  }
  const [text, part] = texts;
  const read = (operand: Operand | undefined, values: Row) => String(operand?.read(values));
  if (check) return test((values) => check(read(text, values), read(part, values)));
  return { type: 'String', read: (values) => convert?.(read(text, values)) };
}

function comparison(operator: Operator, left: Operand, right: Operand): Predicate {
  if (left.type === 'null' || right.type === 'null') {
    const operand = left.type === 'null' ? right : left;
    if (operator !== 'eq' && operator !== 'ne') return () => false;
    // The service has no null: comparing with it asks whether the field is unset.
    return (values) => (operand.type === 'null' || isUnset(operand, values)) === (operator === 'eq');
  }
  if (left.type === 'Enum' || right.type === 'Enum') return enumComparison(operator, left, right);
  if (left.type !== right.type) throw incompatible(operator, left, right);
  return (values) => holds[operator](compareValues(left.read(values), right.read(values)));
}

/** Members are ordered as they are declared, and written as the wire writes them. */
function enumComparison(operator: Operator, left: Operand, right: Operand): Predicate {
  const [member, word] = left.type === 'Enum' ? [left, right] : [right, left];
  if (word.type !== 'String' || word.field) throw incompatible(operator, left, right);
  const { choices = [], toWire } = member.field ?? {};
  const text = word.read({});
  const ordinal = choices.findIndex((choice) => toWire?.(choice) === text);
  if (ordinal < 0) throw badRequest(`The string '${text}' is not a valid enumeration type constant.`);
  const sign = member === left ? 1 : -1;
  return (values) => holds[operator](sign * (choices.indexOf(String(member.read(values))) - ordinal));
}

const unsetInstant = Date.parse('0001-01-01T00:00:00Z');

function isUnset(operand: Operand, values: Row): boolean {
  const value = operand.read(values);
  return operand.type === 'DateTimeOffset' ? value === unsetInstant : isBlank(value);
}

function test(read: Predicate): Operand {
  return { type: 'Boolean', read };
}

function incompatible(operator: Operator, left: Operand, right: Operand): Refusal {
  return badRequest(
    `A binary operator with incompatible types was detected. Found operand types 'Edm.${left.type}' and 'Edm.${right.type}' for operator kind '${operator}'.`,
  );
}

function unknownFunction(name: string): Refusal {
  return new Refusal(400, 'BadRequest_NotFound', `An unknown function with name '${name}' was found.`);
}
