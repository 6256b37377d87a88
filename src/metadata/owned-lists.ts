import type { FileField, RecordTypeFile } from '../business/record-files/record-file.ts';
import { kindOf } from './column-kinds.ts';
import type { Columns } from './columns.ts';
import {
  type Constraint,
  type EntityType,
  entityType,
  lineage,
  type Model,
  type Navigation,
  navigationsOf,
  propertiesOf,
  targetSet,
} from './csdl/model.ts';
import { type Draft, inNote, oneOrMany, theseAre } from './drafting.ts';
import { nameFieldsOfRecords, ownFieldsOfRecords } from './field-names.ts';
import { isComparable, isIdColumn } from './key-columns.ts';
import { rowOwners } from './row-owners.ts';
import { singleName } from './type-names.ts';
import { toCamelCase, toNoun } from './words.ts';

type Lists = NonNullable<RecordTypeFile['listedBy']>;

/** An owner of records of this type, and the columns that say so. */
interface Ownership {
  readonly ownerSet: string;
  readonly owner: EntityType;
  /** Columns of the records, each with that of the owner. */
  readonly constraints: readonly Constraint[];
}

/** The types whose records each have a list of these. */
export function toOwnedLists(draft: Draft, type: EntityType, columns: Columns): Lists {
  const lists: Record<string, Lists[string]> = {};
  for (const { ownerSet, owner, constraints } of [
    ...ownersByList(draft, type),
    ...ownersByNumber(draft, type, columns),
  ]) {
    const graphType = draft.graphType(ownerSet);
    if (graphType === undefined || lists[graphType] !== undefined) continue;
    // Each record comes with its rows.
    if (
      rowOwners(draft.model, type.fullName).some((each) => lineage(draft.model, owner).includes(each.owner))
    )
      continue;
    if (ownNames(draft, owner).has(draft.names.many)) {
      draft.note(
        `${draft.names.type}: ${graphType} has no list of these, because it has a field ${inNote(draft.names.many)}.`,
      );
      continue;
    }
    if (columns.fieldOf.has('parentType') && constraints.some(({ property }) => property === 'parentId')) {
      draft.note(
        `${draft.names.type}: ${graphType} has no list of these, because \`parentId\` says the record only together with \`parentType\`.`,
      );
      continue;
    }
    const fields = toFields(draft.model, constraints, { owner, columns });
    if (fields === null) continue;
    // Types that the graph has already list others by their id alone.
    if (!draft.isDrafted(ownerSet) && Object.values(fields).some((source) => source !== 'id')) continue;
    const noun = toNoun(singleNameOf(draft, ownerSet));
    lists[graphType] = {
      description: `The ${draft.names.nouns} of the ${noun}, in the upstream's order unless \`orderBy\` is given.`,
      fields,
    };
  }
  return lists;
}

/** The fields that an owner has by itself: of its columns, and of its records, rows and files. */
function ownNames({ model }: Draft, owner: EntityType): ReadonlySet<string> {
  const { fieldOf, streams } = nameFieldsOfRecords(model, owner);
  const fields = [...fieldOf.values()];
  const isOwn = ({ isCollection, type }: Navigation) => !isCollection || rowOwners(model, type).length > 0;
  return new Set([
    ...ownFieldsOfRecords,
    ...fields,
    ...fields.map((field) => `${field}Raw`),
    ...[...streams, ...navigationsOf(model, owner).filter(isOwn)].map(({ name }) =>
      toCamelCase(name, 'column'),
    ),
  ]);
}

const singleNameOf = ({ model }: Draft, name: string): string => {
  const set = model.entitySets.get(name);
  return set ? singleName(model, set) : name;
};

/** Owners with a navigation to these records. */
function ownersByList({ model, set }: Draft, type: EntityType): readonly Ownership[] {
  return [...model.entitySets.values()]
    .filter((ownerSet) => !ownerSet.isSingleton)
    .flatMap((ownerSet) => {
      const owner = entityType(model, ownerSet.type);
      return navigationsOf(model, owner)
        .filter((navigation) => navigation.isCollection && navigation.type === type.fullName)
        .filter((navigation) => (targetSet(model, ownerSet, navigation)?.name ?? set.name) === set.name)
        .flatMap((navigation) => {
          const constraints = foreignColumns(model, type, owner, navigation);
          return constraints.length > 0 ? [{ ownerSet: ownerSet.name, owner, constraints }] : [];
        });
    });
}

