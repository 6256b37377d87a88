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

/** A parsed value for a caller, as it came. A number too long for a double becomes text with every digit. */
export function untyped(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value ?? null;
  if (value instanceof LosslessNumber) return value.value;
  if (Array.isArray(value)) return value.map(untyped);
  return Object.fromEntries(Object.entries(value).map(([name, entry]) => [name, untyped(entry)]));
}
