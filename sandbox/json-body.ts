import { badRequestError } from './api-error.ts';
import { parseExactJson } from './json.ts';
import { isJsonObject } from './json-checks.ts';

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