/** The constraints from these records to the owner: by the navigation back, or turned round by the owner's. */
function foreignColumns(
  model: Model,
  type: EntityType,
  owner: EntityType,
  { partner, constraints }: Navigation,
): readonly Constraint[] {
  const back = navigationsOf(model, type).find(
    ({ name, isCollection, type: target }) =>
      !isCollection && target === owner.fullName && (partner === null || name === partner),
  );
  if (back && back.constraints.length > 0) return back.constraints;
  return constraints.map(({ property, referenced }) => ({ property: referenced, referenced: property }));
}

/** Business Central: records that hold both the id and the number of another belong to it, such as orders of a vendor. */
function ownersByNumber({ model, set }: Draft, type: EntityType, { fieldOf }: Columns): readonly Ownership[] {
  if (!model.isBusinessCentral) return [];
  return navigationsOf(model, type).flatMap((navigation) => {
    const { name, isCollection, constraints } = navigation;
    const owners = isCollection ? null : targetSet(model, set, navigation);
    if (!owners || !fieldOf.has(`${name}Id`) || !fieldOf.has(`${name}Number`)) return [];
    const byId = constraints.filter(({ property }) => property === `${name}Id`);
    return byId.length === 1
      ? [{ ownerSet: owners.name, owner: entityType(model, navigation.type), constraints: byId }]
      : [];
  });
}

/** By field of the records, the field of the owner; null where a column has none. */
function toFields(
  model: Model,
  constraints: readonly Constraint[],
  { owner, columns }: { readonly owner: EntityType; readonly columns: Columns },
): Record<string, string> | null {
  const ofOwner = nameFieldsOfRecords(model, owner).fieldOf;
  const entries: [string, string][] = [];
  for (const { property, referenced } of constraints) {
    const own = columns.fieldOf.get(property);
    const source = isIdColumn(model, owner, referenced) ? 'id' : ofOwner.get(referenced);
    const field = own === undefined ? undefined : columns.fields[own];
    if (own === undefined || source === undefined || !field || field.canFilter === false) return null;
    if (!isComparable(field.kind, kindOfColumn(model, owner, referenced))) return null;
    entries.push([own, source]);
  }
  return Object.fromEntries(entries);
}

function kindOfColumn(model: Model, type: EntityType, name: string): FileField['kind'] | undefined {
  const property = propertiesOf(model, type).find((each) => each.name === name);
  const kind = property && kindOf(model, property);
  return kind === undefined || kind === 'stream' ? undefined : kind.kind;
}

export interface OmittedList {
  readonly name: string;
  /** The entity sets that it can be of. */
  readonly entitySets: readonly string[];
}

/** Lists of a record that are no rows. */
export const omittedLists = (
  { model, set }: Draft,
  type: EntityType,
  rows: readonly string[],
): readonly OmittedList[] =>
  navigationsOf(model, type)
    .filter(({ isCollection, name }) => isCollection && !rows.includes(name))
    .map((navigation) => {
      const target = targetSet(model, set, navigation);
      const ofType = [...model.entitySets.values()].filter((each) => each.type === navigation.type);
      return { name: navigation.name, entitySets: (target ? [target] : ofType).map(({ name }) => name) };
    });

/** What becomes of the lists that a file leaves out, in sentences; `files` are those of the same run. */
export function noteOmittedLists(
  { type }: RecordTypeFile,
  omitted: readonly OmittedList[],
  files: readonly RecordTypeFile[],
  isInGraph: (entitySet: string) => boolean,
): readonly string[] {
  const filesOf = ({ entitySets }: OmittedList) =>
    files.filter(({ entitySet }) => entitySets.includes(entitySet));
  const isOf = (kind: 'unlisted' | 'known' | 'absent') =>
    omitted
      .filter((list) => {
        const made = filesOf(list);
        if (made.some(({ listedBy = {} }) => Object.hasOwn(listedBy, type))) return false;
        if (made.length > 0) return kind === 'unlisted';
        return list.entitySets.some(isInGraph) ? kind === 'known' : kind === 'absent';
      })
      .map(({ name }) => name);
  const [unlisted, known, absent] = [isOf('unlisted'), isOf('known'), isOf('absent')];
  return [
    ...(unlisted.length > 0
      ? [`${type}: ${theseAre('list', unlisted)} left out: no column of such a record names its ${type}.`]
      : []),
    ...(known.length > 0
      ? [
          `${type}: ${theseAre('list', known)} left out here. \`listedBy\` in the record ${oneOrMany(known, 'file of its type makes it', 'files of their types makes them')} one.`,
        ]
      : []),
    ...(absent.length > 0
      ? [
          `${type}: ${theseAre('list', absent)} left out here. ${oneOrMany(absent, 'Add its entity set: it becomes a list', 'Add their entity sets: they become lists')} of ${type} where a column names it.`,
        ]
      : []),
  ];
}
