import { ApiError, badRequestError } from '../../api-error.ts';
import { compareValues } from '../../json.ts';
import { type EntitySet, type FieldKind, isBlank, type SetField } from '../entity-set.ts';
import type { Expression, LiteralType, Operator } from './filter.ts';

type RecordFields = Readonly<Record<string, unknown>>;

/** Whether a record matches a filter. */
export type RecordPredicate = (values: RecordFields) => boolean;

/** Operands compare only when they have the same type. An enumeration compares only with one of its words. */
interface Operand {
  readonly type: LiteralType | 'Enum';
  readonly field?: SetField;
  read(values: RecordFields): unknown;
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

const comparators: Readonly<Record<Operator, (order: number) => boolean>> = {
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

/**
 * Compiles a filter to a predicate. Throws an `ApiError` for an unknown field or incompatible types (400
 * BadRequest) and for an unknown function (400 BadRequest_NotFound). Text comparison is case-sensitive. `null`
 * means "unset".
 */
export function compileFilter(expression: Expression, set: EntitySet): RecordPredicate {
  const { type, read } = compileOperand(expression, set);
  if (type !== 'Boolean')
    throw badRequestError('The $filter expression must evaluate to a single boolean value.');
  return (values) => read(values) === true;
}

/** The error for an unknown field, with the text of the real service. */
export function unknownPropertyError(name: string, set: EntitySet): ApiError {
  return badRequestError(
    `Could not find a property named '${name}' on type 'Microsoft.NAV.${set.typeName}'.`,
  );
}

function compileOperand(expression: Expression, set: EntitySet): Operand {
  switch (expression.kind) {
    case 'literal':
      return { type: expression.type, read: () => expression.value };
    case 'field':
      return compileField(expression.name, set);
    case 'call':
      return compileCall(expression, set);
    case 'compare': {
      const [left, right] = [compileOperand(expression.left, set), compileOperand(expression.right, set)];
      return booleanOperand(compileComparison(expression.operator, left, right));
    }
    case 'in': {
      const left = compileOperand(expression.left, set);
      const alternatives = expression.list.map((one) =>
        compileComparison('eq', left, compileOperand(one, set)),
      );
      return booleanOperand((values) => alternatives.some((alternative) => alternative(values)));
    }
    case 'not': {
      const inner = compileFilter(expression.operand, set);
      return booleanOperand((values) => !inner(values));
    }
    case 'and': {
      const parts = expression.operands.map((one) => compileFilter(one, set));
      return booleanOperand((values) => parts.every((part) => part(values)));
    }
    default: {
      const parts = expression.operands.map((one) => compileFilter(one, set));
      return booleanOperand((values) => parts.some((part) => part(values)));
    }
  }
}

function compileField(name: string, set: EntitySet): Operand {
  const field = set.fields.find((one) => one.name === name);
  if (!field) throw unknownPropertyError(name, set);
  const type = typeOfField[field.kind];
  if (!type) throw badRequestError(`The property '${name}' cannot be filtered.`);
  if (type === 'DateTimeOffset') return { type, read: (values) => Date.parse(String(values[name])) };
  const isEnum = field.kind === 'choice' && field.toWire !== undefined;
  return { type: isEnum ? 'Enum' : type, field, read: (values) => values[name] };
}

function compileCall({ name, operands }: Extract<Expression, { kind: 'call' }>, set: EntitySet): Operand {
  const check = Object.hasOwn(textTests, name) ? textTests[name] : undefined;
  if (!check)
    throw new ApiError(400, 'BadRequest_NotFound', `An unknown function with name '${name}' was found.`);
  const [text, part, ...more] = operands.map((one) => compileOperand(one, set));
  if (text?.type !== 'String' || part?.type !== 'String' || more.length > 0)
    throw badRequestError(`The arguments of '${name}' must be two of type 'Edm.String'.`);
  return booleanOperand((values) => check(String(text.read(values)), String(part.read(values))));
}

function compileComparison(operator: Operator, left: Operand, right: Operand): RecordPredicate {
  if (left.type === 'null' || right.type === 'null') {
    const operand = left.type === 'null' ? right : left;
    if (operator !== 'eq' && operator !== 'ne') return () => false;
    // The service has no null. A comparison with it tests whether the field is unset.
    return (values) => (operand.type === 'null' || isOperandUnset(operand, values)) === (operator === 'eq');
  }
  if (left.type === 'Enum' || right.type === 'Enum') return compileEnumComparison(operator, left, right);
  if (left.type !== right.type) throw incompatibleTypesError(operator, left, right);
  return (values) => comparators[operator](compareValues(left.read(values), right.read(values)));
}

/** Members are ordered by their declaration. Literals have the form of the dialect. */
function compileEnumComparison(operator: Operator, left: Operand, right: Operand): RecordPredicate {
  const [member, word] = left.type === 'Enum' ? [left, right] : [right, left];
  if (word.type !== 'String' || word.field) throw incompatibleTypesError(operator, left, right);
  const { choices = [], toWire } = member.field ?? {};
  const text = word.read({});
  const ordinal = choices.findIndex((choice) => toWire?.(choice) === text);
  if (ordinal < 0) throw badRequestError(`The string '${text}' is not a valid enumeration type constant.`);
  const sign = member === left ? 1 : -1;
  return (values) => comparators[operator](sign * (choices.indexOf(String(member.read(values))) - ordinal));
}

const unsetInstant = Date.parse('0001-01-01T00:00:00Z');

function isOperandUnset(operand: Operand, values: RecordFields): boolean {
  const value = operand.read(values);
  return operand.type === 'DateTimeOffset' ? value === unsetInstant : isBlank(value);
}

function booleanOperand(read: RecordPredicate): Operand {
  return { type: 'Boolean', read };
}

function incompatibleTypesError(operator: Operator, left: Operand, right: Operand): ApiError {
  return badRequestError(
    `A binary operator with incompatible types was detected. Found operand types 'Edm.${left.type}' and 'Edm.${right.type}' for operator kind '${operator}'.`,
  );
}
