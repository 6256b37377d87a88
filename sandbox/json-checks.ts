import { badRequestError } from './api-error.ts';
import { type ApiRequest, type ApiResponse, emptyResponse } from './http.ts';
import { parseExactJson } from './json.ts';

/** Whether a value that a caller sent is valid. */
export type JsonCheck<Value = unknown> = (value: unknown) => value is Value;

export function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

export const isText: JsonCheck<string> = (value) => typeof value === 'string';
export const isBoolean: JsonCheck<boolean> = (value) => typeof value === 'boolean';
export const isAnything: JsonCheck = (_value): _value is unknown => true;
export const isHttpStatus: JsonCheck<number> = (value): value is number =>
  isCount(value) && value >= 200 && value <= 599;

export function isJsonObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export const isOneOf =
  <const Value>(...values: readonly Value[]): JsonCheck<Value> =>
  (value): value is Value =>
    values.includes(value as Value);

/** A list with elements that all pass. */
export const isListOf =
  <Value>(check: JsonCheck<Value>): JsonCheck<readonly Value[]> =>
  (value): value is readonly Value[] =>
    Array.isArray(value) && value.every(check);

/** The checks of an object's fields, by their names. */
type FieldChecks = Readonly<Record<string, JsonCheck>>;

/** An object that passes some checks. All its fields are optional. */
export type CheckedFields<Checks extends FieldChecks> = {
  readonly [Name in keyof Checks]?: Checks[Name] extends JsonCheck<infer Value> ? Value : never;
};

/** Throws an `ApiError` for the first field that is unknown or has an invalid value. `subject` names the object in messages. */
export function checkFields<Checks extends FieldChecks>(
  subject: string,
  json: Readonly<Record<string, unknown>>,
  checks: Checks,
): CheckedFields<Checks> {
  for (const [name, value] of Object.entries(json)) {
    const check = Object.hasOwn(checks, name) ? checks[name] : undefined;
    if (!check) {
      throw badRequestError(
        `Unknown field '${name}' of ${subject}. Fields: ${Object.keys(checks).join(', ')}.`,
      );
    }
    if (!check(value)) throw badRequestError(`Invalid '${name}' of ${subject}: ${JSON.stringify(value)}.`);
  }
  return json as CheckedFields<Checks>;
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

/** Routes of the control API by method and path, such as `POST /sandbox/chaos`. */
export type ControlRoutes = Readonly<Record<string, ControlRoute>>;

interface ControlRoute {
  /** Shown in the index, `GET /sandbox`. */
  readonly description: string;
  /** Throws an `ApiError` when the request is invalid. */
  handle(request: ApiRequest): ApiResponse;
}

/** A route that takes a JSON object with these fields, and responds without a body. An invalid object changes nothing. */
export function commandRoute<Checks extends FieldChecks>(
  subject: string,
  description: string,
  checks: Checks,
  execute: (fields: CheckedFields<Checks>) => void,
): ControlRoute {
  return {
    description,
    handle({ body }) {
      execute(checkFields(subject, readJsonObject(body), checks));
      return emptyResponse(204);
    },
  };
}
