import type { BusinessRecord, FieldKind, RecordSet, Relation, RowShape } from '../record-sets/record-set.ts';
import type { Business } from '../records/business.ts';
import type { RecordAction, RecordNames, RecordTypeDescriptor, WriteName } from '../records/record-type.ts';
import { behaviours } from './behaviours.ts';
import {
  columnsOf,
  type Declarations,
  type DeclaredField,
  type DeclaredType,
  namesOf,
  scalarKinds,
} from './declarations.ts';
import { ownerWord } from './words.ts';

/** Creates the descriptors of the declared record types, in order. Their relations may lead to each other and to `existing`. */
export function describeRecords(
  declarations: Declarations,
  existing: readonly RecordTypeDescriptor[],
): readonly RecordTypeDescriptor[] {
  const { types } = declarations;
  const shapes = new Map<string, RowShape>(existing.map((recordType) => [recordType.type, recordType]));
  // Rows come first: descriptors of records refer to them.
  for (const type of [...types.values()].sort(
    (one, other) => Number(!!one.record) - Number(!!other.record),
  )) {
    // Relations can be cyclic, so they are filled in after every shape has been created.
    const shape = { ...shapeOf(type, declarations), relations: {} };
    shapes.set(type.name, type.record ? describeRecord(type, shape, types, shapes) : shape);
  }
  for (const { name, fields } of types.values())
    for (const field of fields) {
      const target = field.relation && shapes.get(field.type);
      if (target)
        Object.assign(shapes.get(name)?.relations as object, { [field.name]: relationOf(field, target) });
    }
  return [...types.values()].flatMap(({ name, record }) =>
    record ? [shapes.get(name) as RecordTypeDescriptor] : [],
  );
}

/** Creates the shape of a type; for rows with an entity set, also the record set. */
function shapeOf(type: DeclaredType, { types, lists, reads }: Declarations): RowShape {
  const columns = columnsOf(type);
  const kinds = Object.fromEntries(columns.map((field) => [field.name, kindOf(field)]));
  const ofFiles = type.fields.flatMap((field): [string, readonly string[]][] => {
    if (!field.file) return [];
    const name = field.file.name ?? 'number';
    return [[field.name, Object.hasOwn(kinds, name) ? [name] : []]];
  });
  const ofLists = lists.flatMap(({ owner, field }): [string, readonly string[]][] =>
    owner === type.name && field.list && field.list.equals !== 'id'
      ? [[field.name, [field.list.equals]]]
      : [],
  );
  const ofFields = type.fields.flatMap(({ name, reads }): [string, readonly string[]][] =>
    reads ? [[name, reads]] : [],
  );
  const ofExtensions = reads
    .filter((one) => one.owner === type.name)
    .map(({ field, columns: sources }): [string, readonly string[]] => [field, sources]);
  const owner = [...types.values()].find(({ fields }) =>
    fields.some((field) => field.relation && field.isList && field.type === type.name),
  );
  const shape: RowShape & Partial<RecordSet> = {
    type: type.name,
    fields: type.record || type.rows ? { id: 'uuid', ...kinds } : kinds,
    columnNames: {
      id: (type.record ?? type.rows)?.id ?? 'id',
      ...Object.fromEntries(
        type.fields.flatMap(({ name, column, relation, isList }) => {
          const upstream = column ? column.name : isList ? relation?.expand : undefined;
          return upstream === undefined || upstream === name ? [] : [[name, upstream]];
        }),
      ),
    },
    nullable: new Set(columns.flatMap(({ name, column }) => (column.nullable ? [name] : []))),
    ownerFields: type.fields.flatMap(({ name, isFromOwner }) => (isFromOwner ? [name] : [])),
    sourceColumns: Object.fromEntries([...ofFields, ...ofFiles, ...ofLists, ...ofExtensions]),
    addedFields: ofExtensions.map(([field]) => field),
    dialects: dialectsOf(type),
    ...(type.rows && {
      entitySet: encodeURIComponent(type.rows.set),
      route: owner?.record?.route ?? 'v2.0',
      ...(owner?.record && { ownerSet: encodeURIComponent(owner.record.set) }),
      assignsIds: type.rows.assignsIds,
    }),
  };
  return shape;
}

const textKinds = { CODE: 'code', WORD: 'word', WORD_OR_BLANK: 'wordOrBlank' } as const;

const kindOf = ({ type, column }: DeclaredField): FieldKind =>
  column?.kind ? textKinds[column.kind] : scalarKinds[type as keyof typeof scalarKinds];

