import { GraphQLError, GraphQLScalarType, Kind, type ValueNode } from 'graphql';
import { GraphQLJSON, GraphQLSafeInt } from 'graphql-scalars';
import { isDate, isOnCalendar } from './date-time.ts';
import { decimalText } from './decimal.ts';

const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const dateTimePattern = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,9})?Z$/;

/** True for a GUID in its strict form, in either case. */
export const isUuid = (value: unknown): value is string =>
  typeof value === 'string' && uuidPattern.test(value);

/** The all-zero GUID, which the upstream writes for "unset" (document, conventions for A). */
export const unsetUuid = '00000000-0000-0000-0000-000000000000';

const uuid = textScalar('UUID', (text) => {
  if (!uuidPattern.test(text)) return 'is not a GUID of the form xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx';
  if (text === unsetUuid) return 'is the GUID that stands for "unset"; leave the field out or give null';
  return null;
});

const dateTime = textScalar('DateTime', (text) =>
  dateTimePattern.test(text) && isOnCalendar(text)
    ? null
    : 'is not an instant in UTC such as 2026-03-01T09:30:00Z',
);

const date = textScalar('Date', (text) =>
  isDate(text) ? null : 'is not a day of the calendar such as 2026-03-01',
);

/** A scalar whose values are strings both ways; `fault` says what is wrong with one, or null. UUIDs come back lower case. */
function textScalar(name: string, fault: (text: string) => string | null): GraphQLScalarType<string, string> {
  const parse = (value: unknown): string => {
    const problem = typeof value === 'string' ? fault(value) : 'is not a string';
    if (problem !== null) throw badValue(name, value, problem);
    return name === 'UUID' ? (value as string).toLowerCase() : (value as string);
  };
  return new GraphQLScalarType<string, string>({
    name,
    parseValue: parse,
    parseLiteral: (node) => parse(node.kind === Kind.STRING ? node.value : literalText(node)),
    serialize: (value) => String(value),
  });
}

// Numbers too long for a double have become texts where requests are read (server/exact-numbers.ts).
const decimal = new GraphQLScalarType<string, string>({
  name: 'Decimal',
  parseValue(value) {
    const text = decimalText(value);
    if (text === null) throw badValue('Decimal', value, 'is not a decimal number such as "4000.50"');
    return text;
  },
  parseLiteral(node) {
    const isNumeric = node.kind === Kind.STRING || node.kind === Kind.INT || node.kind === Kind.FLOAT;
    const text = isNumeric ? decimalText(node.value) : null;
    if (text === null)
      throw badValue('Decimal', literalText(node), 'is not a decimal number such as "4000.50"');
    return text;
  },
  serialize: (value) => String(value),
});

function badValue(scalar: string, value: unknown, problem: string): GraphQLError {
  const shown = JSON.stringify(value) ?? String(value);
  return new GraphQLError(`${scalar}: ${shown.length > 80 ? `${shown.slice(0, 80)}…` : shown} ${problem}.`, {
    extensions: { code: 'BAD_USER_INPUT' },
  });
}

const literalText = (node: ValueNode): unknown => ('value' in node ? node.value : node.kind);

/** The scalars by the schema's names. Their descriptions are the schema's own. */
export const scalars = {
  UUID: uuid,
  DateTime: dateTime,
  Decimal: decimal,
  Date: date,
  SafeInt: new GraphQLScalarType({ ...GraphQLSafeInt.toConfig(), name: 'SafeInt' }),
  JSON: new GraphQLScalarType({ ...GraphQLJSON.toConfig(), name: 'JSON' }),
};
