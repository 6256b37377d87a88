import type { DefinitionNode, InputValueDefinitionNode } from 'graphql';
import { field, input, inputType, mutation, objectType } from '../../graph/definitions.ts';
import { lineMutationName, maxMutationEntries } from '../mutations/mutations.ts';
import {
  columnsOf,
  type Declarations,
  type DeclaredField,
  type DeclaredType,
  namesOf,
} from './declarations.ts';
import { capitalize, clauseOf, nounOf, ownerWord, toPhrase } from './words.ts';

/** The argument or input field with the id of a record. */
export const idInput = (noun: string) => input(`The ${noun}'s GUID.`, 'id', 'UUID!');

const companyInput = (noun: string) =>
  input(
    `The ${noun}'s company; may be omitted where the deployment sets a default company.`,
    'companyId',
    'UUID',
  );

const userErrorsField = (description: string) => field(description, 'userErrors', '[UserError!]!');

const changeErrorsField = userErrorsField(
  'Why it was not changed, or why the outcome is unknown; empty when it was changed.',
);

const patchInput = (type: DeclaredType) =>
  input(
    'The fields to change; `null` clears a field, an omitted field keeps its value.',
    'patch',
    `${type.name}Patch!`,
  );

/** Derives the mutations of a record type, with their inputs and payloads. */
export function deriveMutations(type: DeclaredType, { types }: Declarations): readonly DefinitionNode[] {
  const writes = type.record?.write ?? [];
  const rowTypes = type.fields.flatMap((one) => {
    const rows = one.relation && one.isList ? types.get(one.type) : undefined;
    return rows ? [{ field: one, rows }] : [];
  });
  const isChanged = writes.some((write) => write !== 'DELETE') || type.actions.some(({ result }) => !result);
  return [
    ...(isChanged ? [definePayload(type)] : []),
    ...(writes.includes('CREATE') ? defineCreate(type, rowTypes) : []),
    ...(writes.includes('UPDATE') ? defineUpdate(type) : []),
    ...(writes.includes('DELETE') ? defineDelete(type) : []),
    ...rowTypes.flatMap(({ rows }) => defineLineMutations(rows, type)),
    ...type.actions.flatMap((action) => defineAction(action, type, types)),
  ];
}

/** The payload of creates, updates, and actions that create no document. */
function definePayload(type: DeclaredType): DefinitionNode {
  const noun = toPhrase(type.name);
  return objectType(`The result of changing ${nounOf(type)}.`, payloadOf(type), [
    field(
      `The ${noun} as stored upstream: the one created or changed, or the existing one with the client-supplied \`id\`; null when there is none, or when it could not be read.`,
      namesOf(type).one,
      type.name,
    ),
    changeErrorsField,
  ]);
}

const payloadOf = ({ name }: DeclaredType): string => `${name}Payload`;

const withNote = (text: string, note: string | undefined): string =>
  note === undefined ? text : `${text} ${note}`;

/** The columns that a create or update accepts, as fields of its input. */
const writableInputs = (
  type: DeclaredType,
  write: 'CREATE' | 'UPDATE',
): readonly InputValueDefinitionNode[] =>
  columnsOf(type)
    .filter(({ name, column }) => name !== 'id' && column.write.includes(write))
    .map(({ name, type: scalar, description, column, note }) => {
      const more = write === 'CREATE' ? note.create : note.update;
      const clause = clauseOf(description);
      const text = more === undefined ? `${clause}.` : `${clause}; ${more}.`;
      return input(text, name, `${scalar}${write === 'CREATE' && column.required ? '!' : ''}`);
    });

const canBeCreated = ({ rows }: { readonly rows: DeclaredType }) => writableInputs(rows, 'CREATE').length > 0;

function defineCreate(
  type: DeclaredType,
  rowTypes: readonly { readonly field: DeclaredField; readonly rows: DeclaredType }[],
): readonly DefinitionNode[] {
  const { one } = namesOf(type);
  const needsOneOf = type.record?.needsOneOf ?? [];
  const noun = toPhrase(type.name);
  const created = rowTypes.filter(canBeCreated);
  const stem = `Create${capitalize(one)}`;
  const rows = created.map(({ field: { name } }) => `\`${name}\``).join(' and ');
  return [
    mutation(
      `create${capitalize(one)}`,
      `Create ${nounOf(type)}${rows ? `, all of its ${rows} with it` : ''}.

Retried only where the upstream is proven to keep client-supplied ids. Returns OUTCOME_UNKNOWN when the request was sent and it is unknown whether the ${noun} was created: look for it before you repeat the request.`,
      'The company to create it in, and its values.',
      { payload: payloadOf(type) },
    ),
    inputType(
      withNote(
        `${capitalize(nounOf(type))} to create.${needsOneOf.length > 0 ? ` It needs ${needsOneOf.map((name) => `\`${name}\``).join(' or ')}.` : ''}`,
        type.note.create ?? "Omitted and `null` fields stay unset, or get the upstream's default.",
      ),
      `${stem}Input`,
      [
        companyInput(noun),
        input(
          `A client-supplied GUID; generated when omitted. Where the upstream keeps it, sending the same create twice creates one ${noun}, and the second is \`ALREADY_EXISTS\` with the existing one; other upstreams assign their own id.`,
          'id',
          'UUID',
        ),
        ...writableInputs(type, 'CREATE'),
        ...created.map(({ field: { name, description, type: row } }) =>
          input(`${clauseOf(description)}; created together with the ${noun}.`, name, `[${row}Input!]`),
        ),
      ],
    ),
  ];
}

