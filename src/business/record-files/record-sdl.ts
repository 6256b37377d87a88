import type { RecordNames, RecordTypeDescriptor, WriteName } from '../record-type.ts';
import { writeNames } from '../writing/mutations.ts';
import { type FileField, fieldsOf, type RecordFile } from './record-file.ts';

type Fields = Readonly<Record<string, FileField>>;

/** A string of GraphQL: its escapes are those of JSON. */
const quote = (text: string): string => JSON.stringify(text);

/** The first clause of a description: what follows a semicolon is about values that are read. */
const clauseOf = (description: string): string => description.replace(/(?:;.*|\.)$/s, '');

const capitalize = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1);

/** `a purchase order` as it is called once it is known: `purchase order`. */
const nounOf = ({ texts }: RecordFile): string => texts.one.replace(/^(?:an?|the) /i, '');

const scalars = {
  text: 'String',
  code: 'String',
  word: 'String',
  wordOrBlank: 'String',
  uuid: 'UUID',
  date: 'Date',
  dateTime: 'DateTime',
  decimal: 'Decimal',
  int: 'Int',
  safeInt: 'SafeInt',
  boolean: 'Boolean',
  object: 'JSON',
} as const satisfies Record<FileField['kind'], string>;

/** The type of a field's values in the graph. */
const typeOf = ({ kind }: FileField): string => scalars[kind];

/** The argument or the input field that names one record, without `!`. */
const idSdl = (file: RecordFile): string => `"The ${nounOf(file)}'s GUID." id: UUID`;

/** The SDL of what a file says of its records: their fields, and those of companies and owners that lead to them. */
export function recordTypeSdl(file: RecordFile, { list }: RecordTypeDescriptor): string {
  const fields = Object.entries(fieldsOf(file));
  const { unfilterable = [], sortOnly = [], filterOnly = [] } = list;
  const canFilter = fields.length > unfilterable.length + sortOnly.length;
  const canSort = fields.length > unfilterable.length + filterOnly.length;
  const listArguments = `
    "How many to return, 1 to 1000."
    first: Int = 50
    "The cursor to continue after, taken from an earlier page of the same list, filter and order."
    after: String
    ${canFilter ? `"Which rows to return; all when omitted." filter: ${file.type}Filter` : ''}
    ${canSort ? `"The sort keys, most significant first; the upstream's order when omitted." orderBy: [${file.type}Sort!]` : ''}`;
  const listField = (description: string) =>
    `${quote(description)} ${file.names.many}(${listArguments}): ${file.type}Connection`;
  const owners = Object.entries(file.listedBy ?? {}).map(
    ([owner, { description }]) => `extend type ${owner} { ${listField(description)} }`,
  );
  return [companySdl(file, listField), typeSdl(file), ...rowSdl(file), ...owners].join('\n\n');
}

function companySdl(file: RecordFile, listField: (description: string) => string): string {
  const { type, names, texts } = file;
  const noun = nounOf(file);
  const byNumber = names.byNumber
    ? `"One ${noun} by the number shown to users; null when there is none."
  ${names.byNumber}("As users know it; case makes no difference." number: String!): ${type}`
    : '';
  return `extend type Company {
  "One ${noun} by id; null when there is none."
  ${names.one}(${idSdl(file)}!): ${type}
  ${byNumber}
  ${listField(`The company's ${texts.many}, in the upstream's order unless \`orderBy\` is given.`)}
}`;
}

function typeSdl(file: RecordFile): string {
  const { type, description, names, writes = [], rows = {}, files = {} } = file;
  const { id, ...others } = fieldsOf(file);
  const isVersioned = writes.some((write) => write !== 'create');
  const etag = isVersioned ? 'to pass as `ifMatch`' : null;
  const rowFields = Object.entries(rows).map(
    ([field, row]) => `${quote(row.description)} ${field}: [${row.type}!]`,
  );
  const fileFields = Object.entries(files).map(([field, one]) => `${quote(one.description)} ${field}: File`);
  return `${quote(description)}
