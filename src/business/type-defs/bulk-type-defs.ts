import { type DocumentNode, Kind, parse } from 'graphql';
import type { RecordNames, RecordTypeDescriptor, WriteName } from '../record-type.ts';
import { maxMutationEntries, type WriteNames, writeNames } from '../writing/mutations.ts';

/** Adds to a document the mutations of several records, with their inputs and payloads, for those of one in it. */
export function addBulkTypeDefs(
  document: DocumentNode,
  recordTypes: readonly RecordTypeDescriptor[],
): DocumentNode {
  const defined = new Set(
    document.definitions.flatMap((definition) =>
      definition.kind === Kind.OBJECT_TYPE_EXTENSION && definition.name.value === 'Mutation'
        ? (definition.fields ?? []).map(({ name }) => name.value)
        : [],
    ),
  );
  const added = recordTypes.flatMap((recordType) => {
    const { names, writes = [] } = recordType;
    if (!names) return [];
    return writes
      .filter((write) => defined.has(writeNames(write, names).single))
      .flatMap((write) => parse(bulkTypeDefs(recordType, write, writeNames(write, names))).definitions);
  });
  return { ...document, definitions: [...document.definitions, ...added] };
}

interface BulkTexts {
  readonly verb: string;
  /** What the result of an entry is the result of. */
  readonly gerund: string;
  readonly input: (many: string) => string;
  readonly entries: (many: string) => string;
}

const textsOf: Readonly<Record<WriteName, BulkTexts>> = {
  create: {
    verb: 'Create',
    gerund: 'creating',
    input: (many) => `The values of the new ${many}.`,
    entries: (many) => `The ${many} to create`,
  },
  update: {
    verb: 'Change',
    gerund: 'changing',
    input: (many) => `The ${many} to change, and their new values.`,
    entries: () => 'The changes',
  },
  delete: {
    verb: 'Delete',
    gerund: 'deleting',
    input: (many) => `Which ${many} to delete.`,
    entries: (many) => `The ${many} to delete`,
  },
};

function bulkTypeDefs(
  { list: { many }, relations = {} }: RecordTypeDescriptor,
  write: WriteName,
  { single, bulk }: WriteNames,
): string {
  const { verb, gerund, input, entries } = textsOf[write];
  const [one, several] = [single, bulk].map(capitalize);
  const hasLines = write === 'create' && Object.values(relations).some(({ isMany }) => isMany);
  const limits = `1 to ${maxMutationEntries}`;
  return `
extend type Mutation {
  """
  ${verb} ${limits} ${many} in one upstream batch, each ${hasLines ? 'with its lines, and ' : ''}with a result like that of \`${single}\`.

  Not atomic: every entry succeeds or fails by itself${hasLines ? ', all of its lines with it' : ''}.
  """
  ${bulk}(
    "${entries(many)}, one entry for each."
    input: ${several}Input!
  ): ${several}Payload
}

"${input(many)}"
input ${several}Input {
  "${entries(many)}, ${limits}; any other count is BAD_USER_INPUT, and nothing is sent."
  entries: [${one}Input!]!
}

"The result of ${gerund} several ${many}."
type ${several}Payload {
  "One result for each entry, in the order of the entries."
  results: [${one}Payload!]!
}`;
}

/** The input of an entry of `batch`: a field for each mutation of one record. */
export const batchEntryDef = (recordTypes: readonly RecordTypeDescriptor[]): DocumentNode =>
  parse(`
"One change: exactly one of these fields, with the input of the mutation of that name."
input BatchEntryInput @oneOf {
  ${recordTypes.flatMap(batchEntryFields).join('\n  ')}
}`);

const batchEntryFields = ({ names, list, writes = [] }: RecordTypeDescriptor): readonly string[] =>
  (names ? writes : []).map((write) => {
    const { single } = writeNames(write, names as RecordNames);
    const text = `${capitalize(list.one)} to ${textsOf[write].verb.toLowerCase()}, as with \`${single}\`.`;
    return `"${text}" ${single}: ${capitalize(single)}Input`;
  });

const capitalize = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1);