function defineUpdate(type: DeclaredType): readonly DefinitionNode[] {
  const { one } = namesOf(type);
  const noun = toPhrase(type.name);
  const stem = `Update${capitalize(one)}`;
  return [
    mutation(
      `update${capitalize(one)}`,
      `Change ${nounOf(type)}. Omitted fields keep their value or are recalculated by the upstream.

Returns STALE_RECORD, and changes nothing, when the record has changed since \`ifMatch\` was read.`,
      `The ${noun}, its entity tag and its new values.`,
      { payload: payloadOf(type) },
    ),
    inputType(`The ${noun} to change, and its new values.`, `${stem}Input`, [
      companyInput(noun),
      idInput(noun),
      input(
        'The `etag` of the version that the change is based on; `*` overwrites any version.',
        'ifMatch',
        'String!',
      ),
      patchInput(type),
    ]),
    patchType(type),
  ];
}

const patchType = (type: DeclaredType): DefinitionNode =>
  inputType(
    withNote(
      `The fields of ${nounOf(type)} that can be changed.`,
      type.note.update ?? 'Fields that always have a value, such as numbers, do not accept `null`.',
    ),
    `${type.name}Patch`,
    writableInputs(type, 'UPDATE'),
  );

function defineDelete(type: DeclaredType): readonly DefinitionNode[] {
  const { one } = namesOf(type);
  const noun = toPhrase(type.name);
  const stem = `Delete${capitalize(one)}`;
  return [
    mutation(
      `delete${capitalize(one)}`,
      `Delete ${nounOf(type)} permanently. The upstream may refuse it.

Returns STALE_RECORD, and deletes nothing, when the record has changed since \`ifMatch\` was read.`,
      `The ${noun} and its entity tag.`,
      { input: 'RecordVersionInput' },
    ),
    objectType(`The result of deleting ${nounOf(type)}.`, `${stem}Payload`, [
      field(`The GUID of the ${noun} that was deleted; null when it was not.`, 'deletedId', 'UUID'),
      field(
        `The \`nodeId\` of the ${noun} that was deleted, to remove it from a cache; null when it was not.`,
        'deletedNodeId',
        'ID',
      ),
      field(
        `Null when the ${noun} was deleted; otherwise the ${noun} as stored upstream, if it could be read.`,
        one,
        type.name,
      ),
      userErrorsField('Why it was not deleted; empty when it was.'),
    ]),
  ];
}

/** Whether a mutation of `owner` creates rows of this type. */
const createsRows = (rows: DeclaredType, owner: DeclaredType): boolean =>
  owner.fields.some((one) => one.relation && one.isList && one.type === rows.name) &&
  (owner.record?.write.includes('CREATE') === true || rows.rows?.write.includes('CREATE') === true);

/** Derives the inputs of rows: for creates, and for updates if rows can be updated one by one. */
export const deriveRowInputs = (type: DeclaredType, { types }: Declarations): readonly DefinitionNode[] => [
  ...(canBeCreated({ rows: type }) && [...types.values()].some((owner) => createsRows(type, owner))
    ? [
        inputType(
          withNote(
            `${clauseOf(type.description)}, to create.`,
            type.note.create ?? 'Omitted fields are derived by the upstream, or stay unset.',
          ),
          `${type.name}Input`,
          writableInputs(type, 'CREATE'),
        ),
      ]
    : []),
  ...(type.rows?.write.includes('UPDATE') ? [patchType(type)] : []),
];

const staleLineNote = () => 'Returns STALE_RECORD for a line that has changed since its `ifMatch` was read.';

const lineTexts = {
  CREATE: {
    verb: 'Add',
    note: (owner: string) =>
      `A line is sent once: the upstream assigns its id, so it is never sent again. Returns OUTCOME_UNKNOWN when it was sent and it is unknown whether it was added: look for it among the lines of the ${owner} before you repeat the request.`,
  },
  UPDATE: { verb: 'Change', note: staleLineNote },
  DELETE: { verb: 'Remove', note: staleLineNote },
} as const;

