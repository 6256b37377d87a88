import { type DefinitionNode, type DocumentNode, Kind } from 'graphql';
import type { RecordTypeDescriptor } from '../record-type.ts';
import { addListsAndBulkWrites } from '../type-defs/record-type-defs.ts';
import {
  type FileField,
  type FileMistake,
  fieldsOf,
  type LoadedFile,
  type RecordFile,
} from './record-file.ts';
import { writable } from './record-sdl.ts';

type Fields = Readonly<Record<string, FileField>>;
/** The names of the types that a relation can lead to. */
type Types = ReadonlySet<string>;
type Report = (place: string, message: string) => void;

/** Fields that every record has beside its columns. */
const reservedFields = new Set(['companyId', 'company', 'etag', 'nodeId']);
/** Every object of JavaScript has these: one of a record would be hidden by them. */
const objectMembers = new Set(Object.getOwnPropertyNames(Object.prototype));

const textKinds = ['text', 'code'];

/** What is wrong with a file beyond its format: rules within it, and names that lead to nothing. */
export function findRuleMistakes(
  { file, content }: LoadedFile,
  files: readonly RecordFile[],
  existing: readonly RecordTypeDescriptor[],
): readonly FileMistake[] {
  const mistakes: FileMistake[] = [];
  const report: Report = (place, message) => mistakes.push({ file, place, message });
  const types: Types = new Set([...files, ...existing.filter(({ names }) => names)].map(({ type }) => type));
  const fields = fieldsOf(content);
  const { rows = {}, relations } = content;
  const shapes = [
    { at: '', fields, relations },
    ...Object.entries(rows).map(([name, row]) => ({ at: `rows.${name}.`, ...row })),
  ];
  for (const shape of shapes) {
    checkFields(shape.at, shape.fields, report);
    for (const [name, relation] of Object.entries(shape.relations ?? {}))
      checkRelation(`${shape.at}relations.${name}`, relation, shape.fields, types, report);
  }
  for (const [place, name] of Object.entries(content.names))
    if (name !== undefined && objectMembers.has(name))
      report(`names.${place}`, `\`${name}\` cannot be the name of a field. Choose another.`);
  for (const place of ['relations', 'rows', 'files'] as const)
    for (const name of Object.keys(content[place] ?? {})) checkName(`${place}.${name}`, name, report);
  checkOwnerFields(content, fields, report);
  checkAbilities(content, fields, report);
  checkOwners(content, fields, files, types, report);
  return mistakes;
}

function checkName(place: string, name: string, report: Report): void {
  if (reservedFields.has(name))
    report(
      place,
      `Every record has a field \`${name}\`. Choose another name; \`column\` keeps the upstream's.`,
    );
  else if (objectMembers.has(name))
    report(
      place,
      `\`${name}\` cannot be the name of a field. Choose another; \`column\` keeps the upstream's.`,
    );
}

function checkFields(at: string, fields: Fields, report: Report): void {
  const columns = new Map<string, string>();
  for (const [name, field] of Object.entries(fields)) {
    const place = `${at}fields.${name}`;
    const { kind, column = name, writes = [], isRequired } = field;
    checkName(place, name, report);
    if (name === 'id' && (kind !== 'uuid' || column !== 'id'))
      report(place, 'The key `id` has the kind `uuid`, and no other column. Leave it out to have it so.');
    if (kind === 'object' && writes.length > 0)
      report(`${place}.writes`, 'Fields of the kind `object` can only be read. Leave it out.');
    if (isRequired && !writes.includes('create'))
      report(`${place}.isRequired`, 'No create takes it. Leave it out, or add `create` to `writes`.');
    const other = columns.get(column);
    if (other !== undefined)
      report(place, `\`${other}\` reads the column \`${column}\`, too. Remove one of the two.`);
    columns.set(column, name);
  }
}

