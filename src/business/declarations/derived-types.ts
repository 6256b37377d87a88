import {
  type DefinitionNode,
  type DocumentNode,
  type FieldDefinitionNode,
  type InputValueDefinitionNode,
  Kind,
} from 'graphql';
import {
  directive,
  enumType,
  extendType,
  field,
  input,
  inputType,
  namedType,
  objectType,
} from '../../graph/definitions.ts';
import { toEnumMember, toOrderMembers } from '../reading/filters.ts';
import type { RecordTypeDescriptor } from '../record-type.ts';
import { lineVerbs, maxMutationEntries, writeName } from '../writing/mutations.ts';
import {
  collectDeclarations,
  columnsOf,
  commonFields,
  type DeclarationFile,
  type Declarations,
  type DeclaredField,
  type DeclaredType,
  namesOf,
  plainDirectives,
  readField,
} from './declarations.ts';
import { capitalize, clauseOf, nounOf, ownerWord, pluralOf, toPhrase } from './words.ts';

/** A field without the directives of declarations; a list as its connection. */
const toField = ({ node, list, name, description, type }: DeclaredField): FieldDefinitionNode =>
  list ? listField(description, name, type, node.arguments) : { ...node, ...plainDirectives(node) };

/** The definitions of files but for declared types and lists, without the directives of declarations. */
export function withoutDeclared(files: readonly DeclarationFile[]): readonly DocumentNode[] {
  const { types, lists } = collectDeclarations(files);
  const derived = new Set(lists.map(({ field: list }) => list.node));
  return files.map(({ document }) => ({
    ...document,
    definitions: document.definitions.flatMap((node): readonly DefinitionNode[] => {
      if (node.kind === Kind.OBJECT_TYPE_DEFINITION && types.has(node.name.value)) return [];
      if (node.kind === Kind.INTERFACE_TYPE_DEFINITION)
        return [{ ...node, fields: node.fields?.map((one) => toField(readField(one))) ?? [] }];
      if (node.kind !== Kind.OBJECT_TYPE_EXTENSION) return [node];
      const fields = (node.fields ?? []).filter((one) => !derived.has(one));
      return fields.length === 0 ? [] : [{ ...node, fields }];
    }),
  }));
}

/** The definitions of a type and of everything that derives from it. */
export function deriveTypes(type: DeclaredType, declarations: Declarations): DocumentNode {
  const definitions = type.record
    ? [
        recordType(type),
        ...companyFields(type, declarations),
        ...listTypes(type),
        ...mutations(type, declarations),
      ]
    : [rowType(type), ...rowInputs(type)];
  return { kind: Kind.DOCUMENT, definitions };
}

/** The field that each list of `extend type` adds to its owner. */
export const deriveLists = ({ lists, types }: Declarations): DocumentNode => ({
  kind: Kind.DOCUMENT,
  definitions: lists
    .filter(({ owner, field: list }) => !types.get(owner)?.fields.some(({ node }) => node === list.node))
    .map(({ owner, field: list }) =>
      extendType(owner, [listField(list.description, list.name, list.type, list.node.arguments)]),
    ),
});

const listField = (
  description: string,
  name: string,
  type: string,
  more: readonly InputValueDefinitionNode[] = [],
): FieldDefinitionNode =>
  field(description, name, `${type}Connection`, [
    input('How many to return, 1 to 1000.', 'first', 'Int', '50'),
    input('The cursor to continue after, from a page of the same filter and order.', 'after', 'String'),
    input('Which rows to return; all when omitted.', 'filter', `${type}Filter`),
    input("The most significant first; the upstream's order when omitted.", 'orderBy', `[${type}Order!]`),
    ...more,
  ]);

