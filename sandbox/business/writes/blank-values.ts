import {
  type EntitySet,
  type FieldValue,
  type RecordValues,
  type SetField,
  unsetDate,
  unsetGuid,
} from '../entity-set.ts';
import { idOf, type StoredRecord } from '../store.ts';

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

/** The values of a companion that follow from its record. */
export function companionValues({ companionOf }: EntitySet, record: StoredRecord): RecordValues {
  return { id: idOf(record), ...companionOf?.values(record.values) };
}
