import type { RecordFile } from '../business/record-files/record-file.ts';
import { type Columns, type Drafting, kindOf, listed, toColumns } from './columns.ts';
import {
  type EntitySet,
  type EntityType,
  entityType,
  keyOf,
  lineage,
  type Model,
  type Navigation,
  navigationsOf,
  propertiesOf,
  rowOwners,
  targetSet,
} from './csdl/model.ts';
import { ownFieldsOfRows, singleName, singleNameOfType, type TypeNames, toTypeName } from './names.ts';
import { toCamelCase, toNoun, toSentence } from './words.ts';

type Relations = NonNullable<RecordFile['relations']>;

/** The records that navigations lead to, one each. */
export function toRelations(
  drafting: Drafting,
  {
    type,
    set,
    columns,
    name,
    owner,
  }: {
    readonly type: EntityType;
    readonly set: EntitySet | null;
    readonly columns: Columns;
    /** The type of the graph. */
    readonly name: string;
    /** Of rows: what they are read with, so that navigations back to it are none. */
    readonly owner?: EntityType;
  },
): Relations {
  const relations: Record<string, Relations[string]> = {};
  const unknown: string[] = [];
  for (const navigation of navigationsOf(drafting.model, type)) {
    if (navigation.isCollection || navigation.type === owner?.fullName) continue;
    const target = targetSet(drafting.model, set, navigation);
    const graphType = target ? drafting.graphType(target.name) : undefined;
    if (!target || graphType === undefined) {
      unknown.push(target ? `${navigation.name} (${target.name})` : navigation.name);
      continue;
    }
    const idField = idFieldOf(drafting, navigation, columns);
    relations[columns.takeName(toCamelCase(navigation.name, 'relation'))] = {
      type: graphType,
      description: `${toSentence(`the ${toNoun(navigation.name)}`).slice(0, -1)}, as a record; null where there is none.`,
      ...(idField !== undefined && { idField }),
      navigation: navigation.name,
    };
  }
  if (unknown.length > 0)
    drafting.note(`${name}: left out are relations to what is not in the graph: ${listed(unknown)}.`);
  return relations;
}

/** The field with the id of the record that a navigation leads to: by its constraint, or by Business Central's names. */
function idFieldOf(
  { model }: Drafting,
  navigation: Navigation,
  { fieldOf, fields }: Columns,
): string | undefined {
  const constraint = navigation.constraints.find(({ referenced }) => referenced === 'id');
  if (!constraint && navigation.constraints.length > 0) return undefined;
  const column = constraint?.property ?? (model.isBusinessCentral ? `${navigation.name}Id` : '');
  const field = fieldOf.get(column);
  if (field !== undefined) return fields[field]?.kind === 'uuid' ? field : undefined;
  // The `id` of a record is a field as well.
  return column === 'id' ? 'id' : undefined;
}

type Rows = NonNullable<RecordFile['rows']>;
type Choices = NonNullable<RecordFile['enums']>;

/** The navigations to rows that come with a record, such as the lines of a document. */
export function rowsOf(model: Model, type: EntityType): readonly Navigation[] {
  const owners = lineage(model, type);
  return navigationsOf(model, type).filter((navigation) =>
    rowOwners(model, navigation.type).some(
      (each) => each.navigation === navigation && owners.includes(each.owner),
    ),
  );
}

/** The rows of a record, and the enums of their columns. */
export function toRows(
  drafting: Drafting,
  owner: EntityType,
  { names, takeName }: { readonly names: TypeNames; takeName(name: string): string },
): { readonly rows: Rows; readonly enums: Choices } {
  const { model } = drafting;
  const rows: Record<string, Rows[string]> = {};
  const enums: Record<string, Choices[string]> = {};
  for (const navigation of rowsOf(model, owner)) {
    const rowType = entityType(model, navigation.type);
    const set = setOf(model, rowType);
    const single = set ? singleName(model, set) : singleNameOfType(rowType);
    const isShared = rowOwners(model, rowType.fullName).length > 1;
    const type = drafting.takeTypeName(`${isShared ? names.type : ''}${toTypeName(single)}`);
    const noun = toNoun(single);
    const properties = propertiesOf(model, rowType);
    const columns = toColumns(drafting, {
      properties,
      key: keyOf(model, rowType),
      // A field `id` is a GUID, of rows as of records.
      ownFields: new Set([...ownFieldsOfRows, ...(hasGuidId(model, rowType) ? [] : ['id'])]),
      set: null,
      type,
      noun,
    });
    const relations = toRelations(drafting, { type: rowType, set, columns, name: type, owner });
    const lists = navigationsOf(model, rowType).filter(({ isCollection }) => isCollection);
    if (lists.length > 0) drafting.note(`${type}: left out are the lists ${listed(lists)}.`);
    Object.assign(enums, columns.enums);
    rows[takeName(toCamelCase(navigation.name, 'rows'))] = {
      type,
      description: `The ${toNoun(navigation.name)} of the ${names.noun}, in the upstream's order.`,
      rowDescription: toSentence(`one ${noun} of ${names.withArticle}`),
      navigation: navigation.name,
      fields: columns.fields,
      ...(Object.keys(relations).length > 0 && { relations }),
    };
  }
  return { rows, enums };
}

const setOf = (model: Model, { fullName }: EntityType): EntitySet | null =>
  [...model.entitySets.values()].find(({ type, isSingleton }) => type === fullName && !isSingleton) ?? null;

function hasGuidId(model: Model, type: EntityType): boolean {
  const property = propertiesOf(model, type).find(({ name }) => name === 'id');
  const kind = property && kindOf(model, property);
  return kind !== undefined && kind !== 'stream' && kind.kind === 'uuid';
}
