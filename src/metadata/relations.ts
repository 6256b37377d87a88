import type { RecordTypeFile } from '../business/record-files/record-file.ts';
import type { Columns, Drafting } from './columns.ts';
import { listed } from './columns.ts';
import { type EntitySet, type EntityType, type Navigation, navigationsOf, targetSet } from './csdl/model.ts';
import { toCamelCase, toNoun, toSentence } from './words.ts';

type Relations = NonNullable<RecordTypeFile['relations']>;

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
