import type { RecordTypeDescriptor } from '../record-type.ts';
import {
  type FileField,
  type FileMistake,
  fieldsOf,
  type Loaded,
  type RecordTypeFile,
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
  { file, content }: Loaded<RecordTypeFile>,
  files: readonly RecordTypeFile[],
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
    checkFields(shape.at, shape.fields, content, report);
    for (const [name, relation] of Object.entries(shape.relations ?? {}))
      checkRelation(`${shape.at}relations.${name}`, relation, shape.fields, types, report);
  }
  for (const [place, name] of Object.entries(content.names))
    if (name !== undefined && objectMembers.has(name))
      report(`names.${place}`, `\`${name}\` cannot be the name of a field. Choose another.`);
  for (const place of ['relations', 'rows', 'files'] as const)
    for (const name of Object.keys(content[place] ?? {})) checkName(`${place}.${name}`, name, report);
  checkEnums(content, report);
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

function checkFields(
  at: string,
  fields: Fields,
  { enums = {} }: Pick<RecordTypeFile, 'enums'>,
  report: Report,
): void {
  const columns = new Map<string, string>();
  for (const [name, field] of Object.entries(fields)) {
    const place = `${at}fields.${name}`;
    const { kind, enum: choice, column = name, writes = [], isRequired } = field;
    checkName(place, name, report);
    if (name === 'id' && (kind !== 'uuid' || column !== 'id'))
      report(place, 'The key `id` has the kind `uuid`, and no other column. Leave it out to have it so.');
    if (kind === 'choice' && choice === undefined)
      report(place, 'A choice needs `enum`, with the name of an entry in `enums`.');
    if (kind !== 'choice' && choice !== undefined)
      report(`${place}.enum`, 'Only the kind `choice` has an enum. Remove it.');
    if (choice !== undefined && !Object.hasOwn(enums, choice))
      report(`${place}.enum`, `\`enums\` has no \`${choice}\`. Add it, or correct the name.`);
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
  { type, idField, navigation }: NonNullable<RecordTypeFile['relations']>[string],
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

function checkEnums({ enums = {} }: Pick<RecordTypeFile, 'enums'>, report: Report): void {
  for (const [name, { members, unset }] of Object.entries(enums)) {
    const place = `enums.${name}`;
    const words = Object.values(members).map(({ word }) => word);
    if (words.length === 0) report(place, 'It has no members. Add them, or give its fields the kind `text`.');
    const repeated = words.find((word, index) => words.indexOf(word) !== index);
    if (repeated !== undefined)
      report(place, `Two members have the word ${JSON.stringify(repeated)}. Remove one of them.`);
    if (unset !== undefined && !words.includes(unset))
      report(
        `${place}.unset`,
        `No member has the word ${JSON.stringify(unset)}. Add one, or remove \`unset\`.`,
      );
  }
}

function checkOwnerFields({ rows = {} }: RecordTypeFile, fields: Fields, report: Report): void {
  for (const [name, row] of Object.entries(rows)) {
    for (const field of Object.keys(row.ownerFields ?? {})) {
      const kind = fields[field]?.kind;
      if (kind === undefined || kind === 'choice' || Object.hasOwn(row.fields, field))
        report(
          `rows.${name}.ownerFields.${field}`,
          `The record needs a column \`${field}\` that is no choice, and the row none. Correct it, or leave it out.`,
        );
    }
  }
}

/** What a type can do depends on certain fields. */
function checkAbilities(content: RecordTypeFile, fields: Fields, report: Report): void {
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
  { listedBy = {} }: RecordTypeFile,
  fields: Fields,
  files: readonly RecordTypeFile[],
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
