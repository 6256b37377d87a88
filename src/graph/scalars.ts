import { GraphQLError, GraphQLScalarType, Kind, type ValueNode } from 'graphql';
import { isSafeNumber } from 'lossless-json';
import { withoutStacks } from '../errors.ts';
import { cutText } from '../runtime/text.ts';
import { isValidDate, toUtc } from './date-time.ts';
import { formatDecimal } from './decimal.ts';

const uuidPattern = /^[\da-fA-F]{8}(?:-[\da-fA-F]{4}){3}-[\da-fA-F]{12}$/;
// RFC 3339, date-time, without leap seconds and with at most nine fraction digits.
const dateTimePattern =
  /^\d{4}-\d{2}-\d{2}T([01]\d|2[0-3]):\d{2}:\d{2}(\.\d{1,9})?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$/i;
// xsd:decimal.
const decimalPattern = /^([+-]?)(\d*)(?:\.(\d*))?$/;

/** True for a GUID with hyphens, in either case. */
export const isUuid = (value: unknown): value is string =>
  typeof value === 'string' && uuidPattern.test(value);

/** The all-zero GUID, which means "unset" at the upstream (conventions of area A). */
export const unsetUuid = '00000000-0000-0000-0000-000000000000';

/** Creates a scalar with string values. `read` returns the value of a text, or the predicate of an error message. */
function createTextScalar(
  name: string,
  read: (text: string) => { readonly value: string } | string,
): GraphQLScalarType<string, string> {
  const parse = (value: unknown, node?: ValueNode): string => {
    const result = typeof value === 'string' ? read(value) : 'is not a string';
    if (typeof result === 'string') throw createScalarError(name, value, result, node);
    return result.value;
  };
  return new GraphQLScalarType<string, string>({
    name,
    parseValue: (value) => parse(value),
    parseLiteral: (node) => parse(readLiteralValue(node), node),
    serialize: (value) => String(value),
  });
}

const notDecimal = 'is not a decimal number such as "4000.50"';

/**
 * Parses a text as xsd:decimal, which has no exponent. A JSON number that a double cannot hold also arrives as text, and may
 * have one (`quoteLongNumbers`).
 */
function parseDecimalText(text: string): string | null {
  const [, sign, whole = '', fraction = ''] = decimalPattern.exec(text) ?? [];
  if (whole || fraction)
    return formatDecimal(`${sign === '-' ? sign : ''}${whole || 0}${fraction && '.'}${fraction}`);
  return isSafeNumber(text) ? null : formatDecimal(text);
}

/** Numbers that a double cannot hold arrive as text, as for `Decimal`. Here they are out of range. */
function parseSafeInt(value: unknown, node?: ValueNode): number {
  if (Number.isSafeInteger(value)) return value as number;
  const isOutOfRange = Math.abs(Number(formatDecimal(value) ?? 0)) > Number.MAX_SAFE_INTEGER;
  const range =
    'is not between -9007199254740991 and 9007199254740991, the integers that a double holds exactly';
  throw createScalarError('SafeInt', value, isOutOfRange ? range : 'is not a whole number', node);
}

function createScalarError(
  scalar: string,
  value: unknown,
  problem: string,
  node: ValueNode | null = null,
): GraphQLError {
  const shown = JSON.stringify(value) ?? String(value);
  const message = `${scalar}: ${shown.length > 80 ? `${cutText(shown, 80)}…` : shown} ${problem}.`;
  return withoutStacks(
    () => new GraphQLError(message, { nodes: node, extensions: { code: 'BAD_USER_INPUT' } }),
  );
}

const readLiteralValue = (node: ValueNode): unknown => ('value' in node ? node.value : node.kind);

/** The scalars by name. Their descriptions come from the schema. */
export const scalars = {
  UUID: createTextScalar('UUID', (text) => {
    if (!uuidPattern.test(text)) return 'is not a GUID of the form xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx';
    if (text === unsetUuid) return 'is the all-zero GUID, which means "unset"; omit the field or use null';
    return { value: text.toLowerCase() };
  }),
  DateTime: createTextScalar('DateTime', (text) => {
    const value = dateTimePattern.test(text) ? toUtc(text.toUpperCase()) : null;
    return value === null ? 'is not a timestamp with an offset such as 2026-03-01T09:30:00Z' : { value };
  }),
  Decimal: new GraphQLScalarType<string, string>({
    name: 'Decimal',
    parseValue(value) {
      const text = typeof value === 'string' ? parseDecimalText(value) : formatDecimal(value);
      if (text === null) throw createScalarError('Decimal', value, notDecimal);
      return text;
    },
    parseLiteral(node) {
      const isNumber = node.kind === Kind.INT || node.kind === Kind.FLOAT;
      const ofString = node.kind === Kind.STRING ? parseDecimalText(node.value) : null;
      const text = isNumber ? formatDecimal(node.value) : ofString;
      if (text === null) throw createScalarError('Decimal', readLiteralValue(node), notDecimal, node);
      return text;
    },
    serialize: (value) => String(value),
  }),
  Date: createTextScalar('Date', (text) =>
    isValidDate(text) ? { value: text } : 'is not a calendar date such as 2026-03-01',
  ),
  SafeInt: new GraphQLScalarType({
    name: 'SafeInt',
    // Needs no check: columns only have safe integers (business/record-sets/columns.ts).
    serialize: Number,
    parseValue: (value) => parseSafeInt(value),
    parseLiteral(node) {
      const text = readLiteralValue(node);
      const number = node.kind === Kind.INT ? Number(text) : Number.NaN;
      return parseSafeInt(Number.isSafeInteger(number) ? number : text, node);
    },
  }),
  JSON: new GraphQLScalarType({ name: 'JSON' }),
};
