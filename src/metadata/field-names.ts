import { type ColumnKind, kindOf } from './column-kinds.ts';
import { type EntityType, type Model, type Property, propertiesOf } from './csdl/model.ts';
import { isIdColumn } from './key-columns.ts';
import { createNameList, type NameList } from './name-list.ts';
import { toCamelCase } from './words.ts';

/** What every row has beside its columns. */
export const ownFieldsOfRows: ReadonlySet<string> = new Set([
  'companyId',
  'company',
  'etag',
  'nodeId',
  // A field would hide these members of every object.
  ...Object.getOwnPropertyNames(Object.prototype),
]);
/** The same of every record. */
export const ownFieldsOfRecords: ReadonlySet<string> = new Set([
  'id',
  // Filters of records join conditions by them.
  ...['and', 'or', 'not'],
  // Beside `companyId` they would name the same company, which is the one of the graph.
  ...['companyNumber', 'companyCode', 'companyNo'],
  ...ownFieldsOfRows,
]);

interface FieldNames {
  /** The field of each column that has one. */
  readonly fieldOf: ReadonlyMap<string, string>;
  readonly streams: readonly Property[];
  /** Columns whose field is not called as they are. */
  readonly renamed: readonly { readonly column: string; readonly field: string; readonly wanted: string }[];
  /** Gives a name that no column has. */
  takeName(name: string): string;
}

/** Names of fields. Those that are names of GraphQL already keep theirs, and choices come first: `…Raw` is beside them. */
export function nameFields(
  model: Model,
  {
    properties,
    isId,
    ownFields,
  }: {
    readonly properties: readonly Property[];
    readonly isId: (name: string) => boolean;
    readonly ownFields: ReadonlySet<string>;
  },
): FieldNames {
  const names = createNameList((name) => ownFields.has(name));
  const fieldOf = new Map<string, string>();
  const renamed: { column: string; field: string; wanted: string }[] = [];
  const streams = properties.filter((property) => kindOf(model, property) === 'stream');
  const columns = properties.filter((property) => !streams.includes(property) && !isId(property.name));
  const isChoice = (property: Property) => (kindOf(model, property) as ColumnKind).choice !== undefined;
  const isKept = ({ name }: Property) => toCamelCase(name, 'column') === name;
  const rank = (property: Property) => (isChoice(property) ? 0 : 2) + (isKept(property) ? 0 : 1);
  for (const property of [...columns].sort((one, other) => rank(one) - rank(other))) {
    const wanted = toCamelCase(property.name, 'column');
    const free = ownFields.has(wanted) ? `${wanted}Value` : wanted;
    const field = isChoice(property) ? takeWithRaw(names, free) : names.take(free);
    fieldOf.set(property.name, field);
    if (field !== wanted) renamed.push({ column: property.name, field, wanted });
  }
  return { fieldOf, streams, renamed, takeName: (name) => names.take(name) };
}

/** A name that is free together with the one of the upstream's word. */
function takeWithRaw(names: NameList, wanted: string): string {
  const rawOf = (name: string) => `${name}Raw`;
  const field = names.take(createNameList((name) => names.has(name) || names.has(rawOf(name))).take(wanted));
  names.take(rawOf(field));
  return field;
}

/** The columns of records: those that only filters can name are none. */
export const columnsOfRecords = (model: Model, type: EntityType): readonly Property[] =>
  propertiesOf(model, type).filter(({ name }) => !/_FilterOnly$/.test(name));

/** The names that the fields of records have by their columns, whether or not these are drafted now. */
export const nameFieldsOfRecords = (model: Model, type: EntityType): FieldNames =>
  nameFields(model, {
    properties: columnsOfRecords(model, type),
    isId: (name) => isIdColumn(model, type, name),
    ownFields: ownFieldsOfRecords,
  });