function recordType(type: DeclaredType): DefinitionNode {
  const { byNumber } = namesOf(type);
  if (type.name === 'Company')
    return {
      ...type.node,
      directives: [directive('key', 'fields', 'id'), ...plainDirectives(type.node).directives],
      fields: type.fields.map(toField),
    };
  const isVersioned = type.record?.write.some((write) => write !== 'CREATE');
  const common = [
    field('The company the record belongs to.', 'companyId', 'UUID!'),
    field('The company the record belongs to, with its other records.', 'company', 'Company'),
    field(`The GUID that never changes${byNumber ? ', unlike the number' : ''}.`, 'id', 'UUID!'),
    field(
      `The record's entity tag${isVersioned ? ', to pass as `ifMatch`' : '; it changes whenever the record changes'}.`,
      'etag',
      'String',
    ),
  ];
  const own = new Map(type.fields.map((one) => [one.name, one]));
  return {
    ...type.node,
    directives: [
      directive('key', 'fields', 'companyId id'),
      ...(byNumber ? [directive('key', 'fields', 'companyId number')] : []),
      ...plainDirectives(type.node).directives,
    ],
    fields: [
      ...common.map((one) => {
        const repeated = own.get(one.name.value);
        return repeated ? toField(repeated) : one;
      }),
      ...type.fields.filter(({ name }) => name !== 'id' && !commonFields.has(name)).map(toField),
    ],
  };
}

const rowType = ({ node, fields }: DeclaredType): DefinitionNode => ({
  ...node,
  ...plainDirectives(node),
  fields: fields.map(toField),
});

function companyFields(type: DeclaredType, { written }: Declarations): readonly DefinitionNode[] {
  if (type.name === 'Company') return [];
  const { one, many, byNumber } = namesOf(type);
  const noun = toPhrase(type.name);
  const derived = [
    field(`One ${noun} by id; null when there is none.`, one, type.name, [idInput(noun)]),
    ...(byNumber
      ? [
          field(`One ${noun} by the number shown to users; null when there is none.`, byNumber, type.name, [
            input('As users know it; case makes no difference.', 'number', 'String!'),
          ]),
        ]
      : []),
    listField(
      `The company's ${pluralOf(type)}, in the upstream's order unless \`orderBy\` is given.`,
      many,
      type.name,
    ),
  ].filter(({ name }) => !written.has(`Company.${name.value}`));
  return derived.length === 0 ? [] : [extendType('Company', derived)];
}

const idInput = (noun: string) => input(`The ${noun}'s GUID.`, 'id', 'UUID!');

/** The key of every record, by which a list can be filtered and sorted. */
const idField = readField(field(null, 'id', 'UUID!'));

const isWord = ({ column }: DeclaredField): boolean =>
  column?.kind === 'WORD' || column?.kind === 'WORD_OR_BLANK';

function listTypes(type: DeclaredType): readonly DefinitionNode[] {
  const { name } = type;
  const many = pluralOf(type);
  const { directives: given } = plainDirectives(type.node);
  const age = given.filter(({ name: { value } }) => value === 'cacheControl');
  const columns = [idField, ...columnsOf(type).filter((one) => one.name !== 'id' && one.type !== 'JSON')];
  return [
    objectType(
      `A page of ${many}.`,
      `${name}Connection`,
      [
        field("The page's rows, each with the cursor that continues after it.", 'edges', `[${name}Edge!]!`),
        field("The page's rows alone.", 'nodes', `[${name}!]!`),
        field('The position of this page in the list.', 'pageInfo', 'PageInfo!'),
        field('How many rows the whole list has; counted only when selected.', 'totalCount', 'Int'),
      ],
      age,
    ),
    objectType(
      `${capitalize(nounOf(type))} in a page.`,
      `${name}Edge`,
      [
        field('Pass as `after` to get the rows after this one.', 'cursor', 'String!'),
        field('The row.', 'node', `${name}!`),
      ],
      age,
    ),
    inputType(`Which ${many} to return: everything given must hold.`, `${name}Filter`, [
      input('Further conditions, all of which must hold.', 'and', `[${name}Filter!]`),
      input(
        'Further conditions, at least one of which must hold; an empty list finds nothing. Some upstreams support this only for conditions on one field; otherwise the request fails with BAD_USER_INPUT.',
        'or',
        `[${name}Filter!]`,
      ),
      input(
        'A condition that must not hold. As with `ne`, unset values do not match, unless the condition is `ne: null`. Some upstreams cannot negate `contains`, `startsWith` or `endsWith`: BAD_USER_INPUT.',
        'not',
        `${name}Filter`,
      ),
      ...columns
        .filter(({ column }) => column?.filter)
        .map((one) => input(null, one.name, `${isWord(one) ? 'Word' : one.type}Filter`)),
    ]),
    enumType(
      `What ${many} can be sorted by. Unset values are the least.`,
      `${name}Order`,
      columns
        .filter(({ column }) => column?.sort)
        .flatMap((one) => toOrderMembers(one.name).map((member) => [member, null] as const)),
    ),
  ];
}

