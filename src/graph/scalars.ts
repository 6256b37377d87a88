import { GraphQLError, GraphQLScalarType, Kind, type ValueNode } from 'graphql';
import { withoutStacks } from '../errors.ts';
import { hasCalendarDate, isValidDate } from './date-time.ts';
import { formatDecimal } from './decimal.ts';

const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const dateTimePattern = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,9})?Z$/;

/** True for a GUID with hyphens, in either case. */
export const isUuid = (value: unknown): value is string =>
  typeof value === 'string' && uuidPattern.test(value);

/** The all-zero GUID, which the upstream writes for "unset" (conventions of area A). */
export const unsetUuid = '00000000-0000-0000-0000-000000000000';

const uuidScalar = createTextScalar('UUID', (text) => {
  if (!uuidPattern.test(text)) return 'is not a GUID of the form xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx';
  if (text === unsetUuid) return 'is the all-zero GUID, which means "unset"; omit the field or use null';
  return null;
});

const dateTimeScalar = createTextScalar('DateTime', (text) =>
  dateTimePattern.test(text) && hasCalendarDate(text)
    ? null
    : 'is not a UTC timestamp such as 2026-03-01T09:30:00Z',
);

const dateScalar = createTextScalar('Date', (text) =>
  isValidDate(text) ? null : 'is not a calendar date such as 2026-03-01',
);

/** A scalar with string values. `fault` returns what is wrong with a value, or null. UUIDs are lower-cased. */
function createTextScalar(
  name: string,
  fault: (text: string) => string | null,
): GraphQLScalarType<string, string> {
  const parse = (value: unknown): string => {
    const problem = typeof value === 'string' ? fault(value) : 'is not a string';
    if (problem !== null) throw createScalarError(name, value, problem);
    return name === 'UUID' ? (value as string).toLowerCase() : (value as string);
  };
  return new GraphQLScalarType<string, string>({
    name,
    parseValue: parse,
    parseLiteral: (node) => parse(node.kind === Kind.STRING ? node.value : readLiteralValue(node)),
    serialize: (value) => String(value),
  });
}

// Numbers that a double cannot hold arrive as text (server/transports/exact-numbers.ts).
const decimalScalar = new GraphQLScalarType<string, string>({
  name: 'Decimal',
  parseValue(value) {
    const text = formatDecimal(value);
    if (text === null) throw createScalarError('Decimal', value, 'is not a decimal number such as "4000.50"');
    return text;
  },
  parseLiteral(node) {
    const isNumeric = node.kind === Kind.STRING || node.kind === Kind.INT || node.kind === Kind.FLOAT;
    const text = isNumeric ? formatDecimal(node.value) : null;
    if (text === null)
      throw createScalarError('Decimal', readLiteralValue(node), 'is not a decimal number such as "4000.50"');
    return text;
  },
  serialize: (value) => String(value),
});

/** As for `Decimal`, numbers that a double cannot hold arrive as text; they are out of range here. */
function parseSafeInt(value: unknown): number {
  if (Number.isSafeInteger(value)) return value as number;
  const isOutOfRange = Math.abs(Number(formatDecimal(value) ?? 0)) > Number.MAX_SAFE_INTEGER;
  const range =
    'is not between -9007199254740991 and 9007199254740991, the integers that a double holds exactly';
  throw createScalarError('SafeInt', value, isOutOfRange ? range : 'is not a whole number');
}

function createScalarError(scalar: string, value: unknown, problem: string): GraphQLError {
  const shown = JSON.stringify(value) ?? String(value);
  const message = `${scalar}: ${shown.length > 80 ? `${shown.slice(0, 80)}…` : shown} ${problem}.`;
  return withoutStacks(() => new GraphQLError(message, { extensions: { code: 'BAD_USER_INPUT' } }));
}

const readLiteralValue = (node: ValueNode): unknown => ('value' in node ? node.value : node.kind);

/** The scalars by name. Their descriptions come from the schema. */
export const scalars = {
  UUID: uuidScalar,
  DateTime: dateTimeScalar,
  Decimal: decimalScalar,
  Date: dateScalar,
  SafeInt: new GraphQLScalarType({
    name: 'SafeInt',
    // Resolvers return no other number (`requireReadable`).
    serialize: Number,
    parseValue: parseSafeInt,
    parseLiteral(node) {
      const text = readLiteralValue(node);
      const number = node.kind === Kind.INT ? Number(text) : Number.NaN;
      return parseSafeInt(Number.isSafeInteger(number) ? number : text);
    },
  }),
  JSON: new GraphQLScalarType({ name: 'JSON' }),
};
