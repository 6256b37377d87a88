import { type RecordFile, recordFile, recordFileLimits } from '../business/record-files/record-file.ts';
import { type Columns, type Drafting, describedBy, listed, toColumns } from './columns.ts';
import { restriction, terms } from './csdl/annotations.ts';
import {
  type EntitySet,
  type EntityType,
  entityType,
  hasGuidKey,
  isOpen,
  keyOf,
  type Model,
  navigationsOf,
  propertiesOf,
} from './csdl/model.ts';
import { MetadataError } from './csdl/xml.ts';
import { createNameList, nameType, ownFieldsOfRecords, type TypeNames } from './names.ts';
import { rowsOf, toRelations, toRows } from './relations.ts';
import { toSentence } from './words.ts';

/** A type that the graph has already. */
export interface KnownType {
  readonly type: string;
  readonly entitySet: string;
  readonly route: string;
  /** False for companies: every record leads to its company already. */
  readonly isTarget: boolean;
}

/** The graph that a record type is made for. */
export interface ExistingGraph {
  readonly known: readonly KnownType[];
  /** The names of all types. */
  readonly types: ReadonlySet<string>;
  readonly fieldsOfCompany: ReadonlySet<string>;
}

export interface RecordFileDraft {
  readonly file: RecordFile;
  /** What the metadata does not say and a person has to decide, in sentences. */
  readonly review: readonly string[];
}

/**
 * Drafts the record file of an entity set, in the order of the metadata. What the metadata cannot say, such as which columns
 * a create needs, is left out. Throws a `MetadataError`.
 */
export function draftRecordFile(
  model: Model,
  entitySet: string,
  { route, graph }: { readonly route: string; readonly graph: ExistingGraph },
): RecordFileDraft {
  const set = findSet(model, entitySet);
  const type = entityType(model, set.type);
  const names = nameType(model, set, route, graph);
  const targets = new Map([
    ...graph.known
      .filter((known) => known.isTarget && known.route === route && isKeyedByGuid(model, known))
      .map((known) => [known.entitySet, known.type] as const),
    [set.name, names.type],
  ]);
  const review: string[] = [];
  const drafting: Drafting = {
    model,
    graphType: (name) => targets.get(name),
    takeTypeName: createNameList((name) => name === names.type || graph.types.has(name)).take,
    note: (sentence) => review.push(sentence),
  };
  const file = toRecordFile(drafting, { set, type, names, route });
  // A name or a text that the format cannot hold is a mistake of the metadata, or of what is made of it.
  const [issue] = recordFile.safeParse(file).error?.issues ?? [];
  if (issue)
    throw new MetadataError(
      set.line,
      `what ${set.name} is made of does not fit a record file: ${issue.path.map(String).join('.')}: ${issue.message}.`,
    );
  return { file, review };
}

function toRecordFile(
  drafting: Drafting,
  {
    set,
    type,
    names,
    route,
  }: {
    readonly set: EntitySet;
    readonly type: EntityType;
    readonly names: TypeNames;
    readonly route: string;
  },
): RecordFile {
  const { model } = drafting;
  if (!hasGuidKey(model, type))
    throw new MetadataError(
      type.line,
      `the key of ${set.name} is ${keyOf(model, type).join(', ')}: records are known by a GUID \`id\`, the one column of their key.`,
    );
  // Columns that only filters can name are no columns of records.
  const properties = propertiesOf(model, type).filter(({ name }) => !/_FilterOnly$/.test(name));
  if (properties.length > recordFileLimits.fields)
    throw new MetadataError(
      type.line,
      `the type ${type.name} of ${set.name} has ${properties.length} columns; ${recordFileLimits.fields} is the maximum.`,
    );
  noteWrites(drafting, set, names);
  const columns = toColumns(drafting, {
    properties: properties.filter(({ name }) => name !== 'id'),
    key: keyOf(model, type),
    ownFields: ownFieldsOfRecords,
    set,
    type: names.type,
    noun: names.noun,
  });
  noteColumns(drafting, columns, names);
  const relations = toRelations(drafting, { type, set, columns, name: names.type });
  const { rows, enums } = toRows(drafting, type, { names, takeName: columns.takeName });
  noteOmissions(drafting, type, names);
  const { number } = columns.fields;
  const hasNumber = number?.kind === 'code' && number.canFilter !== false;
  return {
    version: 1,
    type: names.type,
    description: toSentence(describedBy(type.annotations) ?? names.withArticle),
    names: { one: names.one, many: names.many, ...(hasNumber && { byNumber: `${names.one}ByNumber` }) },
    texts: { one: names.withArticle, many: names.nouns },
    route,
    entitySet: set.name,
    fields: { ...columns.fields },
    ...some('enums', { ...columns.enums, ...enums }),
    ...some('relations', relations),
    ...some('rows', rows),
  };
}

