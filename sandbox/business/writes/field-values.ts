import { ApiError, badRequestError, businessRuleError, invalidRelationError } from '../../api-error.ts';
import { isExactNumber } from '../../json.ts';
import {
  type EntitySet,
  type FieldValue,
  type RecordValues,
  type SetField,
  unsetDate,
  unsetGuid,
} from '../entity-set.ts';
import { isCalendarDate, unknownPropertyError } from '../query/filter.ts';

type FieldChanges = Record<string, FieldValue>;

const guidPattern = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;

/**
 * Validates the fields of a request body and converts them to stored values: codes to upper case, GUIDs to
 * lower case, text without trailing blanks. Annotations (`@odata.…`) are ignored. Which fields are writable,
 * their lengths and the error messages: gap, see docs/upstream.md.
 */
export function readFieldValues(
  set: EntitySet,
  body: Readonly<Record<string, unknown>>,
  alsoWritable: readonly string[] = [],
): FieldChanges {
  const changes: FieldChanges = {};
  for (const [name, value] of Object.entries(body)) {
    if (name.includes('@')) continue;
    const field = set.fields.find((one) => one.name === name);
    if (!field) throw unknownPropertyError(name, set);
    if (field.isReadOnly && !alsoWritable.includes(name)) {
      throw new ApiError(400, 'BadRequest_InvalidOperation', `The control '${name}' is read-only.`);
    }
    changes[name] = readValue(field, value);
  }
  return changes;
}

export function isGuid(text: string): boolean {
  return guidPattern.test(text);
}

function readValue(field: SetField, value: unknown): FieldValue {
  switch (field.kind) {
    case 'text':
      return checkLength(field, expectString(field, value).trimEnd());
    case 'code':
      return checkLength(field, expectString(field, value).trimEnd().toUpperCase());
    case 'choice':
      return readChoice(field, expectString(field, value));
    case 'guid': {
      const text = expectString(field, value);
      if (!isGuid(text)) throw wrongTypeError(field, value);
      return text.toLowerCase();
    }
    case 'date': {
      const text = expectString(field, value);
      if (!isCalendarDate(text)) throw wrongTypeError(field, value);
      return text;
    }
    case 'boolean':
      if (typeof value !== 'boolean') throw wrongTypeError(field, value);
      return value;
    case 'integer':
      // Edm.Int32
      if (!Number.isInteger(value) || Math.abs(value as number) > 2_147_483_647)
        throw wrongTypeError(field, value);
      return value as number;
    case 'decimal':
      if (typeof value !== 'number' && !isExactNumber(value)) throw wrongTypeError(field, value);
      return value;
    default:
      throw wrongTypeError(field, value);
  }
}

function readChoice(field: SetField, text: string): string {
  const { choices = [], toWire = (word) => word } = field;
  const found = choices.find((choice) => toWire(choice) === text);
  if (found !== undefined) return found;
  throw new ApiError(
    400,
    'Unknown',
    `'${text}' is not an option. The existing options are: ${choices.join(',')} (field '${field.name}').`,
  );
}

function checkLength(field: SetField, text: string): string {
  if (field.maxLength === undefined || text.length <= field.maxLength) return text;
  throw new ApiError(
    400,
    'Application_StringExceededLength',
    `The length of the string is ${text.length}, but it must be less than or equal to ${field.maxLength} characters (field '${field.name}').`,
  );
}

function expectString(field: SetField, value: unknown): string {
  if (typeof value !== 'string') throw wrongTypeError(field, value);
  return value;
}

function wrongTypeError(field: SetField, value: unknown): ApiError {
  const shown = JSON.stringify(value)?.slice(0, 60);
  return badRequestError(
    `Cannot convert ${shown} to the type of the property '${field.name}' (${field.kind}).`,
  );
}

const regions = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' });

/** True for the code of a country or region. */
export function isCountry(code: string): boolean {
  return /^[A-Z]{2}$/.test(code) && regions.of(code) !== undefined;
}

/** The rules of customers, vendors and contacts: a name is required, and country and email must be valid. */
export const masterRules =
  (caption: string) =>
  (values: RecordValues, isNew: boolean): void => {
    const { country = '', displayName = isNew ? '' : undefined, email = '' } = values;
    if (displayName === '') throw businessRuleError('A "displayName" must be provided.');
    if (email !== '' && !/^[^@\s]+@[^@\s]+$/.test(String(email)))
      throw businessRuleError(`The email address "${email}" is not valid.`);
    if (country !== '' && !isCountry(String(country)))
      throw invalidRelationError('Country/Region Code', caption, String(country), 'Country/Region');
  };

const blanks = new WeakMap<EntitySet, RecordValues>();

/** The values of a record with all fields unset. */
export function blankValues(set: EntitySet): RecordValues {
  const known = blanks.get(set);
  if (known) return known;
  const stored = set.fields.filter(({ kind }) => kind !== 'lines' && kind !== 'object');
  // Built in one step. V8 turns an object that is filled key by key into a hash table, which is ten times slower to copy.
  const values = Object.fromEntries(stored.map((field) => [field.name, blankValue(field)]));
  blanks.set(set, values);
  return values;
}

function blankValue(field: SetField): FieldValue {
  switch (field.kind) {
    case 'guid':
      return unsetGuid;
    case 'date':
      return unsetDate;
    case 'dateTime':
      return `${unsetDate}T00:00:00.000Z`;
    case 'boolean':
      return false;
    case 'integer':
    case 'decimal':
      return 0;
    default:
      return field.choices?.[0] ?? '';
  }
}