const companyInput = (noun: string) =>
  input(
    `The ${noun}'s company; may be omitted where the deployment sets a default company.`,
    'companyId',
    'UUID',
  );

const userErrors = (done: string) =>
  field(`Why it was not ${done}; empty when it was.`, 'userErrors', '[UserError!]!');

const mutation = (name: string, description: string, what: string): DefinitionNode =>
  extendType('Mutation', [
    field(description, name, `${capitalize(name)}Payload`, [
      input(what, 'input', `${capitalize(name)}Input!`),
    ]),
  ]);

const ifMatch = (does: string) =>
  input(`The \`etag\` of the version ${does} any version.`, 'ifMatch', 'String!');

function mutations(type: DeclaredType, { types }: Declarations): readonly DefinitionNode[] {
  const writes = type.record?.write ?? [];
  const rowTypes = type.fields.flatMap((one) => {
    const rows = one.relation && one.isList ? types.get(one.type) : undefined;
    return rows ? [{ field: one, rows }] : [];
  });
  return [
    ...(writes.includes('CREATE') ? createMutation(type, rowTypes) : []),
    ...(writes.includes('UPDATE') ? updateMutation(type) : []),
    ...(writes.includes('DELETE') ? deleteMutation(type) : []),
    ...rowTypes.flatMap(({ rows }) =>
      (rows.rows?.write ?? []).flatMap((write) => lineMutation(write, rows, type)),
    ),
    ...type.actions.flatMap((action) => actionMutation(action, type, types)),
  ];
}

/** A description of what derives from another: with the note, where there is one. */
const noted = (text: string, note: string | undefined): string =>
  note === undefined ? text : `${text} ${note}`;

/** The fields of an input: the columns that the mutation takes. */
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

const isCreated = ({ rows }: { readonly rows: DeclaredType }) => writableInputs(rows, 'CREATE').length > 0;

function createMutation(
  type: DeclaredType,
  rowTypes: readonly { readonly field: DeclaredField; readonly rows: DeclaredType }[],
): readonly DefinitionNode[] {
  const { one } = namesOf(type);
  const noun = toPhrase(type.name);
  const created = rowTypes.filter(isCreated);
  const stem = `Create${capitalize(one)}`;
  const rows = created.map(({ field: { name } }) => `\`${name}\``).join(' and ');
  return [
    mutation(
      `create${capitalize(one)}`,
      `Create ${nounOf(type)}${rows ? `, all of its ${rows} with it` : ''}.

Retried only where the upstream is proven to keep client-supplied ids. Returns OUTCOME_UNKNOWN when the request was sent and it is unknown whether the ${noun} was created: look for it before you repeat the request.`,
      'The company to create it in, and its values.',
    ),
    inputType(
      noted(
        `${capitalize(nounOf(type))} to create.`,
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
    objectType(`The result of creating ${nounOf(type)}.`, `${stem}Payload`, [
      field(
        `The ${noun} as stored upstream: the one created, or the existing one with the client-supplied \`id\`; null when there is none, or when the outcome is unknown.`,
        one,
        type.name,
      ),
      userErrors('created'),
    ]),
  ];
}

function updateMutation(type: DeclaredType): readonly DefinitionNode[] {
  const { one } = namesOf(type);
  const noun = toPhrase(type.name);
  const stem = `Update${capitalize(one)}`;
  return [
    mutation(
      `update${capitalize(one)}`,
      `Change ${nounOf(type)}. Omitted fields keep their value or are recalculated by the upstream.

Returns STALE_RECORD, and changes nothing, when the record has changed since \`ifMatch\` was read.`,
      `The ${noun}, its entity tag and its new values.`,
    ),
    inputType(`The ${noun} to change, and its new values.`, `${stem}Input`, [
      companyInput(noun),
      idInput(noun),
      ifMatch('that the change is based on; `*` overwrites'),
      input(
        'The fields to change; `null` clears a field, an omitted field keeps its value.',
        'patch',
        `${type.name}Patch!`,
      ),
    ]),
    patchType(type),
    objectType(`The result of changing ${nounOf(type)}.`, `${stem}Payload`, [
      field(`The ${noun} as stored upstream; null when it could not be read.`, one, type.name),
      userErrors('changed'),
    ]),
  ];
}

const patchType = (type: DeclaredType): DefinitionNode =>
  inputType(
    noted(
      `The fields of ${nounOf(type)} that can be changed.`,
      type.note.update ?? 'Fields that always have a value, such as numbers, do not accept `null`.',
    ),
    `${type.name}Patch`,
    writableInputs(type, 'UPDATE'),
  );

function deleteMutation(type: DeclaredType): readonly DefinitionNode[] {
  const { one } = namesOf(type);
  const noun = toPhrase(type.name);
  const stem = `Delete${capitalize(one)}`;
  return [
    mutation(
      `delete${capitalize(one)}`,
      `Delete ${nounOf(type)} permanently. The upstream may refuse it.

Returns STALE_RECORD, and deletes nothing, when the record has changed since \`ifMatch\` was read.`,
      `The ${noun} and its entity tag.`,
    ),
    inputType(`Which ${noun} to delete.`, `${stem}Input`, [
      companyInput(noun),
      idInput(noun),
      ifMatch('to delete; `*` deletes'),
    ]),
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
      userErrors('deleted'),
    ]),
  ];
}

