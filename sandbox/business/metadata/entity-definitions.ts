import type { EntitySet } from '../entity-set.ts';
import { entitySet, textField } from '../entity-set.ts';
import type { StoredRecord } from '../store.ts';
import type { RecordValues } from '../values.ts';
import { captionsOf, captionsOfName } from './captions.ts';
import type { MetadataModel } from './metadata-model.ts';
import { typeNameOf } from './metadata-model.ts';

/** `entityDefinitions`: filtered and sorted by the names. */
export const entityDefinitionSet: EntitySet = entitySet(
  'entityDefinitions',
  'entityMetadata',
  [
    textField('entityName', 250),
    textField('entitySetName', 250),
    { name: 'entityCaptions', kind: 'object' },
    { name: 'entitySetCaptions', kind: 'object' },
    { name: 'properties', kind: 'object' },
    { name: 'actions', kind: 'object' },
    { name: 'enumMembers', kind: 'object' },
  ],
  { hasEtag: false, hasAddress: false },
);

/** The captions of every entity type with its properties and actions, and of every enum with its members. */
export function entityDefinitions({ dialect, sets, enums }: MetadataModel): StoredRecord[] {
  const named = (name: string) => ({ name, captions: captionsOfName(name) });
  const ofSets = sets.map((set) =>
    definition(typeNameOf(set), {
      entitySetName: set.name,
      entityCaptions: captionsOfName(typeNameOf(set)),
      entitySetCaptions: captionsOfName(set.name),
      properties: [
        ...set.fields.filter(({ kind }) => kind !== 'lines').map(({ name }) => named(name)),
        ...set.navigations.map(({ name }) => named(name)),
      ],
      actions: dialect.hasActions ? (set.actions ?? []).map(named) : [],
      enumMembers: [],
    }),
  );
  const ofEnums = enums.map(({ name, members }) =>
    definition(name, {
      entitySetName: '',
      entityCaptions: captionsOfName(name),
      entitySetCaptions: [],
      properties: [],
      actions: [],
      enumMembers: members.map((member, value) => ({
        name: member.name,
        value,
        captions: captionsOf(member.word),
      })),
    }),
  );
  return [...ofSets, ...ofEnums];
}

function definition(entityName: string, rest: Readonly<Record<string, unknown>>): StoredRecord {
  // Lists are no values of stored records; as fields of the kind `object` they are returned as they are.
  const values = { id: entityName, entityName, ...rest } as RecordValues;
  return { values, etag: '', version: 1, lines: [] };
}