const some = <Name extends string, Value extends object>(
  name: Name,
  value: Value,
): Partial<Record<Name, Value>> =>
  Object.keys(value).length > 0 ? ({ [name]: value } as Partial<Record<Name, Value>>) : {};

/** False where the metadata gives the set of a type of the graph another key: another service uses the name for other records. */
function isKeyedByGuid(model: Model, { entitySet }: KnownType): boolean {
  const set = model.entitySets.get(entitySet);
  return !set || hasGuidKey(model, entityType(model, set.type));
}

function findSet(model: Model, name: string): EntitySet {
  const set = model.entitySets.get(name);
  if (set && !set.isSingleton) return set;
  if (set)
    throw new MetadataError(
      set.line,
      `${name} is a singleton, which is no list of records. Name an entity set.`,
    );
  const others = [...model.entitySets.values()].filter(({ isSingleton }) => !isSingleton);
  const similar = others.find((each) =>
    [each.name, each.type.replace(/^.*\./, '')].some((one) => one.toLowerCase() === name.toLowerCase()),
  );
  const hint = similar ? `Did you mean ${similar.name}?` : `It has ${others.length} others.`;
  throw new MetadataError(1, `the metadata has no entity set ${JSON.stringify(name)}. ${hint}`);
}

/** Which columns a write takes and needs, no metadata says reliably. */
function noteWrites({ note }: Drafting, { annotations }: EntitySet, { type }: TypeNames): void {
  const allowed = [
    ['create', terms.insert, 'Insertable'],
    ['update', terms.update, 'Updatable'],
    ['delete', terms.remove, 'Deletable'],
  ].flatMap(([write = '', term = '', property = '']) =>
    restriction(annotations, term, property) === true ? [write] : [],
  );
  note(
    allowed.length === 0
      ? `${type}: read only. The metadata does not say that it takes writes.`
      : `${type}: read only. By the metadata it takes ${listed(allowed)}: add \`writes\` to the type and to the columns that take them, and \`isRequired\` to those that a create needs.`,
  );
}

function noteColumns({ note }: Drafting, { fields }: Columns, { type }: TypeNames): void {
  note(
    `${type}: descriptions say what the metadata says, or repeat the names. Reword them, the enums' members included.`,
  );
  note(
    `${type}: fields are filtered and sorted unless the metadata restricts them. Add \`canFilter: false\` and \`canSort: false\` to those that the upstream computes for each row.`,
  );
  const codes = Object.entries(fields).flatMap(([name, { kind }]) => (kind === 'code' ? [name] : []));
  if (codes.length > 0)
    note(
      `${type}, ${listed(codes)}: taken for codes, which the upstream has in upper case, by name and length.`,
    );
  if (fields.lastModifiedDateTime?.kind === 'dateTime')
    note(
      `${type}: changes are not watched. Add \`watched\` where the upstream has webhooks for the entity set.`,
    );
}

/** What the metadata has and the file has not. */
function noteOmissions({ model, note }: Drafting, type: EntityType, { type: name }: TypeNames): void {
  const rows = rowsOf(model, type);
  const lists = navigationsOf(model, type).filter((each) => each.isCollection && !rows.includes(each));
  if (lists.length > 0)
    note(
      `${name}: left out are the lists ${listed(lists)}. \`listedBy\` in the record file of what they list makes them.`,
    );
  const derived = [...model.types.values()].filter(
    (each) => each.kind === 'entity' && each.baseType === type.fullName,
  );
  if (derived.length > 0) note(`${name}: left out are the columns of the derived types ${listed(derived)}.`);
  const actions = model.actions.filter(({ entityType: bound }) => bound === type.fullName);
  if (actions.length > 0) note(`${name}: left out are the actions ${listed(actions)}.`);
  if (type.hasStream) note(`${name}: left out is the file that a record is itself, below \`$value\`.`);
  if (isOpen(model, type)) note(`${name}: records can have columns that the metadata does not list.`);
}
