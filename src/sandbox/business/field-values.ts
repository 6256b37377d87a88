import { isExactNumber, parseExactly } from '../json.ts';
import { badRequest, Refusal } from '../refusal.ts';
import { isCalendarDate } from './filter.ts';
import { unknownProperty } from './filter-evaluation.ts';
import type { Field, RecordSet, Value } from './records.ts';

type Changes = Record<string, Value>;

const guidPattern = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;

/** Parses a body that must be a JSON object; `parse` is what keeps or loses the digits of long numbers. */
export function readJsonObject(body: string, parse = JSON.parse as (text: string) => unknown) {
  let value: unknown;
  try {
    value = parse(body);
  } catch {
    throw badRequest('The request body is not valid JSON.');
  }
  if (!isJsonObject(value)) throw badRequest('The request body must be a JSON object.');
  return value;
}

/** Parses the body of a record with every digit of its numbers. */
export function readRecordBody(body: string): Record<string, unknown> {
  return readJsonObject(body, parseExactly);
}

export function isJsonObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Checks the fields a caller sent and turns them into what is stored: codes upper-cased, text
 * trimmed on the right, GUIDs lower-cased. Annotations (`@odata.…`) are skipped. Which fields
 * can be written, how long they may be and how a refusal reads: gap, see docs/upstream.md.
 */
export function readFieldValues(
  set: RecordSet,
  body: Readonly<Record<string, unknown>>,
  alsoWritable: readonly string[] = [],
): Changes {
  const changes: Changes = {};
  for (const [name, value] of Object.entries(body)) {
    if (name.includes('@')) continue;
    const field = set.fields.find((one) => one.name === name);
    if (!field) throw unknownProperty(name, set);
    if (field.isReadOnly && !alsoWritable.includes(name)) {
      throw new Refusal(400, 'BadRequest_InvalidOperation', `The control '${name}' is read-only.`);
    }
    changes[name] = readValue(field, value);
  }
  return changes;
}

export function isGuid(text: string): boolean {
  return guidPattern.test(text);
}

function readValue(field: Field, value: unknown): Value {
  switch (field.kind) {
    case 'text':
      return checkedLength(field, expectString(field, value).trimEnd());
    case 'code':
      return checkedLength(field, expectString(field, value).trimEnd().toUpperCase());
    case 'choice':
      return readChoice(field, expectString(field, value));
    case 'guid': {
      const text = expectString(field, value);
      if (!isGuid(text)) throw wrongType(field, value);
      return text.toLowerCase();
    }
    case 'date': {
      const text = expectString(field, value);
      if (!isCalendarDate(text)) throw wrongType(field, value);
      return text;
    }
    case 'boolean':
      if (typeof value !== 'boolean') throw wrongType(field, value);
      return value;
    case 'integer':
      // Edm.Int32
      if (!Number.isInteger(value) || Math.abs(value as number) > 2_147_483_647)
        throw wrongType(field, value);
      return value as number;
    case 'decimal':
      if (typeof value !== 'number' && !isExactNumber(value)) throw wrongType(field, value);
      return value;
    default:
      throw wrongType(field, value);
  }
}

function readChoice(field: Field, text: string): string {
  const { choices = [], toWire = (word) => word } = field;
  const found = choices.find((choice) => toWire(choice) === text);
  if (found !== undefined) return found;
  throw new Refusal(
    400,
    'Unknown',
    `'${text}' is not an option. The existing options are: ${choices.join(',')} (field '${field.name}').`,
  );
}

function checkedLength(field: Field, text: string): string {
  if (field.maxLength === undefined || text.length <= field.maxLength) return text;
  throw new Refusal(
    400,
    'Application_StringExceededLength',
    `The length of the string is ${text.length}, but it must be less than or equal to ${field.maxLength} characters (field '${field.name}').`,
  );
}

function expectString(field: Field, value: unknown): string {
  if (typeof value !== 'string') throw wrongType(field, value);
  return value;
}

function wrongType(field: Field, value: unknown): Refusal {
  const shown = JSON.stringify(value)?.slice(0, 60);
  return badRequest(`Cannot convert ${shown} to the type of the property '${field.name}' (${field.kind}).`);
}
