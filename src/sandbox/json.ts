import { isSafeNumber, LosslessNumber, parse, stringify } from 'lossless-json';

/** A number that a double cannot hold, by its digits. */
export type ExactNumber = LosslessNumber;

/** The number that a JSON number or an OData literal writes: a double where that keeps every digit. */
export function numberFrom(digits: string): number | ExactNumber {
  return isSafeNumber(digits) ? Number(digits) : new LosslessNumber(digits);
}

export function isExactNumber(value: unknown): value is ExactNumber {
  return value instanceof LosslessNumber;
}

/** Fifteen characters of a number fit a double; a text this long costs no more than the slower parser. */
const longNumber = /\d[\d.]{14}|\d[eE][+-]?\d/;

/** Parses JSON with every digit of its numbers. Throws `SyntaxError`. */
export function parseExactly(text: string): unknown {
  if (!longNumber.test(text)) return JSON.parse(text);
  // As JSON.parse has it, a name that stands twice is the last one.
  return parse(text, null, { parseNumber: numberFrom, onDuplicateKey: ({ newValue }) => newValue });
}

/** How an exact number looks to `JSON.stringify`; inside a text the quotes would be escaped. */
const exactMark = '"isLosslessNumber":true';

/** JSON text of a value that may hold exact numbers; at the speed of `JSON.stringify` when it holds none. */
export function exactJson(value: unknown): string {
  const text = JSON.stringify(value);
  return text.includes(exactMark) ? (stringify(value) ?? text) : text;
}

/**
 * Order of two stored values of one kind: negative, 0 or positive. Numbers compare by every digit,
 * however they are held.
 */
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

/** A decimal as sign × 0.digits × 10^exponent, the digits without zeros at either end. */
function readDecimal(text: string): { sign: number; digits: string; exponent: number } {
  const [, minus, whole = '', fraction = '', power = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text) ?? [];
  const leading = `${whole}${fraction}`.replace(/^0+/, '');
  const digits = leading.replace(/(?<!0)0+$/, '');
  if (digits === '') return { sign: 0, digits, exponent: 0 };
  const exponent = leading.length - fraction.length + Number(power);
  return { sign: minus === '-' ? -1 : 1, digits, exponent };
}
