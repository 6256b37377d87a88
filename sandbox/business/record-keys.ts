import { ApiError, badRequestError } from '../api-error.ts';
import type { EntitySet, SetField } from './entity-set.ts';
import { isGuid, readFieldValues } from './field-values.ts';
import type { FieldValue, RecordValues } from './values.ts';

/** The fields of the key of a set that has another key than a GUID `id`. */
export function keyFieldsOf({ fields, key = [] }: EntitySet): readonly SetField[] {
  return key.flatMap((name) => fields.find((field) => field.name === name) ?? []);
}

/**
 * The id under which a record is stored: that of a GUID in lower case, any other as OData writes it: `7`, or
 * `locationCode='EAST',binCode='A/1'`.
 */
export function recordId(set: EntitySet, values: RecordValues): string {
  const fields = keyFieldsOf(set);
  const [single] = fields;
  if (!single) return String(values.id);
  if (fields.length === 1) return literalOf(values[single.name]);
  return fields.map(({ name }) => `${name}=${literalOf(values[name])}`).join(',');
}

/** Parses the key in the parentheses of a decoded path segment. Throws an `ApiError` (400) when it is none of the set. */
export function parseRecordKey(set: EntitySet, key: string): string {
  const fields = keyFieldsOf(set);
  if (fields.length === 0) return parseGuidKey(key);
  const values = fields.length === 1 && !/^\s*\w+\s*=/.test(key) ? [['', key]] : splitKey(key);
  const given = values.map(([name, text = '']): [string, unknown] => [
    name === '' ? (fields[0]?.name ?? '') : (name ?? ''),
    parseLiteral(text, key),
  ]);
  const names = given.map(([name]) => name);
  if (names.length !== fields.length || !fields.every(({ name }) => names.includes(name)))
    throw invalidKeyError(key, `values for ${fields.map(({ name }) => name).join(' and ')} are expected`);
  return recordId(set, readFieldValues(set, Object.fromEntries(given)));
}

/** A key that is a GUID, in lower case. */
export function parseGuidKey(key: string): string {
  if (isGuid(key)) return key.toLowerCase();
  throw invalidKeyError(key, 'a GUID is expected');
}

/** A key as it stands in an address: percent-encoded, except for what separates its parts. */
export function encodeKey(id: string): string {
  return encodeURIComponent(id).replaceAll('%2C', ',').replaceAll('%3D', '=');
}

/** Throws an `ApiError` for a new record without its key, or a change of the key. */
export function checkKey(set: EntitySet, values: RecordValues, own?: RecordValues): void {
  for (const { name } of keyFieldsOf(set)) {
    if (own && values[name] !== undefined && values[name] !== own[name])
      throw badRequestError(`The property '${name}' is part of the key and cannot be changed.`);
    if (!own && (values[name] === undefined || values[name] === ''))
      throw badRequestError(`The property '${name}' is part of the key and must be provided.`);
  }
}

function literalOf(value: FieldValue | undefined): string {
  return typeof value === 'string' ? `'${value.replaceAll("'", "''")}'` : String(value ?? '');
}

/** Splits `name=literal,name=literal`, whose quoted literals may contain anything. */
function splitKey(key: string): string[][] {
  const parts = [
    ...key.matchAll(/ {0,9}(\w{1,100}) {0,9}= {0,9}('(?:[^']|''){0,500}'|[^',=]{1,500}?) {0,9}(?:,|$)/gy),
  ];
  const length = parts.reduce((sum, [text]) => sum + text.length, 0);
  if (length !== key.length || key.endsWith(',')) throw invalidKeyError(key, 'its parts are name=value');
  return parts.map(([, name = '', literal = '']) => [name, literal.trim()]);
}

function parseLiteral(text: string, key: string): unknown {
  const quoted = /^'((?:[^']|'')*)'$/.exec(text)?.[1];
  if (quoted !== undefined) return quoted.replaceAll("''", "'");
  if (/^-?\d{1,15}$/.test(text)) return Number(text);
  throw invalidKeyError(key, 'a value is a number or quoted');
}

function invalidKeyError(key: string, expected: string): ApiError {
  return new ApiError(400, 'BadRequest_NotFound', `'${key.slice(0, 100)}' is not a valid key; ${expected}.`);
}
