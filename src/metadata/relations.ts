import type { FileField, RecordTypeFile } from '../business/record-files/record-file.ts';
import type { Columns, Drafting } from './columns.ts';
import { listed } from './columns.ts';
import {
  type EntitySet,
  type EntityType,
  entityType,
  keyOf,
  type Navigation,
  navigationsOf,
  targetSet,
} from './csdl/model.ts';
import { isGuidKey, keyKind } from './key-columns.ts';
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
    const idField = idFieldOf(drafting, type, navigation, columns);
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
  type: EntityType,
  navigation: Navigation,
  { fieldOf, fields }: Columns,
): string | undefined {
  const target = entityType(model, navigation.type);
  const [key, ...otherKeys] = keyOf(model, target);
  if (key === undefined || otherKeys.length > 0) return undefined;
  const constraint = navigation.constraints.find(({ referenced }) => referenced === key);
  if (!constraint && navigation.constraints.length > 0) return undefined;
  const column = constraint?.property ?? (model.isBusinessCentral ? `${navigation.name}Id` : '');
  const field = fieldOf.get(column);
  const kind = keyKind(model, target, key);
  if (field !== undefined) return isComparable(fields[field]?.kind, kind) ? field : undefined;
  // Of records whose key is a GUID `id`, that is a field as well.
  return constraint && isGuidKey(model, type) && column === 'id' && kind === 'uuid' ? 'id' : undefined;
}

/** Whether two columns can have one value: records that lead to each other compare them. */
const isComparable = (one: FileField['kind'] | undefined, other: FileField['kind'] | undefined) =>
  one !== undefined &&
  one !== 'object' &&
  (one === other || [one, other].every((kind) => kind === 'text' || kind === 'code'));
