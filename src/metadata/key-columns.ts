import type { RecordTypeFile } from '../business/record-files/record-file.ts';
import { MetadataError } from './csdl/metadata-error.ts';
import {
  type EntitySet,
  type EntityType,
  keyOf,
  type Model,
  propertiesOf,
  underlying,
} from './csdl/model.ts';

type Key = NonNullable<RecordTypeFile['key']>;

const kinds: Readonly<Record<string, Key[number]['kind']>> = {
  'Edm.Guid': 'uuid',
  'Edm.String': 'text',
  'Edm.Byte': 'int',
  'Edm.SByte': 'int',
  'Edm.Int16': 'int',
  'Edm.Int32': 'int',
  'Edm.Int64': 'safeInt',
  'Edm.Decimal': 'decimal',
  'Edm.Double': 'decimal',
  'Edm.Single': 'decimal',
  'Edm.Date': 'date',
  'Edm.Boolean': 'boolean',
};

// Views of databases have their whole width for a key.
const maxColumns = 16;

/** The key where it is not a GUID named `id`; throws where an address cannot be made of it. */
export function toKey(model: Model, set: EntitySet, type: EntityType): Key | undefined {
  const names = keyOf(model, type);
  if (names.length > maxColumns)
    throw new MetadataError(
      type.line,
      `the key of ${set.name} has ${names.length} columns; ${maxColumns} is the maximum.`,
    );
  const properties = new Map(propertiesOf(model, type).map((property) => [property.name, property]));
  const key = names.map((name) => {
    const property = properties.get(name);
    const kind = keyKind(model, type, name);
    if (kind === undefined)
      throw new MetadataError(
        property?.line ?? type.line,
        `the key column ${name} of ${set.name} is of the type ${property?.type ?? 'of a path'}: a key is made of ${Object.keys(kinds).join(', ')}.`,
      );
    return { column: name, kind };
  });
  return isGuidKey(model, type) ? undefined : key;
}

/** The kind of a column of a key; undefined for one that no address can be made of. */
export function keyKind(model: Model, type: EntityType, name: string): Key[number]['kind'] | undefined {
  const property = propertiesOf(model, type).find((each) => each.name === name);
  const found = property && !property.isCollection ? underlying(model, property.type) : undefined;
  return typeof found === 'string' ? kinds[found] : undefined;
}

/** Whether records are known by a GUID `id`. */
export const isGuidKey = (model: Model, type: EntityType): boolean => {
  const [name, ...others] = keyOf(model, type);
  return name === 'id' && others.length === 0 && keyKind(model, type, name) === 'uuid';
};

/** Whether the one column of a key is the record's `id`, and no other field. */
export const isIdColumn = (model: Model, type: EntityType, name: string): boolean => {
  const key = keyOf(model, type);
  return key.length === 1 && key[0] === name && /^id$/i.test(name);
};
