import { isNumber, isSafeNumber } from 'lossless-json';

// What stands where a value stands and may be a number too long for a double: one of 16 characters or more, or
// one with an exponent.
const longNumbers = /((?:^|[:,[])\s*)(-?(?:\d[\d.]{15}|\d[\d.]{0,14}[eE])[\d.eE+-]*)(?=\s*(?:[,}\]]|$))/g;

/**
 * JSON text to values. A number that a double cannot hold, and every whole one past 2^53, becomes text as it is
 * written; everything else is what `JSON.parse` gives. Throws `SyntaxError`.
 */
export const parseJson = (text: string): unknown => JSON.parse(quoteLongNumbers(text));

/**
 * JSON text with every number that a double cannot hold in quotes, so that `JSON.parse` keeps its digits: five
 * times as fast as a parser that keeps digits. What only looks like a number inside a string stays as it is,
 * and text that is no JSON stays none.
 */
export function quoteLongNumbers(text: string): string {
  let open = text.indexOf('"');
  let close = -1;
  return text.replace(longNumbers, (all: string, before: string, digits: string, at: number) => {
    while (open !== -1 && open < at) {
      close = endOfString(text, open);
      open = text.indexOf('"', close + 1);
    }
    const isInString = at < close;
    return isInString || isSafeNumber(digits) || !isNumber(digits) ? all : `${before}"${digits}"`;
  });
}

function endOfString(text: string, open: number): number {
  let end = open;
  let isEscaped: boolean;
  do {
    end = text.indexOf('"', end + 1);
    if (end === -1) return text.length;
    let before = end;
    while (text[before - 1] === '\\') before -= 1;
    isEscaped = (end - before) % 2 === 1;
  } while (isEscaped);
  return end;
}

export type JsonObject = Readonly<Record<string, unknown>>;

/** True for a JSON object: not null, not an array. */
export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

// Deeper than any contract goes, and shallow enough for whoever walks it.
const maxDepth = 64;

/**
 * A parsed value for a caller, as it came. A number too long for a double becomes text with every digit; what
 * lies deeper than 64 levels is null.
 */
export const untyped = (value: unknown): unknown => mapTexts(value, (text) => text);

/** The same with every text in it changed, each by what it is called in the object that has it, and every such name. */
export function mapTexts(
  value: unknown,
  change: (text: string, name: string) => string,
  name = '',
  depth = 0,
): unknown {
  if (typeof value === 'string') return change(value, name);
  if (typeof value !== 'object' || value === null) return value ?? null;
  if (depth === maxDepth) return null;
  if (Array.isArray(value)) return value.map((entry) => mapTexts(entry, change, name, depth + 1));
  const entries = Object.entries(value).map(([inner, entry]) => [
    change(inner, ''),
    mapTexts(entry, change, inner, depth + 1),
  ]);
  return Object.fromEntries(entries);
}

/** A text that says something, or null. */
export const textOrNull = (value: unknown): string | null =>
  typeof value === 'string' && value !== '' ? value : null;

/** A whole number of 32 bits, as GraphQL's Int can carry it, or null. */
export const int32OrNull = (value: unknown): number | null =>
  typeof value === 'number' && (value | 0) === value ? value : null;