type ${type} @key(fields: "companyId id")${names.byNumber ? ' @key(fields: "companyId number")' : ''} {
  "The company the record belongs to."
  companyId: UUID!
  "The company the record belongs to, with its other records."
  company: Company
  ${quote(id.description)}
  id: UUID!
  "The record's entity tag${etag ? `, ${etag}` : '; it changes whenever the record changes'}."
  etag: String
  ${fieldSdl(others, file.relations)}
  ${[...rowFields, ...fileFields].join('\n  ')}
}`;
}

/** Columns, each with the record that its id leads to behind it; then the records that nothing but `$expand` leads to. */
function fieldSdl(
  fields: Readonly<Record<string, FileField>>,
  relations: RecordFile['relations'] = {},
): string {
  const relationSdl = ([name, { type, description }]: [string, { type: string; description: string }]) =>
    `${quote(description)} ${name}: ${type}`;
  const all = Object.entries(relations);
  const lines = Object.entries(fields).flatMap(([name, field]) => [
    `${quote(field.description)} ${name}: ${typeOf(field)}`,
    ...all.filter(([, { idField }]) => idField === name).map(relationSdl),
  ]);
  return [...lines, ...all.filter(([, { idField }]) => !idField || !fields[idField]).map(relationSdl)].join(
    '\n  ',
  );
}

const rowSdl = ({ fields: ofRecord, rows = {} }: RecordFile): readonly string[] =>
  Object.values(rows).map(({ type, rowDescription, fields, ownerFields = {}, relations }) => {
    const shown = Object.entries(ownerFields).map(
      ([name, description]) => `${quote(description)} ${name}: ${typeOf(ofRecord[name] as FileField)}`,
    );
    return `${quote(rowDescription)}\ntype ${type} {\n  ${[fieldSdl(fields, relations), ...shown].join('\n  ')}\n}`;
  });

/** The SDL of the mutations of one record, with their inputs and payloads; '' for records that are only read. */
export function writeSdl(file: RecordFile): string {
  const { writes = [] } = file;
  return [...new Set(writes)].map((write) => sdlOf[write](file)).join('\n\n');
}

const sdlOf: Readonly<Record<WriteName, (file: RecordFile) => string>> = {
  create: createSdl,
  update: updateSdl,
  delete: deleteSdl,
};

const company = (noun: string) =>
  `"The ${noun}'s company; may be omitted where the deployment sets a default company." companyId: UUID`;

const clientIdSdl = (file: RecordFile): string =>
  `"A client-supplied GUID; generated when omitted. Where the upstream keeps it, sending the same create twice creates one ${nounOf(file)}, and the second is \`ALREADY_EXISTS\` with the existing one; other upstreams assign their own id."
  id: UUID`;

const namesOf = ({ names }: RecordFile, write: WriteName) => {
  const { single } = writeNames(write, names as RecordNames);
  return { single, type: capitalize(single) };
};

function createSdl(file: RecordFile): string {
  const { texts, names, fields, rows = {} } = file;
  const noun = nounOf(file);
  const { single, type } = namesOf(file, 'create');
  const created = Object.entries(rows).filter(([, row]) => writable(row.fields, 'create').length > 0);
  const rowFields = created.map(
    ([field, row]) =>
      `${quote(`${clauseOf(row.description)}; created together with the ${noun}.`)} ${field}: [${row.type}Input!]`,
  );
  const rowInputs = created.map(
    ([
      ,
      row,
    ]) => `${quote(`${clauseOf(row.rowDescription)}, to create. Omitted fields are derived by the upstream, or stay unset.`)}
