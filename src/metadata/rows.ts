import type { RecordTypeFile } from '../business/record-files/record-file.ts';
import { kindOf } from './column-kinds.ts';
import { type Drafting, listed, toColumns } from './columns.ts';
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
} from './csdl/model.ts';
import { ownFieldsOfRows, singleName, singleNameOfType, type TypeNames, toTypeName } from './names.ts';
import { toRelations } from './relations.ts';
import { rowOwners } from './row-owners.ts';
import { toCamelCase, toNoun, toSentence } from './words.ts';

type Rows = NonNullable<RecordTypeFile['rows']>;
type Choices = NonNullable<RecordTypeFile['enums']>;

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
