import type { RecordTypeFile } from '../business/record-files/record-file.ts';
import type { Columns } from './columns.ts';
import { restriction, terms } from './csdl/annotations.ts';
import {
  type EntitySet,
  type EntityType,
  entityType,
  keyOf,
  type Navigation,
  navigationsOf,
  propertiesOf,
  targetSet,
} from './csdl/model.ts';
import { type Draft, oneOrMany, theseAre } from './drafting.ts';
import { isComparable, isGuidKey, keyKind } from './key-columns.ts';
import { toCamelCase, toNoun, toSentence } from './words.ts';

type Relations = NonNullable<RecordTypeFile['relations']>;
type Files = NonNullable<RecordTypeFile['files']>;

/** A name that stands in addresses: the format of record files allows letters, digits and underscores. */
const isSegment = (name: string): boolean => /^[\p{L}_][\p{L}\p{Nd}_]*$/u.test(name);

/** The records that navigations lead to, one each. */
export function toRelations(
  draft: Draft,
  {
    type,
    set,
    columns,
    skipped,
  }: { type: EntityType; set: EntitySet | null; columns: Columns; skipped: readonly string[] },
): Relations {
  const relations: Record<string, Relations[string]> = {};
  const unknown: string[] = [];
  for (const navigation of navigationsOf(draft.model, type)) {
    if (navigation.isCollection || skipped.includes(navigation.name) || streamBehind(draft, navigation))
      continue;
    const target = targetSet(draft.model, set, navigation);
    const graphType = target ? draft.graphType(target.name) : undefined;
    if (!target || graphType === undefined) {
      unknown.push(target ? `${navigation.name} (${target.name})` : navigation.name);
      continue;
    }
    const idField = idFieldOf(draft, type, navigation, columns);
    relations[columns.takeName(toCamelCase(navigation.name, 'relation'))] = {
      type: graphType,
      description: `${toSentence(`the ${toNoun(navigation.name)}`).slice(0, -1)}, as a record; null where there is none.`,
      ...(idField !== undefined && { idField }),
      navigation: navigation.name,
    };
  }
  if (unknown.length > 0)
    draft.note(
      `${toNoun(type.name)}: ${theseAre('navigation', unknown)} left out, because what ${oneOrMany(unknown, 'it leads', 'they lead')} to is not in the graph.`,
    );
  return relations;
}

/** The field with the id of the record that a navigation leads to: by its constraint, or by Business Central's names. */
function idFieldOf(
  { model }: Draft,
  type: EntityType,
  navigation: Navigation,
  { fieldOf, fields }: Columns,
): string | undefined {
  const [key, ...otherKeys] = keyOf(model, entityType(model, navigation.type));
  if (key === undefined || otherKeys.length > 0) return undefined;
  const constraint = navigation.constraints.find(({ referenced }) => referenced === key);
  if (!constraint && navigation.constraints.length > 0) return undefined;
  const conventional = model.isBusinessCentral ? `${navigation.name}Id` : '';
  const column = constraint?.property ?? conventional;
  const field = fieldOf.get(column);
  const kind = keyKind(model, entityType(model, navigation.type), key);
  if (field !== undefined) return isComparable(fields[field]?.kind, kind) ? field : undefined;
  // Of records whose key is a GUID `id`, that is a field as well.
  return constraint && isGuidKey(model, type) && column === 'id' && kind === 'uuid' ? 'id' : undefined;
}

/** The file of a record that consists of one, such as a picture. */
function streamBehind({ model }: Draft, { type, isCollection }: Navigation): string | null {
  if (isCollection) return null;
  const target = model.types.get(type);
  if (target?.kind !== 'entity') return null;
  const streams = propertiesOf(model, target).filter((each) => each.type === 'Edm.Stream');
  return streams.length === 1 ? (streams[0]?.name ?? null) : null;
}

/** The files of a record: its streams, and those of the records that consist of one. */
export function toFiles(draft: Draft, type: EntityType, columns: Columns): Files {
  const { model, set, names } = draft;
  const canUpdate = (entitySet: EntitySet | null) =>
    entitySet !== null && restriction(entitySet.annotations, terms.update, 'Updatable') === true;
  const own = columns.streams.map(({ name }) => ({ name, segments: [name], isReplaceable: canUpdate(set) }));
  const related = navigationsOf(model, type).flatMap((navigation) => {
    const stream = streamBehind(draft, navigation);
    const isOwner = model.isBusinessCentral || navigation.isContained;
    // A file that contains a record leads back to it.
    if (stream === null || !isOwner || columns.streams.length > 0) return [];
    const { name } = navigation;
    return [{ name, segments: [name, stream], isReplaceable: canUpdate(targetSet(model, set, navigation)) }];
  });
  const usable = [...own, ...related].filter(({ segments }) => segments.every(isSegment));
  if (type.hasStream)
    draft.note(`${names.type}: the file that a record is itself, below \`$value\`, is left out.`);
  return Object.fromEntries(
    usable.map(({ name, segments, isReplaceable }) => {
      const phrase = toNoun(name);
      const description = `${toSentence(phrase).slice(0, -1)} of the ${names.noun}, as a file.`;
      return [
        columns.takeName(toCamelCase(name, 'file')),
        { segment: segments.join('/'), description, ...(isReplaceable && { isReplaceable }) },
      ];
    }),
  );
}

/** The navigations that lead back to the owner of rows: it is what they are read with. */
export const navigationsTo = (draft: Draft, type: EntityType, owner: EntityType): readonly string[] =>
  navigationsOf(draft.model, type)
    .filter((navigation) => !navigation.isCollection && navigation.type === owner.fullName)
    .map(({ name }) => name);