function checkRelation(
  place: string,
  { type, idField, navigation }: NonNullable<RecordFile['relations']>[string],
  fields: Fields,
  types: Types,
  report: Report,
): void {
  if (!types.has(type))
    report(`${place}.type`, `There is no record type \`${type}\`. Correct it, or add its file.`);
  if (idField === undefined && navigation === undefined)
    report(place, 'Nothing leads to the record. Give `idField`, `navigation`, or both.');
  if (idField === undefined) return;
  const kind = fields[idField]?.kind;
  if (kind === undefined)
    report(`${place}.idField`, `There is no field \`${idField}\`. Correct the name, or add the field.`);
  else if (kind !== 'uuid')
    report(
      `${place}.idField`,
      `The field \`${idField}\` has the kind \`${kind}\`; it leads to a \`${type}\` only if it is \`uuid\`.`,
    );
}

function checkOwnerFields({ rows = {} }: RecordFile, fields: Fields, report: Report): void {
  for (const [name, row] of Object.entries(rows)) {
    for (const field of Object.keys(row.ownerFields ?? {})) {
      const kind = fields[field]?.kind;
      if (kind === undefined || Object.hasOwn(row.fields, field))
        report(
          `rows.${name}.ownerFields.${field}`,
          `The record needs a column \`${field}\`, and the row none. Correct it, or leave it out.`,
        );
    }
  }
}

/** What a type can do depends on certain fields. */
function checkAbilities(content: RecordFile, fields: Fields, report: Report): void {
  const { names, watched, writes = [] } = content;
  const isText = textKinds.includes(fields.number?.kind ?? '');
  if (names.byNumber !== undefined && !(isText && fields.number?.canFilter !== false))
    report(
      'names.byNumber',
      'It needs a field `number` with the kind `code` or `text` that can be filtered. Remove it, or add the field.',
    );
  const { kind, canFilter, canSort } = fields.lastModifiedDateTime ?? {};
  if (watched && (kind !== 'dateTime' || canFilter === false || canSort === false))
    report(
      'watched',
      'Changes are found by a field `lastModifiedDateTime` with the kind `dateTime` that can be filtered and sorted. Remove it, or add the field.',
    );
  if (writes.includes('update') && writable(content.fields, 'update').length === 0)
    report('writes', 'No field can be changed. Give `writes: ["update"]` to some, or remove `update` here.');
}

function checkOwners(
  { listedBy = {} }: RecordFile,
  fields: Fields,
  files: readonly RecordFile[],
  types: Types,
  report: Report,
): void {
  for (const [owner, list] of Object.entries(listedBy)) {
    const place = `listedBy.${owner}`;
    if (!types.has(owner)) {
      report(place, `There is no record type \`${owner}\`. Correct it, or add its file.`);
      continue;
    }
    const ownerFile = files.find(({ type }) => type === owner);
    const ownerFields: Fields = ownerFile ? fieldsOf(ownerFile) : { id: { kind: 'uuid', description: '' } };
    const pairs = Object.entries(list.fields);
    if (pairs.length === 0)
      report(
        `${place}.fields`,
        'It is empty. Name a field of these records, and the one of the owner that it equals.',
      );
    for (const [field, source] of pairs) {
      const at = `${place}.fields.${field}`;
      const [own, owned] = [fields[field], ownerFields[source]];
      if (!own) report(at, `There is no field \`${field}\`. Correct the name, or add the field.`);
      else if (own.canFilter === false)
        report(at, `\`${field}\` cannot be filtered, so it finds nothing. Remove the list.`);
      else if (!owned)
        report(
          at,
          ownerFile
            ? `\`${owner}\` has no field \`${source}\`.`
            : `Records of \`${owner}\` can list others by their \`id\` only.`,
        );
      else if (!isComparable(own.kind, owned.kind))
        report(
          at,
          `It compares the kinds \`${own.kind}\` and \`${owned.kind}\`. Both have to be the same, or texts.`,
        );
    }
  }
}

const isComparable = (own: FileField['kind'], source: FileField['kind']): boolean =>
  textKinds.includes(own) ? textKinds.includes(source) : own === source && own !== 'object';