input ${row.type}Input {
  ${inputSdl(row.fields, 'create')}
}`,
  );
  const summary = `Create ${texts.one}${created.length > 0 ? `, all of its ${created.map(([field]) => `\`${field}\``).join(' and ')} with it` : ''}.`;
  return `extend type Mutation {
  """
  ${summary}

  Retried only where the upstream is proven to keep client-supplied ids. Returns OUTCOME_UNKNOWN when the request was sent and it is unknown whether the ${noun} was created: look for it before you repeat the request.
  """
  ${single}("The company to create it in, and its values." input: ${type}Input!): ${type}Payload
}

${quote(`${capitalize(texts.one)} to create. Omitted and \`null\` fields stay unset, or get the upstream's default.`)}
input ${type}Input {
  ${company(noun)}
  ${clientIdSdl(file)}
  ${inputSdl(fields, 'create')}
  ${rowFields.join('\n  ')}
}

${rowInputs.join('\n\n')}

"The result of creating ${texts.one}."
type ${type}Payload {
  "The ${noun} as stored upstream: the one created, or the existing one with the client-supplied \`id\`; null when there is none, or when the outcome is unknown."
  ${names.one}: ${file.type}
  "Why it was not created; empty when it was."
  userErrors: [UserError!]!
}`;
}

function updateSdl(file: RecordFile): string {
  const { texts, names, fields } = file;
  const noun = nounOf(file);
  const { single, type } = namesOf(file, 'update');
  return `extend type Mutation {
  """
  Change ${texts.one}. Omitted fields keep their value or are recalculated by the upstream.

  Returns STALE_RECORD, and changes nothing, when the record has changed since \`ifMatch\` was read.
  """
  ${single}("The ${noun}, its entity tag and its new values." input: ${type}Input!): ${type}Payload
}

"The ${noun} to change, and its new values."
input ${type}Input {
  ${company(noun)}
  ${idSdl(file)}!
  "The \`etag\` of the version that the change is based on; \`*\` overwrites any version."
  ifMatch: String!
  "The fields to change; \`null\` clears a field, an omitted field keeps its value."
  patch: ${file.type}Patch!
}

"The fields of ${texts.one} that can be changed. Fields that always have a value, such as numbers, do not accept \`null\`."
input ${file.type}Patch {
  ${inputSdl(fields, 'update')}
}

"The result of changing ${texts.one}."
type ${type}Payload {
  "The ${noun} as stored upstream; null when it could not be read."
  ${names.one}: ${file.type}
  "Why it was not changed; empty when it was."
  userErrors: [UserError!]!
}`;
}

function deleteSdl(file: RecordFile): string {
  const { texts, names } = file;
  const noun = nounOf(file);
  const { single, type } = namesOf(file, 'delete');
  return `extend type Mutation {
  """
  Delete ${texts.one} permanently. The upstream may refuse it.

  Returns STALE_RECORD, and deletes nothing, when the record has changed since \`ifMatch\` was read.
  """
  ${single}("The ${noun} and its entity tag." input: ${type}Input!): ${type}Payload
}

"Which ${noun} to delete."
input ${type}Input {
  ${company(noun)}
  ${idSdl(file)}!
  "The \`etag\` of the version to delete; \`*\` deletes any version."
  ifMatch: String!
}

"The result of deleting ${texts.one}."
type ${type}Payload {
  "The \`id\` of the ${noun} that was deleted; null when it was not."
  deletedId: UUID
  "The \`nodeId\` of the ${noun} that was deleted, to remove it from a cache; null when it was not."
  deletedNodeId: ID
  "Null when the ${noun} was deleted; otherwise the ${noun} as stored upstream, if it could be read."
  ${names.one}: ${file.type}
  "Why it was not deleted; empty when it was."
  userErrors: [UserError!]!
}`;
}

/** Fields that a write takes; `id` has an argument of its own. */
export const writable = (fields: Fields, write: 'create' | 'update'): readonly [string, FileField][] =>
  Object.entries(fields).filter(([name, field]) => name !== 'id' && field.writes?.includes(write));

/** The fields of an input. */
const inputSdl = (fields: Fields, write: 'create' | 'update'): string =>
  writable(fields, write)
    .map(([name, field]) => {
      const isRequired = write === 'create' && field.isRequired === true;
      return `${quote(`${clauseOf(field.description)}.`)} ${name}: ${typeOf(field)}${isRequired ? '!' : ''}`;
    })
    .join('\n  ');
