import { badRequestError } from './api-error.ts';
import { parseExactJson } from './json.ts';

/** Whether a value that a caller sent is valid. */
export type JsonCheck = (value: unknown) => boolean;

export const isCount: JsonCheck = (value) => Number.isSafeInteger(value) && (value as number) >= 0;
export const isText: JsonCheck = (value) => typeof value === 'string';
export const isBoolean: JsonCheck = (value) => typeof value === 'boolean';
export const isHttpStatus: JsonCheck = (value) =>
  isCount(value) && (value as number) >= 200 && (value as number) <= 599;

export function isJsonObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export const isOneOf =
  (...values: readonly unknown[]): JsonCheck =>
  (value) =>
    values.includes(value);

/** A list with at least one element, all of which pass. */
export const isListOf =
  (check: JsonCheck): JsonCheck =>
  (value) =>
    Array.isArray(value) && value.length > 0 && value.every(check);

/** Throws an `ApiError` for the first field that is unknown or has an invalid value. `subject` names the object in messages. */
export function checkFields(
  subject: string,
  json: Readonly<Record<string, unknown>>,
  checks: Readonly<Record<string, JsonCheck>>,
): void {
  for (const [name, value] of Object.entries(json)) {
    const check = Object.hasOwn(checks, name) ? checks[name] : undefined;
    if (!check) {
      throw badRequestError(
        `Unknown field '${name}' of ${subject}. Fields: ${Object.keys(checks).join(', ')}.`,
      );
    }
    if (!check(value)) throw badRequestError(`Invalid '${name}' of ${subject}: ${JSON.stringify(value)}.`);
  }
}

/** Parses a request body that must be a JSON object. Throws an `ApiError` (400) for any other. */
export function readJsonObject(body: string, parse: (text: string) => unknown = JSON.parse) {
  let value: unknown;
  try {
    value = parse(body);
  } catch {
    throw badRequestError('The request body is not valid JSON.');
  }
  if (!isJsonObject(value)) throw badRequestError('The request body must be a JSON object.');
  return value;
}

/** The same, with every digit of its numbers. */
export function readExactJsonObject(body: string): Record<string, unknown> {
  return readJsonObject(body, parseExactJson);
}