/** Names that no document defines: GraphQL's own, the roots, what routers give a meaning to, and what every `Node` has. */
const reservedNames = [
  'Query',
  'Mutation',
  'Subscription',
  'String',
  'Int',
  'Float',
  'Boolean',
  'ID',
  'Entity',
  'Service',
  'Company.nodeId',
];

/** The names that documents define: `Vendor`, `Vendor.city`, `VendorStatus.OPEN`. A name that is defined twice is there twice. */
export const listNames = (documents: readonly DocumentNode[]): readonly string[] =>
  documents.flatMap(({ definitions }) => definitions.flatMap(namesOfDefinition));

function namesOfDefinition(node: DefinitionNode): readonly string[] {
  if (!('name' in node) || !node.name || node.kind === Kind.DIRECTIVE_DEFINITION) return [];
  const type = node.name.value;
  const fields = 'fields' in node ? (node.fields ?? []) : [];
  const values = 'values' in node ? (node.values ?? []) : [];
  const members = [...fields, ...values].map(({ name }) => `${type}.${name.value}`);
  return /Extension$/.test(node.kind) ? members : [type, ...members];
}

interface DescribedFile extends LoadedFile {
  readonly recordType: RecordTypeDescriptor;
  readonly typeDefs: DocumentNode;
}

/** The names of files that the graph, another file, or the same one has already: those that derive from it included. */
export function findNameMistakes(
  files: readonly DescribedFile[],
  existing: ReadonlySet<string>,
): readonly FileMistake[] {
  const owners = new Map<string, string | null>(reservedNames.map((name) => [name, null]));
  return files.flatMap(({ file, content, recordType, typeDefs }) => {
    const clashes = new Map<string, FileMistake>();
    let derivesFromClash = false;
    const skipped = new Set<string>();
    for (const name of definedNames(content, recordType, typeDefs)) {
      const other = existing.has(name) ? null : owners.get(name);
      if (other === undefined) {
        owners.set(name, file);
        continue;
      }
      const type = name.split('.')[0] as string;
      const place = placeOf(name, content);
      // What stands in such a type, or derives from it, is no mistake of its own.
      if (name !== type && (clashes.has(type) || skipped.has(type))) continue;
      if (place === 'type' && derivesFromClash) {
        skipped.add(type);
        continue;
      }
      derivesFromClash ||= place === 'type';
      const where = other === null ? 'in the graph' : other === file ? 'in this file' : `in ${other}`;
      clashes.set(name, { file, place, message: `\`${name}\` is already ${where}. Choose another name.` });
    }
    return [...clashes.values()];
  });
}

function definedNames(
  content: RecordFile,
  recordType: RecordTypeDescriptor,
  typeDefs: DocumentNode,
): readonly string[] {
  return listNames([addListsAndBulkWrites(typeDefs, [recordType], new Map([[content.type, recordType]]))]);
}

/** What in the file a name of the graph comes from. */
function placeOf(
  name: string,
  { type, names, fields, relations = {}, rows = {}, files = {}, listedBy = {} }: RecordFile,
): string {
  const [of, member] = name.split('.') as [string, string | undefined];
  const row = Object.keys(rows).find((one) => of === rows[one]?.type || of === `${rows[one]?.type}Input`);
  if (row !== undefined) return member === undefined ? `rows.${row}.type` : `rows.${row}.fields.${member}`;
  if (of === 'Company')
    return `names.${Object.entries(names).find(([, field]) => field === member)?.[0] ?? 'many'}`;
  if (of === 'Mutation') return 'names';
  if (Object.hasOwn(listedBy, of) && of !== type) return `listedBy.${of}`;
  if (member === undefined) return 'type';
  // Filters and inputs have the names of fields, too, beside their own such as `and`.
  const within = { fields, relations, rows, files };
  const [place = of === type ? 'fields' : null] = Object.entries(within).flatMap(([each, entries]) =>
    Object.hasOwn(entries, member) ? [each] : [],
  );
  return place === null ? 'type' : `${place}.${member}`;
}