/** The mutations of the lines of one record, with their payloads. */
function defineLineMutations(rows: DeclaredType, owner: DeclaredType): readonly DefinitionNode[] {
  const writes = rows.rows?.write ?? [];
  if (writes.length === 0) return [];
  const word = ownerWord(owner.name);
  return [
    ...writes.flatMap((write) => lineMutation(write, rows, owner)),
    objectType(`The result of changing lines of ${nounOf(owner)}.`, `${rows.name}sPayload`, [
      field(
        `The ${word} after the change, with its new totals and entity tag; null when it could not be read.`,
        namesOf(owner).one,
        owner.name,
      ),
      field('One result for each entry, in the order of the entries.', 'results', `[${rows.name}Result!]!`),
    ]),
    objectType(`The result of changing one line of ${nounOf(owner)}.`, `${rows.name}Result`, [
      field('The GUID of the line that was removed; null when none was.', 'deletedId', 'UUID'),
      field(
        'The line as stored upstream, if it could be read; null when it was removed, when it was not added, or when the outcome is unknown.',
        'line',
        rows.name,
      ),
      changeErrorsField,
    ]),
  ];
}

function lineMutation(
  write: keyof typeof lineTexts,
  rows: DeclaredType,
  owner: DeclaredType,
): readonly DefinitionNode[] {
  const { verb, note } = lineTexts[write];
  const word = ownerWord(owner.name);
  const noun = toPhrase(owner.name);
  const name = lineMutationName(write.toLowerCase() as Lowercase<typeof write>, rows.name);
  const stem = capitalize(name);
  const limits = `1 to ${maxMutationEntries}`;
  const entry =
    write === 'CREATE'
      ? `${rows.name}Input`
      : write === 'UPDATE'
        ? `Update${rows.name}Input`
        : 'LineVersionInput';
  return [
    mutation(
      name,
      `${verb} ${limits} lines of one ${noun} in one upstream batch, in the order of the entries, and return the ${word} with its new totals.

Without \`atomic\`, every line succeeds or fails by itself. ${note(word)}

BAD_USER_INPUT, and nothing is sent, where the upstream's lines have no addresses of their own.`,
      `The ${word} and its lines.`,
      { payload: `${rows.name}sPayload` },
    ),
    inputType(`The lines to ${verb.toLowerCase()}, all of one ${noun}.`, `${stem}Input`, [
      companyInput(word),
      input(`The GUID of the ${word} that the lines belong to.`, `${word}Id`, 'UUID!'),
      input(
        `The lines, ${limits}, in their order; any other count is BAD_USER_INPUT, and nothing is sent.`,
        'entries',
        `[${entry}!]!`,
      ),
      input(
        'Whether to carry out all entries or none, in one transaction: if one fails, the others are CONFLICT. BAD_USER_INPUT, and nothing is sent, where the upstream has no transactions.',
        'atomic',
        'Boolean!',
        'false',
      ),
    ]),
    ...(write === 'UPDATE'
      ? [
          inputType('A line to change, named by its id and entity tag.', entry, [
            input("The line's GUID.", 'id', 'UUID!'),
            input('The `etag` of the line as it was read; `*` stands for any version.', 'ifMatch', 'String!'),
            patchInput(rows),
          ]),
        ]
      : []),
  ];
}

/** The mutation of an action on records of `type`. */
function defineAction(
  { mutation: name, does, after, result, resultIs }: DeclaredType['actions'][number],
  type: DeclaredType,
  types: Declarations['types'],
): readonly DefinitionNode[] {
  const word = ownerWord(type.name);
  const made = types.get(result ?? '');
  const payload = made ? `${capitalize(name)}Payload` : payloadOf(type);
  return [
    mutation(
      name,
      `${does}.

The action is sent once, and never again: it could be carried out twice. Returns STALE_RECORD when the ${word} has changed since \`ifMatch\` was read, and OUTCOME_UNKNOWN when the action was sent and the records do not show whether it was carried out. It may then still be running: look at the records again after ten minutes before you repeat the request.

BAD_USER_INPUT, and nothing is sent, where the upstream has no actions.`,
      `The ${word} and its entity tag.`,
      { input: 'RecordVersionInput', payload },
    ),
    ...(made
      ? [
          objectType(`The result of \`${name}\`.`, payload, [
            field(after ?? '', namesOf(type).one, type.name),
            field(resultIs ?? '', namesOf(made).one, made.name),
            userErrorsField('Why it was not carried out, or why the outcome is unknown; empty when it was.'),
          ]),
        ]
      : []),
  ];
}
