import type { RecordTypeDescriptor } from '../record-type.ts';
import { fieldsOf } from './file-descriptor.ts';
import type { FileField, RecordTypeFile } from './record-file.ts';
import { idSdl, nounOf, quote, typeOf } from './sdl-text.ts';

/** The SDL of what a file says of its records: their fields, and those of companies and owners that lead to them. */
export function recordTypeSdl(file: RecordTypeFile, { list }: RecordTypeDescriptor): string {
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
  return [companySdl(file, listField), typeSdl(file), ...rowSdl(file), ...enumSdl(file), ...owners].join(
    '\n\n',
  );
}

function companySdl(file: RecordTypeFile, listField: (description: string) => string): string {
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

function typeSdl(file: RecordTypeFile): string {
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
  relations: RecordTypeFile['relations'] = {},
): string {
  const relationSdl = ([name, { type, description }]: [string, { type: string; description: string }]) =>
    `${quote(description)} ${name}: ${type}`;
  const all = Object.entries(relations);
  const lines = Object.entries(fields).flatMap(([name, field]) => [
    `${quote(field.description)} ${name}: ${typeOf(field)}`,
    ...(field.kind === 'choice' ? [`"The upstream's value of \`${name}\`." ${name}Raw: String`] : []),
    ...all.filter(([, { idField }]) => idField === name).map(relationSdl),
  ]);
  return [...lines, ...all.filter(([, { idField }]) => !idField || !fields[idField]).map(relationSdl)].join(
    '\n  ',
  );
}

const rowSdl = ({ fields: ofRecord, rows = {} }: RecordTypeFile): readonly string[] =>
  Object.values(rows).map(({ type, rowDescription, fields, ownerFields = {}, relations }) => {
    const shown = Object.entries(ownerFields).map(
      ([name, description]) => `${quote(description)} ${name}: ${typeOf(ofRecord[name] as FileField)}`,
    );
    return `${quote(rowDescription)}\ntype ${type} {\n  ${[fieldSdl(fields, relations), ...shown].join('\n  ')}\n}`;
  });

function enumSdl({
  fields,
  rows = {},
  enums = {},
}: Pick<RecordTypeFile, 'fields' | 'rows' | 'enums'>): readonly string[] {
  const everyField = [fields, ...Object.values(rows).map((row) => row.fields)].flatMap(Object.entries);
  return Object.entries(enums).map(([name, { description, members }]) => {
    const [user] = everyField.find(([, field]) => (field as FileField).enum === name) ?? [];
    const raw = user === undefined ? '' : `; see \`${user}Raw\``;
    const values = Object.entries(members).map(([member, one]) => `${quote(one.description)} ${member}`);
    return `${quote(description)}
enum ${name} {
  ${values.join('\n  ')}
  "A value that this version of the graph does not know${raw}."
  UNRECOGNIZED
}`;
  });
}
