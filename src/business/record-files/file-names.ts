import { type DefinitionNode, type DocumentNode, Kind } from 'graphql';
import { addInputEnums } from '../../graph/input-enums.ts';
import type { RecordTypeDescriptor } from '../record-type.ts';
import { addListsAndBulkWrites } from '../type-defs/record-type-defs.ts';
import type { FileMistake, Loaded, RecordTypeFile } from './record-file.ts';

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

interface DescribedFile extends Loaded<RecordTypeFile> {
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
  content: RecordTypeFile,
  recordType: RecordTypeDescriptor,
  typeDefs: DocumentNode,
): readonly string[] {
  return listNames(
    addInputEnums([addListsAndBulkWrites(typeDefs, [recordType], new Map([[content.type, recordType]]))]),
  );
}

/** What in the file a name of the graph comes from. */
const placeOf = (name: string, content: RecordTypeFile): string =>
  placeOfEnum(name, content) ?? placeInType(name, content);

function placeOfEnum(name: string, { enums = {} }: RecordTypeFile): string | null {
  const [of, member] = name.split('.') as [string, string | undefined];
  const choice = Object.keys(enums).find(
    (one) => of === one || of === `${one}Input` || of === `${one}Filter`,
  );
  if (choice === undefined) return null;
  return member === undefined ? `enums.${choice}` : `enums.${choice}.members.${member}`;
}

function placeInType(
  name: string,
  { type, names, fields, relations = {}, rows = {}, files = {}, listedBy = {} }: RecordTypeFile,
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
