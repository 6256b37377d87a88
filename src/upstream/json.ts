import { isSafeNumber, parse } from 'lossless-json';

// A number of 16 characters or more; inside a string there may be one that only looks so.
const longNumber = /[:,[]\s*-?\d[\d.]{15}/;
const longNumbers = /([:,[]\s*)(-?\d[\d.eE+-]{15,})(?=\s*[,}\]])/g;

/**
 * JSON text to values. A number that a double cannot hold becomes its digits as text; everything else is what
 * `JSON.parse` gives. Throws `SyntaxError`.
 *
 * Long numbers are put in quotes and left to `JSON.parse`, which is five times as fast as a parser that keeps
 * digits. Quotes put inside a string break it, so that such a text is parsed again by one that does.
 */
export function parseJson(text: string): unknown {
  if (!longNumber.test(text)) return JSON.parse(text);
  try {
    return JSON.parse(text.replace(longNumbers, (_all, before, digits) => before + quoteUnlessSafe(digits)));
  } catch {
    // As JSON.parse has it, a name that stands twice is the last one.
    return parse(text, null, { parseNumber: exactly, onDuplicateKey: ({ newValue }) => newValue });
  }
}

const quoteUnlessSafe = (digits: string) => (isSafeNumber(digits) ? digits : `"${digits}"`);
const exactly = (digits: string) => (isSafeNumber(digits) ? Number(digits) : digits);

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

/** The same with every text in it changed, except codes: programs decide by them. */
export function mapTexts(value: unknown, change: (text: string) => string, depth = 0): unknown {
  if (typeof value === 'string') return change(value);
  if (typeof value !== 'object' || value === null) return value ?? null;
  if (depth === maxDepth) return null;
  if (Array.isArray(value)) return value.map((entry) => mapTexts(entry, change, depth + 1));
  const entries = Object.entries(value).map(([name, entry]) => [
    name,
    name === 'code' && typeof entry === 'string' ? entry : mapTexts(entry, change, depth + 1),
  ]);
  return Object.fromEntries(entries);
}

/** A text that says something, or null. */
export const textOrNull = (value: unknown): string | null =>
  typeof value === 'string' && value !== '' ? value : null;
