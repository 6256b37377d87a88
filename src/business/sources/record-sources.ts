import { getOrCompute } from '../../runtime/memo.ts';
import type { FieldKinds, RecordSet, RecordSource } from '../record-set.ts';
import type { ListDescription, RecordTypeDescriptor } from '../record-type.ts';

/** What sources add to a record type. */
export interface SourceAddition {
  readonly sources: Readonly<Record<string, RecordSource>>;
  readonly list?: Omit<ListDescription, 'one' | 'many'>;
}

/** A record type with the fields of further sources. Throws `Error` for a field or a source that it has already. */
export function addSources<T extends RecordTypeDescriptor>(base: T, { sources, list }: SourceAddition): T {
  const fields = new Set([
    'id',
    'etag',
    'companyId',
    'company',
    'nodeId',
    ...Object.keys(allFieldsOf(base)),
    ...Object.keys(base.relations ?? {}),
    ...Object.keys(base.files ?? {}),
  ]);
  for (const [name, source] of Object.entries(sources)) {
    if (base.sources && Object.hasOwn(base.sources, name))
      throw new Error(`${base.type} has a source \`${name}\` already. Give this one another name.`);
    for (const field of Object.keys(source.fields)) {
      if (fields.has(field))
        throw new Error(`${base.type} has a field \`${field}\` already. Leave it out of \`${name}\`.`);
      fields.add(field);
    }
  }
  return {
    ...base,
    sources: { ...base.sources, ...sources },
    list: {
      ...base.list,
      unfilterable: [...(base.list.unfilterable ?? []), ...(list?.unfilterable ?? [])],
      filterOnly: [...(base.list.filterOnly ?? []), ...(list?.filterOnly ?? [])],
      sortOnly: [...(base.list.sortOnly ?? []), ...(list?.sortOnly ?? [])],
      conditions: { ...base.list.conditions, ...list?.conditions },
      filterNotes: { ...base.list.filterNotes, ...list?.filterNotes },
      orderNotes: { ...base.list.orderNotes, ...list?.orderNotes },
    },
  };
}

/** The columns of a record type in all of its sets, by their fields. */
export const allFieldsOf = ({ fields, sources = {} }: RecordTypeDescriptor): FieldKinds =>
  Object.assign({ ...fields }, ...Object.values(sources).map((source) => source.fields)) as FieldKinds;

/** The source that has a field, or the choice behind its upstream's word; null for the type's own set. */
export function sourceOf({ sources = {} }: RecordTypeDescriptor, field: string): string | null {
  const choice = field.endsWith('Raw') ? field.slice(0, -'Raw'.length) : field;
  const found = Object.entries(sources).find(
    ([, { fields }]) =>
      Object.hasOwn(fields, field) || (Object.hasOwn(fields, choice) && typeof fields[choice] === 'object'),
  );
  return found?.[0] ?? null;
}

const setsOfTypes = new WeakMap<RecordTypeDescriptor, ReadonlyMap<string, RecordSet>>();
const noSets: ReadonlyMap<string, RecordSet> = new Map();

/** The entity set of each source, by the source's name; made once for each type. */
export const sourceSetsOf = (recordType: RecordTypeDescriptor): ReadonlyMap<string, RecordSet> =>
  recordType.sources === undefined
    ? noSets
    : getOrCompute(
        setsOfTypes,
        recordType,
        () =>
          new Map(
            Object.entries(recordType.sources ?? {}).map(([name, source]) => [
              name,
              toRecordSet(recordType, source),
            ]),
          ),
      );

function toRecordSet(
  { type, key }: RecordTypeDescriptor,
  { route, entitySet, key: column, fields, names, nullable }: RecordSource,
): RecordSet {
  const [first] = key ?? [];
  const own = { names: { ...names, ...(column !== undefined && !key && { id: column }) } };
  return {
    type,
    route,
    entitySet,
    fields: key ? fields : { id: 'uuid', ...fields },
    ...(nullable && { nullable }),
    ...(key && { key: column !== undefined && first && key.length === 1 ? [{ ...first, column }] : key }),
    dialects: { document: own, dynamics: own },
  };
}