/** What creates take of rows, and what changes take where rows can be changed one by one. */
const rowInputs = (type: DeclaredType): readonly DefinitionNode[] => [
  ...(isCreated({ rows: type })
    ? [
        inputType(
          noted(
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

const lineTexts = {
  CREATE: {
    verb: 'Add',
    done: 'added',
    gerund: 'adding',
    note: (owner: string) =>
      `A line is sent once: the upstream assigns its id, so it is never sent again. Returns OUTCOME_UNKNOWN when it was sent and it is unknown whether it was added: look for it among the lines of the ${owner} before you repeat the request.`,
    line: 'The line as stored upstream; null when it was not added, or when the outcome is unknown.',
  },
  UPDATE: {
    verb: 'Change',
    done: 'changed',
    gerund: 'changing',
    note: () => 'Returns STALE_RECORD for a line that has changed since its `ifMatch` was read.',
    line: 'The line as stored upstream; null when it could not be read.',
  },
  DELETE: {
    verb: 'Remove',
    done: 'removed',
    gerund: 'removing',
    note: () => 'Returns STALE_RECORD for a line that has changed since its `ifMatch` was read.',
    line: 'Null when the line was removed; otherwise the line as stored upstream, if it could be read.',
  },
} as const;

/** The mutation of the lines of one record. */
function lineMutation(
  write: keyof typeof lineTexts,
  rows: DeclaredType,
  owner: DeclaredType,
): readonly DefinitionNode[] {
  const { verb, done, gerund, note, line } = lineTexts[write];
  const word = ownerWord(owner.name);
  const noun = toPhrase(owner.name);
  const name = `${lineVerbs[write.toLowerCase() as Lowercase<typeof write>]}${rows.name}s`;
  const stem = capitalize(name);
  const single = stem.replace(/s$/, '');
  const limits = `1 to ${maxMutationEntries}`;
  const entry = write === 'CREATE' ? `${rows.name}Input` : `${single}Input`;
  return [
    mutation(
      name,
      `${verb} ${limits} lines of one ${noun} in one upstream batch, in the order of the entries, and return the ${word} with its new totals.

Without \`atomic\`, every line succeeds or fails by itself. ${note(word)}

BAD_USER_INPUT, and nothing is sent, where the upstream's lines have no addresses of their own.`,
      `The ${word} and its lines.`,
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
    ...(write === 'CREATE'
      ? []
      : [
          inputType(`A line to ${verb.toLowerCase()}, named by its id and entity tag.`, entry, [
            input("The line's GUID.", 'id', 'UUID!'),
            input('The `etag` of the line as it was read; `*` stands for any version.', 'ifMatch', 'String!'),
            ...(write === 'UPDATE'
              ? [
                  input(
                    'The fields to change; `null` clears a field, an omitted field keeps its value.',
                    'patch',
                    `${rows.name}Patch!`,
                  ),
                ]
              : []),
          ]),
        ]),
    objectType(`The result of ${gerund} lines of ${nounOf(owner)}.`, `${stem}Payload`, [
      field(
        `The ${word} after the change, with its new totals and entity tag; null when it could not be read.`,
        namesOf(owner).one,
        owner.name,
      ),
      field('One result for each entry, in the order of the entries.', 'results', `[${single}Result!]!`),
    ]),
    objectType(`The result of ${gerund} one line of ${nounOf(owner)}.`, `${single}Result`, [
      ...(write === 'DELETE'
        ? [field('The GUID of the line that was removed; null when it was not.', 'deletedId', 'UUID')]
        : []),
      field(line, 'line', rows.name),
      userErrors(done),
    ]),
  ];
}

/** The mutation of an action, which the records of `type` have. */
function actionMutation(
  { mutation: name, does, after, result, resultIs }: DeclaredType['actions'][number],
  type: DeclaredType,
  types: Declarations['types'],
): readonly DefinitionNode[] {
  const stem = capitalize(name);
  const word = ownerWord(type.name);
  const made = types.get(result ?? '');
  return [
    mutation(
      name,
      `${does}.

The action is sent once, and never again: it could be carried out twice. Returns STALE_RECORD when the ${word} has changed since \`ifMatch\` was read, and OUTCOME_UNKNOWN when the action was sent and the records do not show whether it was carried out. It may then still be running: look at the records again after ten minutes before you repeat the request.

BAD_USER_INPUT, and nothing is sent, where the upstream has no actions.`,
      'What to do it to.',
    ),
    inputType(`What \`${name}\` is carried out on.`, `${stem}Input`, [
      companyInput(word),
      idInput(word),
      input(
        `The \`etag\` of the ${word} as it was read; \`*\` stands for any version.`,
        'ifMatch',
        'String!',
      ),
    ]),
    objectType(`The result of \`${name}\`.`, `${stem}Payload`, [
      field(after, namesOf(type).one, type.name),
      ...(made ? [field(resultIs ?? '', namesOf(made).one, made.name)] : []),
      field(
        'Why it was not carried out, or why the outcome is unknown; empty when it was.',
        'userErrors',
        '[UserError!]!',
      ),
    ]),
  ];
}

/** The input of an entry of `batch`, the types of records that can be watched, and a changed record. */
export function deriveUnitedTypes(recordTypes: readonly RecordTypeDescriptor[]): DocumentNode {
  const watched = recordTypes.filter((recordType) => recordType.watched);
  return {
    kind: Kind.DOCUMENT,
    definitions: [
      inputType(
        'One change: exactly one of these fields, with the input of the mutation of that name.',
        'BatchEntryInput',
        recordTypes.flatMap(({ names, list, writes = [] }) =>
          (names ? writes.map((write) => [write, writeName(write, names)] as const) : []).map(
            ([write, single]) =>
              input(
                `${capitalize(list.one)} to ${write === 'update' ? 'change' : write}, as with \`${single}\`.`,
                single,
                `${capitalize(single)}Input`,
              ),
          ),
        ),
        [{ kind: Kind.DIRECTIVE, name: { kind: Kind.NAME, value: 'oneOf' } }],
      ),
      enumType(
        'A kind of business record that can be watched.',
        'RecordType',
        watched.map(
          ({ names, watched: text }) => [toEnumMember(names?.one ?? ''), text?.description ?? null] as const,
        ),
      ),
      {
        kind: Kind.UNION_TYPE_DEFINITION,
        description: { kind: Kind.STRING, value: 'A record that has changed.' },
        name: { kind: Kind.NAME, value: 'ChangedRecord' },
        types: watched.map(({ type }) => namedType(type)),
      },
    ],
  };
}
