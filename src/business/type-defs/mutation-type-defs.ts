import type { DocumentNode } from 'graphql';
import { parseDefinitions } from '../../graph/definition-keys.ts';
import type { RecordSet } from '../record-set.ts';
import type {
  LinesDescriptor,
  RecordAction,
  RecordNames,
  RecordTypeDescriptor,
  WriteName,
} from '../record-type.ts';
import { lineMutationNames, lineVerbs, maxMutationEntries, writeName } from '../writing/mutations.ts';

const verbs: Readonly<Record<WriteName, string>> = { create: 'create', update: 'change', delete: 'delete' };

/** The input of an entry of `batch`: a field for each mutation of one record. */
export const batchEntryDef = (recordTypes: readonly RecordTypeDescriptor[]): DocumentNode =>
  parseDefinitions(`
"One change: exactly one of these fields, with the input of the mutation of that name."
input BatchEntryInput @oneOf {
  ${recordTypes.flatMap(batchEntryFields).join('\n  ')}
}`);

const batchEntryFields = ({ names, list, writes = [] }: RecordTypeDescriptor): readonly string[] =>
  (names ? writes : []).map((write) => {
    const name = writeName(write, names as RecordNames);
    const text = `${capitalize(list.one)} to ${verbs[write]}, as with \`${name}\`.`;
    return `"${text}" ${name}: ${capitalize(name)}Input`;
  });

/** The mutations of the lines of each record type that has them, with their inputs and payloads. */
export const lineMutationDefs = (recordTypes: readonly RecordTypeDescriptor[]): DocumentNode =>
  parseDefinitions(
    recordTypes
      .flatMap(({ names, type, lines }) =>
        names && lines
          ? (Object.keys(lineVerbs) as WriteName[]).map((write) =>
              lineMutationDef(write, { names, type, lines }),
            )
          : [],
      )
      .join('\n'),
  );

interface LineTexts {
  readonly verb: string;
  readonly done: string;
  readonly gerund: string;
  /** What the description of the mutation says beyond what all have in common. */
  readonly note: (owner: string) => string;
  /** The fields of an entry; null where the lines' own input is the entry. */
  readonly entry: ((set: RecordSet) => string) | null;
  readonly line: string;
}

const keyDef = `
  "The line's GUID."
  id: UUID!
  "The \`etag\` of the line as it was read; \`*\` stands for any version."
  ifMatch: String!`;

const lineTexts: Readonly<Record<WriteName, LineTexts>> = {
  create: {
    verb: 'Add',
    done: 'added',
    gerund: 'adding',
    note: (owner) =>
      `A line is sent once: the upstream assigns its id, so it is never sent again. Returns OUTCOME_UNKNOWN when it was sent and it is unknown whether it was added: look for it among the lines of the ${owner} before you repeat the request.`,
    entry: null,
    line: 'The line as stored upstream; null when it was not added, or when the outcome is unknown.',
  },
  update: {
    verb: 'Change',
    done: 'changed',
    gerund: 'changing',
    note: () => 'Returns STALE_RECORD for a line that has changed since its `ifMatch` was read.',
    entry: (set) => `${keyDef}
  "The fields to change; \`null\` clears a field, an omitted field keeps its value."
  patch: ${set.type}Patch!`,
    line: 'The line as stored upstream; null when it could not be read.',
  },
  delete: {
    verb: 'Remove',
    done: 'removed',
    gerund: 'removing',
    note: () => 'Returns STALE_RECORD for a line that has changed since its `ifMatch` was read.',
    entry: () => keyDef,
    line: 'Null when the line was removed; otherwise the line as stored upstream, if it could be read.',
  },
};

interface LineOwner {
  readonly names: RecordNames;
  readonly type: string;
  readonly lines: LinesDescriptor;
}

