import type { Business } from '../business.ts';
import type { FieldKind, Relation, RowShape } from '../record-set.ts';
import type { RecordNames, RecordTypeDescriptor } from '../record-type.ts';
import { readMissingLines } from '../sales-documents.ts';
import { type FileField, fieldsOf, type RecordFile } from './record-file.ts';

type Fields = Readonly<Record<string, FileField>>;
type Relations = NonNullable<RecordFile['relations']>;
type FindType = (type: string) => RecordTypeDescriptor | undefined;

/**
 * The descriptors of record files, in their order. Relations lead to each other and to the types that `findType` knows;
 * the files keep the rules of `findRuleMistakes`.
 */
export function describeRecordFiles(
  files: readonly RecordFile[],
  existing: readonly RecordTypeDescriptor[],
): readonly RecordTypeDescriptor[] {
  const known = new Map(existing.map((recordType) => [recordType.type, recordType]));
  const drafts = files.map((file) => {
    // Filled once every type is there: they may lead to each other in circles.
    const relations: Record<string, Relation> = {};
    const recordType = describe(file, relations, files);
    known.set(file.type, recordType);
    return { file, recordType, relations };
  });
  const findType: FindType = (type) => known.get(type);
  for (const { file, relations } of drafts) {
    Object.assign(relations, toRelations(file.relations, findType));
    for (const [field, row] of Object.entries(file.rows ?? {})) {
      const target: RowShape = {
        type: row.type,
        fields: toKinds(row.fields),
        columnNames: toColumnNames(row.fields),
        nullable: nullableOf(row.fields),
        ownerFields: Object.keys(row.ownerFields ?? {}),
        relations: toRelations(row.relations, findType),
      };
      relations[field] = { target, navigations: [row.navigation], isMany: true };
    }
  }
  return drafts.map(({ recordType }) => recordType);
}

function describe(
  file: RecordFile,
  relations: Readonly<Record<string, Relation>>,
  files: readonly RecordFile[],
): RecordTypeDescriptor {
  const { type, names, entitySet, route, writes, watched, listedBy = {} } = file;
  const fields = fieldsOf(file);
  const rows = Object.entries(file.rows ?? {});
  const owned = Object.entries(listedBy).map(([owner, list]) => [owner, list.fields]);
  const expanded = [
    ...rows.map(([field]) => field),
    ...Object.entries(file.relations ?? {}).flatMap(([field, relation]) => (relation.idField ? [] : [field])),
  ];
  const recordType: RecordTypeDescriptor = {
    type,
    names: names as RecordNames,
    // As it stands in addresses; a name with other letters has to be encoded.
    entitySet: encodeURIComponent(entitySet),
    route,
    fields: toKinds(fields),
    nullable: nullableOf(fields),
    columnNames: {
      ...toColumnNames(fields),
      ...Object.fromEntries(rows.map(([field, { navigation }]) => [field, navigation])),
    },
    relations,
    sourceColumns: sourceColumnsOf(file, files),
    list: { ...file.texts, ...toListAbilities(fields) },
    listedBy: Object.fromEntries(owned),
    files: Object.fromEntries(
      Object.entries(file.files ?? {}).map(([field, { segment, isReplaceable = false }]) => [
        field,
        { segment: segment.split('/').map(encodeURIComponent).join('/'), isReplaceable },
      ]),
    ),
    ...(writes && { writes }),
    ...(watched && { watched }),
    ...(expanded.length > 0 && { complete }),
  };
  return recordType;

  /** Only some upstreams show what is expanded in the response to a write. */
  async function complete(business: Business, written: object): Promise<object> {
    let record = written;
    for (const field of expanded) record = await readMissingLines(business, recordType, record, field);
    return record;
  }
}

const toRelations = (relations: Relations = {}, findType: FindType): Record<string, Relation> =>
  Object.fromEntries(
    Object.entries(relations).flatMap(([field, { type, idField: idColumn, navigation }]) => {
      const target = findType(type);
      // Only while other mistakes of the files are found.
      if (!target) return [];
      const select = target.reference?.select;
      const relation: Relation = {
        target,
        // A create that names them may fail where the upstream does not have them.
        isForWrites: false,
        ...(idColumn === undefined ? { isExpandedOnly: true } : { idColumn }),
        ...(navigation !== undefined && { navigations: [navigation] }),
        ...(select && { select: (owner, dialect) => select(owner, dialect, field) }),
      };
      return [[field, relation]];
    }),
  );

const toKinds = (fields: Fields): Record<string, FieldKind> =>
  Object.fromEntries(Object.entries(fields).map(([field, { kind }]) => [field, kind]));

const nullableOf = (fields: Fields): ReadonlySet<string> =>
  new Set(Object.keys(fields).filter((field) => fields[field]?.isNullable));

const toColumnNames = (fields: Fields): Record<string, string> =>
  Object.fromEntries(
    Object.entries(fields).flatMap(([field, { column = field }]) =>
      column === field ? [] : [[field, column]],
    ),
  );

/** What files and lists are made of: the number names a file, and other files may list their records by any field. */
function sourceColumnsOf({ type, fields, files = {} }: RecordFile, all: readonly RecordFile[]) {
  const ofFiles = Object.keys(files).map((field) => [field, fields.number ? ['number'] : []]);
  const ofLists = all.flatMap(({ names, listedBy }) => {
    const list = listedBy?.[type];
    return list ? [[names.many, Object.values(list.fields)]] : [];
  });
  return Object.fromEntries([...ofFiles, ...ofLists]);
}

function toListAbilities(fields: Fields) {
  const cannot = (can: 'canFilter' | 'canSort') =>
    Object.keys(fields).filter((name) => fields[name]?.kind === 'object' || fields[name]?.[can] === false);
  const [unfiltered, unsorted] = [new Set(cannot('canFilter')), new Set(cannot('canSort'))];
  return {
    unfilterable: [...unfiltered].filter((name) => unsorted.has(name)),
    sortOnly: [...unfiltered].filter((name) => !unsorted.has(name)),
    filterOnly: [...unsorted].filter((name) => !unfiltered.has(name)),
  };
}
