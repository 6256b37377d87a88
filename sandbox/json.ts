import { isSafeNumber, LosslessNumber, parse, stringify } from 'lossless-json';

/** A number with more digits than a double can hold. */
export type ExactNumber = LosslessNumber;

/** Parses a JSON number or an OData literal. The result is a double unless that loses digits. */
export function parseNumber(digits: string): number | ExactNumber {
  return isSafeNumber(digits) ? Number(digits) : new LosslessNumber(digits);
}

export function isExactNumber(value: unknown): value is ExactNumber {
  return value instanceof LosslessNumber;
}

/** A double keeps 15 significant digits. A false match only costs the slower parser. */
const longNumber = /\d[\d.]{14}|\d[eE][+-]?\d/;

/** Parses JSON with every digit of its numbers. Throws `SyntaxError`. */
export function parseExactJson(text: string): unknown {
  if (!longNumber.test(text)) return JSON.parse(text);
  // Of duplicate keys the last wins, as in JSON.parse.
  return parse(text, null, { parseNumber, onDuplicateKey: ({ newValue }) => newValue });
}

/** How `JSON.stringify` writes an exact number. In a JSON string the quotes would be escaped. */
const exactMark = '"isLosslessNumber":true';

/** Serializes a value that may contain exact numbers. As fast as `JSON.stringify` when it contains none. */
export function stringifyExactJson(value: unknown): string {
  const text = JSON.stringify(value);
  return text.includes(exactMark) ? (stringify(value) ?? text) : text;
}

/** Compares two stored values of one kind: negative, 0 or positive. Numbers are compared by all their digits. */
export function compareValues(left: unknown, right: unknown): number {
  if (left === right) return 0;
  if (isExactNumber(left) || isExactNumber(right)) return compareDigits(String(left), String(right));
  return (left as string) < (right as string) ? -1 : 1;
}

function compareDigits(left: string, right: string): number {
  const [one, other] = [readDecimal(left), readDecimal(right)];
  if (one.sign !== other.sign) return one.sign - other.sign;
  const size = one.exponent - other.exponent || compareValues(one.digits, other.digits);
  return one.sign * size;
}

/** A decimal as sign × 0.digits × 10^exponent, without leading or trailing zeros. */
function readDecimal(text: string): { sign: number; digits: string; exponent: number } {
  const [, minus, whole = '', fraction = '', power = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text) ?? [];
  const leading = `${whole}${fraction}`.replace(/^0+/, '');
  const digits = leading.replace(/(?<!0)0+$/, '');
  if (digits === '') return { sign: 0, digits, exponent: 0 };
  const exponent = leading.length - fraction.length + Number(power);
  return { sign: minus === '-' ? -1 : 1, digits, exponent };
}
