import { isSafeNumber, LosslessNumber, parse } from 'lossless-json';

// A JSON number of 16 characters or more; a false alarm inside a string only costs the slower parser.
const longNumber = /[:,[]\s*-?\d[\d.]{15}/;

/**
 * JSON text to values. A number that a double cannot hold becomes a `LosslessNumber`; everything else is
 * what `JSON.parse` gives, and a body without long numbers never pays for the slower parser.
 */
export function parseJson(text: string): unknown {
  if (!longNumber.test(text)) return JSON.parse(text);
  return parse(text, null, {
    parseNumber: (digits) => (isSafeNumber(digits) ? Number(digits) : new LosslessNumber(digits)),
    // As JSON.parse has it.
    onDuplicateKey: ({ newValue }) => newValue,
  });
}

export type JsonObject = Readonly<Record<string, unknown>>;

/** True for a JSON object: not null, not an array, not a long number. */
export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof LosslessNumber);

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
  if (value instanceof LosslessNumber) return value.value;
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