function lineMutationDef(write: WriteName, { names, type, lines }: LineOwner): string {
  const { mutation, ownerKey } = lineMutationNames(write, lines);
  const { verb, done, gerund, note, entry, line } = lineTexts[write];
  const { set, owner } = lines;
  const stem = capitalize(mutation);
  const single = stem.replace(/s$/, '');
  const entryType = entry ? `${single}Input` : `${set.type}Input`;
  const entryDef = entry
    ? `"A line to ${verb.toLowerCase()}, named by its id and entity tag."\ninput ${entryType} {${entry(set)}\n}`
    : '';
  const limits = `1 to ${maxMutationEntries}`;
  return `
extend type Mutation {
  """
  ${verb} ${limits} lines of one sales ${owner} in one upstream batch, in the order of the entries, and return the ${owner} with its new totals.

  Without \`atomic\`, every line succeeds or fails by itself. ${note(owner)}

  BAD_USER_INPUT, and nothing is sent, where the upstream's lines have no addresses of their own.
  """
  ${mutation}("The ${owner} and its lines." input: ${stem}Input!): ${stem}Payload
}

"The lines to ${verb.toLowerCase()}, all of one sales ${owner}."
input ${stem}Input {
  "The company of the ${owner}; may be omitted where the deployment sets a default company."
  companyId: UUID
  "The GUID of the ${owner} that the lines belong to."
  ${ownerKey}: UUID!
  "The lines, ${limits}, in their order; any other count is BAD_USER_INPUT, and nothing is sent."
  entries: [${entryType}!]!
  "Whether to carry out all entries or none, in one transaction: if one fails, the others are CONFLICT. BAD_USER_INPUT, and nothing is sent, where the upstream has no transactions."
  atomic: Boolean! = false
}
${entryDef}
"The result of ${gerund} lines of a sales ${owner}."
type ${stem}Payload {
  "The ${owner} after the change, with its new totals and entity tag; null when it could not be read."
  ${names.one}: ${type}
  "One result for each entry, in the order of the entries."
  results: [${single}Result!]!
}

"The result of ${gerund} one line of a sales ${owner}."
type ${single}Result {
${
  write === 'delete'
    ? `  "The GUID of the line that was removed; null when it was not."\n  deletedId: UUID\n`
    : ''
}  "${line}"
  line: ${set.type}
  "Why it was not ${done}; empty when it was."
  userErrors: [UserError!]!
}`;
}

/** The mutations of the actions of each record type that has them, with their inputs and payloads. */
export function actionDefs(recordTypes: readonly RecordTypeDescriptor[]): DocumentNode {
  const namesOf = new Map(recordTypes.map(({ type, names }) => [type, names]));
  return parseDefinitions(
    recordTypes
      .flatMap(({ type, names, actions = [] }) =>
        names
          ? actions.map((action) => actionDef(action, type, names, namesOf.get(action.result?.type ?? '')))
          : [],
      )
      .join('\n'),
  );
}

function actionDef(
  { mutation, texts, result }: RecordAction,
  type: string,
  { one }: RecordNames,
  resultNames: RecordNames | undefined,
): string {
  const stem = capitalize(mutation);
  const { summary, record, after } = texts;
  const resultField =
    result && resultNames ? `  "${texts.result}"\n  ${resultNames.one}: ${result.type}\n` : '';
  return `
extend type Mutation {
  """
  ${summary}.

  The action is sent once, and never again: it could be carried out twice. Returns STALE_RECORD when ${record} has changed since \`ifMatch\` was read, and OUTCOME_UNKNOWN when the action was sent and the records do not show whether it was carried out. It may then still be running: look at the records again after ten minutes before you repeat the request.

  BAD_USER_INPUT, and nothing is sent, where the upstream has no actions.
  """
  ${mutation}("What to do it to." input: ${stem}Input!): ${stem}Payload
}

"What \`${mutation}\` is carried out on."
input ${stem}Input {
  "The company of ${record}; may be omitted where the deployment sets a default company."
  companyId: UUID
  "The GUID of ${record}."
  id: UUID!
  "The \`etag\` of ${record} as it was read; \`*\` stands for any version."
  ifMatch: String!
}

"The result of \`${mutation}\`."
type ${stem}Payload {
  "${after}"
  ${one}: ${type}
${resultField}  "Why it was not carried out, or why the outcome is unknown; empty when it was."
  userErrors: [UserError!]!
}`;
}

const capitalize = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1);
