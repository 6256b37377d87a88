import type { RecordTypeFile } from '../business/record-files/record-file.ts';
import { type EntitySet, entityType, type Model } from './csdl/model.ts';
import { parseMetadata } from './csdl/parse-metadata.ts';
import { type Captions, noCaptions, readDefinitions } from './definitions.ts';
import { toNote } from './drafting.ts';
import { isGuidKey } from './key-columns.ts';
import { createNameList } from './name-list.ts';
import { noteOmittedLists } from './owned-lists.ts';
import { toRecordFile } from './to-record-file.ts';
import { nameTypes, type TypeNames } from './type-names.ts';

/** A type that the graph has already: relations can lead to it, and its names are taken. */
export interface KnownType {
  readonly type: string;
  readonly entitySet: string;
  readonly route: string;
  /** Whether its records are known by a GUID `id`; where it is left out, as the metadata says. */
  readonly hasGuidKey?: boolean;
  /** Its fields of `Company`; none of companies themselves. */
  readonly names: readonly string[];
  /** The names of its rows and enums. */
  readonly innerTypes: readonly string[];
}

export interface DraftOptions {
  readonly route: string;
  readonly known: readonly KnownType[];
  /** Names of further types, enums among them, that the graph has. */
  readonly taken?: readonly string[];
  /** The service's `entityDefinitions`, with captions and translations; left out where it has none. */
  readonly definitions?: unknown;
  /** The day of the metadata, as `2026-01-31`. */
  readonly date: string;
  /** Where the metadata came from, without credentials. */
  readonly source: string;
}

/**
 * Makes record files of entity sets of a `$metadata` document. They know of each other, and of the types of the graph. The
 * errors say what is wrong and, where it is in the document, the line.
 */
export function draftRecordFiles(
  csdl: string | Uint8Array,
  entitySets: readonly string[],
  options: DraftOptions,
): { readonly files: readonly RecordTypeFile[]; readonly notes: readonly string[] } {
  const model = parseMetadata(csdl);
  const captions =
    options.definitions === undefined ? new Map<string, Captions>() : readDefinitions(options.definitions);
  const sets = [...new Set(entitySets)].map((name) => findSet(model, name));
  const { named, takenTypes } = nameAll(model, sets, options);
  // What is no field of companies, as companies themselves are none, is no target of relations.
  const ofRoute = options.known.filter(
    (known) => known.route === options.route && known.names.length > 0 && hasKeyOf(model, known),
  );
  const graphTypes = new Map([
    ...ofRoute.map(({ entitySet, type }) => [entitySet, type] as const),
    ...sets.map((set) => [set.name, named.get(set.name)?.type ?? ''] as const),
  ]);
  // Types of rows and enums, which the files before have, too.
  const typeNames = createNameList((name) => takenTypes.has(name));
  const { route, date, source } = options;
  const drafted = sets.map((set) =>
    toRecordFile(
      {
        model,
        set,
        type: entityType(model, set.type),
        names: named.get(set.name) as TypeNames,
        captions: captions.get(set.name) ?? noCaptions,
        graphType: (name) => graphTypes.get(name),
        isDrafted: (name) => named.has(name),
        takeTypeName: typeNames.take,
        note: () => undefined,
      },
      { route, origin: { metadata: source, date } },
    ),
  );
  const made = drafted.map(({ file }) => file);
  const files = drafted.map(({ file, omitted }) =>
    addNotes(
      file,
      noteOmittedLists(file, omitted, made, (name) => graphTypes.has(name)),
    ),
  );
  return { files, notes: files.flatMap(({ origin }) => origin?.notes ?? []) };
}

function addNotes(file: RecordTypeFile, notes: readonly string[]): RecordTypeFile {
  if (notes.length === 0 || !file.origin) return file;
  return { ...file, origin: { ...file.origin, notes: [...(file.origin.notes ?? []), ...notes.map(toNote)] } };
}

/** Whether a type of the graph has the key that the metadata says: that of another service may use the name for other records. */
function hasKeyOf(model: Model, { entitySet, hasGuidKey }: KnownType): boolean {
  const set = model.entitySets.get(entitySet);
  return !set || hasGuidKey === undefined || isGuidKey(model, entityType(model, set.type)) === hasGuidKey;
}

function findSet(model: Model, name: string): EntitySet {
  const set = model.entitySets.get(name);
  if (set && !set.isSingleton) return set;
  if (set) throw new Error(`${name} is a singleton, which is no list of records. Name an entity set.`);
  const lower = name.toLowerCase();
  const similar = [...model.entitySets.values()].filter(
    (each) =>
      !each.isSingleton &&
      [each.name, each.type.replace(/^.*\./, '')].some((one) => one.toLowerCase() === lower),
  );
  const count = [...model.entitySets.values()].filter(({ isSingleton }) => !isSingleton).length;
  const hint = similar[0]
    ? ` Did you mean ${similar[0].name}?`
    : ` It has ${count} ${count === 1 ? 'other' : 'others'}.`;
  throw new Error(`The metadata has no entity set ${JSON.stringify(name)}.${hint}`);
}

/** Names for the types of the sets. One that the graph has already keeps its type. */
function nameAll(model: Model, sets: readonly EntitySet[], { known, taken = [], route }: DraftOptions) {
  const wanted = new Set(sets.map(({ name }) => name));
  const isOther = (each: KnownType) => each.route !== route || !wanted.has(each.entitySet);
  const others = known.filter(isOther);
  const takenTypes = new Set([...taken, ...others.flatMap(({ type, innerTypes }) => [type, ...innerTypes])]);
  const fieldsOfCompany = new Set(others.flatMap(({ names }) => names));
  const named = new Map(
    sets.map((set): [string, TypeNames] => {
      const names = nameTypes(model, set, route, { types: takenTypes, fieldsOfCompany });
      const existing = known.find((each) => !isOther(each) && each.entitySet === set.name);
      const type = existing?.type ?? names.type;
      takenTypes.add(type);
      for (const field of [names.one, names.many, `${names.one}ByNumber`]) fieldsOfCompany.add(field);
      return [set.name, { ...names, type }];
    }),
  );
  return { named, takenTypes };
}