function dialectsOf({ fields }: DeclaredType): NonNullable<RowShape['dialects']> {
  const differencesOf = (dialect: 'document' | 'dynamics') => {
    const differences = fields.flatMap(({ name, dialects }) =>
      dialects.filter((one) => one.name === dialect).map((one) => ({ ...one, name })),
    );
    return {
      names: Object.fromEntries(differences.flatMap(({ name, column }) => (column ? [[name, column]] : []))),
      sourceColumns: Object.fromEntries(
        differences.flatMap(({ name, reads }) => (reads ? [[name, reads]] : [])),
      ),
      lineKeys: Object.fromEntries(differences.flatMap(({ name, takes }) => (takes ? [[name, takes]] : []))),
    };
  };
  return { document: differencesOf('document'), dynamics: differencesOf('dynamics') };
}

function relationOf({ name, relation, isList, reads }: DeclaredField, target: RowShape): Relation {
  const { key, expand, onCreate = false } = relation ?? {};
  if (isList && expand !== undefined)
    return { target, navigations: expand === name ? [expand] : [expand, name], isMany: true };
  const select = 'reference' in target ? (target as RecordTypeDescriptor).reference?.select : undefined;
  return {
    target,
    onCreate,
    ...(key !== undefined && { idColumn: key }),
    ...(key === undefined && reads === null && { isExpandedOnly: true }),
    ...(expand !== undefined && { navigations: [expand] }),
    ...(select && { select: (owner, dialect) => select(owner, dialect, name) }),
  };
}

function describeRecord(
  type: DeclaredType,
  shape: RowShape,
  types: Declarations['types'],
  shapes: ReadonlyMap<string, RowShape>,
): RecordTypeDescriptor {
  const { record, fields, actions } = type;
  const expanded = fields.flatMap(({ name, relation, isList }) =>
    relation && (isList || relation.key === undefined) ? [name] : [],
  );
  const lines = fields
    .map((field) => types.get(field.relation && field.isList ? field.type : ''))
    .find((rows) => rows?.rows?.write.length);
  const recordType: RecordTypeDescriptor = {
    ...shape,
    // Percent-encoded, because names may have non-ASCII letters.
    entitySet: encodeURIComponent(record?.set ?? ''),
    route: record?.route ?? '',
    ...(record?.needsOneOf.length && { requiredInCreate: record.needsOneOf }),
    columnsOutsideEtag: fields.flatMap(({ name, column }) => (column?.outsideEtag ? [name] : [])),
    ...(type.name !== 'Company' && { names: namesOf(type) as RecordNames }),
    files: Object.fromEntries(fields.flatMap(({ name, file }) => (file ? [[name, fileOf(file)]] : []))),
    writes: toWriteNames(record?.write ?? []),
    actions: actions.map(actionOf),
    ...(lines && {
      lines: {
        set: shapes.get(lines.name) as RecordSet,
        owner: ownerWord(type.name),
        writes: toWriteNames(lines.rows?.write ?? []),
      },
    }),
    ...(record?.watch && { watched: { description: type.description } }),
    ...(expanded.length > 0 && { complete }),
    ...behaviours[type.name],
  };
  return recordType;

  /** Ignores a failed read: the write has been carried out. */
  async function complete({ selection, load }: Business, written: object): Promise<object> {
    const known = written as BusinessRecord;
    const { fields: selected } = selection.ofType(type.name);
    // Only some upstreams expand relations in the response to a write. For others, the record is read again.
    if (expanded.every((field) => known[field] != null || !selected.has(field))) return written;
    return (await load(recordType, known.companyId, known.id).catch(() => null)) ?? written;
  }
}

const toWriteNames = (writes: readonly string[]) => writes.map((write) => write.toLowerCase() as WriteName);

const effects = { REMOVES: 'removes', MAY_REMOVE: 'mayRemove', CHANGES: 'changes', KEEPS: 'keeps' } as const;

const fileOf = ({ path, replaceable, extension, name }: NonNullable<DeclaredField['file']>) => ({
  segment: path.split('/').map(encodeURIComponent).join('/'),
  isReplaceable: replaceable,
  ...(extension !== undefined && { extension }),
  ...(name !== undefined && { nameColumn: name }),
});

const actionOf = (action: DeclaredType['actions'][number]): RecordAction => ({
  mutation: action.mutation,
  name: action.name,
  effect: effects[action.effect],
  mayFailAfterCommit: action.mayFailAfterCommit,
  ...(action.shownBy && { isShownBy: (status) => action.shownBy?.includes(status as string) === true }),
  ...(action.result !== undefined && {
    result: { type: action.result, ...(action.resultBy !== undefined && { ownerColumn: action.resultBy }) },
  }),
});
