import { ApiError, badRequestError } from '../api-error.ts';
import type { EntitySet, FieldKind, SetField } from './entity-set.ts';
import type { FieldValue, RecordValues } from './values.ts';
import { isGuid, readFieldValues } from './writes/field-values.ts';

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
  if (fields.length === 1) return literalOf(single, values[single.name]);
  return fields.map((field) => `${field.name}=${literalOf(field, values[field.name])}`).join(',');
}

/** The id of the record that a field refers to; undefined where one field cannot name it. */
export function referencedId(target: EntitySet, value: FieldValue | undefined): string | undefined {
  const [single, ...others] = keyFieldsOf(target);
  if (!single) return String(value);
  return others.length > 0 ? undefined : recordId(target, { [single.name]: value ?? '' });
}

/** The value of a field that refers to the record with an id; undefined where the field is of another kind than its key. */
export function referenceTo(id: string, { kind }: SetField): FieldValue | undefined {
  if (kind === 'guid') return isGuid(id) ? id : undefined;
  if (kind === 'integer') return /^-?\d+$/.test(id) ? Number(id) : undefined;
  return /^'(.*)'$/s.exec(id)?.[1]?.replaceAll("''", "'");
}

/** Parses the key in the parentheses of a decoded path segment. Throws an `ApiError` (400) when it is none of the set. */
export function parseRecordKey(set: EntitySet, key: string): string {
  const fields = keyFieldsOf(set);
  if (fields.length === 0) return parseGuidKey(key);
  const values = fields.length === 1 && !/^\s*\w+\s*=/.test(key) ? [['', key]] : splitKey(key);
  const given = new Map(
    values.map(([name = '', text = '']) => [name === '' ? (fields[0]?.name ?? '') : name, text]),
  );
  const names = fields.map(({ name }) => name);
  if (values.length !== fields.length || !names.every((name) => given.has(name)))
    throw invalidKeyError(key, `values for ${names.join(' and ')} are expected`);
  const body = fields.map((field) => [field.name, parseLiteral(field, given.get(field.name) ?? '', key)]);
  return recordId(set, readFieldValues(set, Object.fromEntries(body), names));
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

/** How OData writes what is not quoted, by the kind of its field. */
const bareLiterals: Readonly<Partial<Record<FieldKind, RegExp>>> = {
  guid: /^[0-9a-f-]{36}$/i,
  date: /^\d{4}-\d\d-\d\d$/,
  boolean: /^(?:true|false)$/,
  integer: /^-?\d{1,15}$/,
  decimal: /^-?\d{1,15}(?:\.\d{1,15})?$/,
};

function literalOf({ kind }: SetField, value: FieldValue | undefined): string {
  const text = String(value ?? '');
  return bareLiterals[kind] ? text : `'${text.replaceAll("'", "''")}'`;
}

/** Splits `name=literal,name=literal`, whose quoted literals may contain anything. */
function splitKey(key: string): string[][] {
  const parts = key.match(/(?:'[^']*'|[^',])+/g) ?? [];
  const matches = parts.map((part) => /^ {0,9}(\w{1,100}) {0,9}=(.*)$/s.exec(part));
  if (parts.join(',') !== key || matches.includes(null))
    throw invalidKeyError(key, 'its parts are name=value');
  return matches.map((match) => [match?.[1] ?? '', (match?.[2] ?? '').trim()]);
}

function parseLiteral({ name, kind }: SetField, text: string, key: string): unknown {
  const bare = bareLiterals[kind];
  const quoted = /^'((?:[^']|'')*)'$/.exec(text)?.[1];
  if (!bare && quoted !== undefined) return quoted.replaceAll("''", "'");
  if (!bare?.test(text))
    throw invalidKeyError(key, `the value of ${name} is ${bare ? `a ${kind}` : 'quoted'}`);
  if (kind === 'boolean') return text === 'true';
  return kind === 'integer' || kind === 'decimal' ? Number(text) : text;
}

function invalidKeyError(key: string, expected: string): ApiError {
  return new ApiError(400, 'BadRequest_NotFound', `'${key.slice(0, 100)}' is not a valid key; ${expected}.`);
}
